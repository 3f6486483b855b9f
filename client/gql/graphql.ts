/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** What an operator decided about an Agent. It moves no Session. */
export type AdministrativeStatus =
  /** Takes work. */
  | 'AVAILABLE'
  /** Finishes what it has and takes nothing new. */
  | 'DRAINING'
  /** Takes nothing. */
  | 'OFFLINE';

/** How an Agent stands: what an operator decided, or BUSY. */
export type AgentStatus =
  /** Takes work and has a free place. */
  | 'AVAILABLE'
  /** Would take work, but holds as many Sessions as it may. */
  | 'BUSY'
  /** Finishes what it has and takes nothing new. */
  | 'DRAINING'
  /** Takes nothing. */
  | 'OFFLINE';

/** Why a mutation was refused, for programs. Each code has its type, which carries the data: AGENT_AT_CAPACITY is AgentAtCapacityError. */
export type ErrorCode =
  /** The agent holds as many Sessions as it may. */
  | 'AGENT_AT_CAPACITY'
  /** The agent is not of the type that was named with it. */
  | 'AGENT_TYPE_MISMATCH'
  /** The agent is draining, offline or archived. */
  | 'AGENT_UNAVAILABLE'
  /** The agent holds the Session already. */
  | 'ALREADY_ASSIGNED'
  /** An id or a value is malformed. */
  | 'BAD_USER_INPUT'
  /** The record is not as the caller thought: another version, or an id that is taken. */
  | 'CONFLICT'
  /** Agents may not hand off this Session themselves. */
  | 'HANDOFFS_DISABLED'
  /** The same handoff, with nothing new, was made before. */
  | 'HANDOFF_LOOP'
  /** The idempotency key was used for something else. */
  | 'IDEMPOTENCY_MISMATCH'
  /** The record's state does not allow it. */
  | 'INVALID_STATE'
  /** There is more of something than fits in one request. */
  | 'LIMIT_EXCEEDED'
  /** Agents have started as many handoffs in this Session as they may. */
  | 'MAX_HANDOFFS_REACHED'
  /** The agent may not hand off to that one. */
  | 'NOT_A_COLLABORATOR'
  /** There is no such record, or the caller may not read it. */
  | 'NOT_FOUND'
  /** No agent of the type is available with a free place. */
  | 'NO_AGENT_AVAILABLE';

/** What an Event says. */
export type EventType =
  /** An Agent was registered, changed or archived; of no Session. */
  | 'AGENT_CHANGED'
  /** The target accepted. */
  | 'HANDOFF_ACCEPTED'
  /** A Handoff was called off or superseded. */
  | 'HANDOFF_CANCELLED'
  /** The target took over. */
  | 'HANDOFF_COMPLETED'
  /** A Handoff failed. */
  | 'HANDOFF_FAILED'
  /** A Handoff was started. */
  | 'HANDOFF_INITIATED'
  /** The target declined. */
  | 'HANDOFF_REJECTED'
  /** The target did not accept in time. */
  | 'HANDOFF_TIMED_OUT'
  /** A subscription is alive; of no Session, and kept nowhere. */
  | 'HEARTBEAT'
  /** A decision, tasks or a snapshot were recorded. */
  | 'LOG_CHANGED'
  /** A subscription begins; of no Session, and kept nowhere. */
  | 'READY'
  /** A Session was created. */
  | 'SESSION_CREATED'
  /** A Session was given to an Agent. */
  | 'SESSION_REASSIGNED'
  /** A Session went back to the Agent it came from. */
  | 'SESSION_RETURNED'
  /** A Session was paused, resumed or ended. */
  | 'SESSION_STATUS_CHANGED'
  /** A Session could not go back, and nobody holds it. */
  | 'SESSION_UNASSIGNED'
  /** The log has grown by a Turn, or by an import. */
  | 'TURN_APPENDED';

/** Which Handoffs: those that meet everything that is given. */
export type HandoffFilter = {
  /** From or to this Agent. */
  agentId?: string | null | undefined;
  /** True: to an Agent that had been active in the Session before. False: the others. */
  circular?: boolean | null | undefined;
  /** Started later than this. */
  initiatedAfter?: string | null | undefined;
  /** Started earlier than this. */
  initiatedBefore?: string | null | undefined;
  /** Of this Session. */
  sessionId?: string | null | undefined;
  /** From this Agent. */
  sourceAgentId?: string | null | undefined;
  /** INITIATED, and at least so many minutes ago; 0 or more. */
  staleForMinutes?: number | null | undefined;
  /** In one of these statuses. */
  status?: Array<HandoffStatus> | null | undefined;
  /** To this Agent. */
  targetAgentId?: string | null | undefined;
  /** Started by one of these. */
  via?: Array<HandoffVia> | null | undefined;
};

/** Where a Handoff is in its life. INITIATED and ACCEPTED are open, the others final. */
export type HandoffStatus =
  /** The target has accepted, and has not worked yet. */
  | 'ACCEPTED'
  /** It was called off or superseded by another move. */
  | 'CANCELLED'
  /** The target has taken over: it does not mean that the work is done. */
  | 'COMPLETED'
  /** It failed; the Session went back, or ended. */
  | 'FAILED'
  /** The Session and a place of the target are given over; the target has not said anything yet. */
  | 'INITIATED'
  /** The target declined; the Session went back. */
  | 'REJECTED'
  /** The target did not accept in time; the Session went back. */
  | 'TIMED_OUT';

/** Who started a Handoff. */
export type HandoffVia =
  /** The agent that held the Session, with initiateHandoff. */
  | 'API'
  /** An operator, with reassignSession. */
  | 'OPERATOR'
  /** A pipeline. */
  | 'PIPELINE'
  /** The agent that held the Session, by calling a handoff tool. */
  | 'TOOL';

/** What the mutation of this name is given. */
export type ReassignSessionInput = {
  /** The Agent to give it to. This or `agentType`, or both, which must then agree. */
  agentId?: string | null | undefined;
  /** Give it to the AVAILABLE Agent of this type with the lowest load for its capacity, such as CLAUDE; never the holder. */
  agentType?: string | null | undefined;
  /** Names and values to set in the Session, an object of up to 64 KB. Names that begin with `_` are refused. */
  contextVariables?: unknown;
  /** Refuse with CONFLICT unless the Session is at this version; null to move it whatever its version. */
  expectedVersion?: number | null | undefined;
  /** 1 to 128 characters of yours: a repeat with the same input within 24 hours changes nothing and answers the same. */
  idempotencyKey?: string | null | undefined;
  /** What you want to keep with the Handoff, up to 64 KB. */
  metadata?: unknown;
  /** Why, for people: up to 4 KB. */
  reason?: string | null | undefined;
  /** The Session to move. */
  sessionId: string;
  /** Quick reassign: move the Session with no Handoff and no captured Context; the Agent is active at once. */
  skipHandoff?: boolean | null | undefined;
  /** What was done so far, up to 32 KB; composed from the log when null. */
  summary?: string | null | undefined;
};

/** What a caller may do. */
export type Role =
  /** Everything, keys too. */
  | 'ADMIN'
  /** What one agent may: work on what it holds, hand it off, accept and decline. */
  | 'AGENT'
  /** Reads everything and changes nothing. */
  | 'ANALYST'
  /** All but keys: moves Sessions, manages agents, acts for agents and is recorded as such. */
  | 'OPERATOR';

/** Which Sessions: those that meet everything that is given. */
export type SessionFilter = {
  /** Held by this Agent, or finished and held by it last. */
  agentId?: string | null | undefined;
  /** Held, or held last, by an Agent of this type, such as CLAUDE. */
  agentType?: string | null | undefined;
  /** Created later than this. */
  createdAfter?: string | null | undefined;
  /** Created earlier than this. */
  createdBefore?: string | null | undefined;
  /** True: with a Handoff that is INITIATED or ACCEPTED. False: the others. */
  hasOpenHandoff?: boolean | null | undefined;
  /** In one of these statuses. */
  status?: Array<SessionStatus> | null | undefined;
  /** With this text somewhere in the title, in upper or lower case; 500 characters at most. */
  titleContains?: string | null | undefined;
  /** True: open and held by nobody. False: the others. */
  unassigned?: boolean | null | undefined;
};

/** Where a Session is in its life. RUNNING and PAUSED are open, the others final. */
export type SessionStatus =
  /** The work was called off. */
  | 'CANCELLED'
  /** The work is done. */
  | 'COMPLETED'
  /** The work failed. */
  | 'FAILED'
  /** Nobody works on it: it was paused, or nobody holds it. */
  | 'PAUSED'
  /** Somebody holds it and may work on it. */
  | 'RUNNING';

/** What the mutation of this name is given. */
export type SetAgentStatusInput = {
  /** The Agent to change. */
  id: string;
  /** AVAILABLE, DRAINING or OFFLINE. */
  status: AdministrativeStatus;
};

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { role: Role | null, agent: { id: string } | null, key: { id: string, name: string } | null } };

export type AgentCardFragment = (
  { id: string, name: string, type: string, role: string | null, status: AgentStatus, administrativeStatus: AdministrativeStatus, currentLoad: number, maxCapacity: number, freePlaces: number }
  & { ' $fragmentRefs'?: { 'AgentChipFragment': AgentChipFragment } }
) & { ' $fragmentName'?: 'AgentCardFragment' };

export type AgentChipFragment = { id: string, type: string } & { ' $fragmentName'?: 'AgentChipFragment' };

export type AgentNamesQueryVariables = Exact<{ [key: string]: never; }>;


export type AgentNamesQuery = { agents: { nodes: Array<{ id: string, type: string }> } };

export type SetAgentStatusMutationVariables = Exact<{
  input: SetAgentStatusInput;
}>;


export type SetAgentStatusMutation = { setAgentStatus:
    | { __typename: 'BadUserInputError', code: ErrorCode, message: string }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
    | { __typename: 'SetAgentStatusPayload', agent: { id: string, status: AgentStatus, administrativeStatus: AdministrativeStatus } }
   };

export type AgentsQueryVariables = Exact<{
  after?: string | null | undefined;
  tally: boolean;
}>;


export type AgentsQuery = { agents: { totalCount: number, nodes: Array<(
      { id: string, handoffsGiven?: { totalCount: number }, handoffsReceived?: { totalCount: number } }
      & { ' $fragmentRefs'?: { 'AgentCardFragment': AgentCardFragment } }
    )>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type AgentChoiceFragment = (
  { id: string, type: string, role: string | null, status: AgentStatus, currentLoad: number, maxCapacity: number, freePlaces: number }
  & { ' $fragmentRefs'?: { 'AgentChipFragment': AgentChipFragment } }
) & { ' $fragmentName'?: 'AgentChoiceFragment' };

export type ContextPreviewQueryVariables = Exact<{
  sessionId: string;
  maxTokens: number;
}>;


export type ContextPreviewQuery = { contextPreview: { text: string, tokenEstimate: number, redactionCount: number, dropped: Array<{ id: string }> } | null };

export type HandoffBadgeFragment = { id: string, status: HandoffStatus, initiatedAt: string, deadlineAt: string, closedAt: string | null, reason: string | null, rejectionReason: string | null, failureReason: string | null, cancelReason: string | null, sourceAgent: { id: string } | null, targetAgent: { id: string } } & { ' $fragmentName'?: 'HandoffBadgeFragment' };

export type HandoffsQueryVariables = Exact<{
  where: HandoffFilter;
  after?: string | null | undefined;
  count: boolean;
}>;


export type HandoffsQuery = { handoffs: { totalCount?: number, nodes: Array<(
      { id: string, initiatedAt: string, reason: string | null, session: { id: string, title: string }, sourceAgent: (
        { id: string }
        & { ' $fragmentRefs'?: { 'AgentChipFragment': AgentChipFragment } }
      ) | null, targetAgent: (
        { id: string }
        & { ' $fragmentRefs'?: { 'AgentChipFragment': AgentChipFragment } }
      ) }
      & { ' $fragmentRefs'?: { 'HandoffBadgeFragment': HandoffBadgeFragment } }
    )>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type ReassignDialogQueryVariables = Exact<{
  id: string;
}>;


export type ReassignDialogQuery = { session: { id: string, title: string, status: SessionStatus, version: number, agent: (
      { id: string }
      & { ' $fragmentRefs'?: { 'AgentChipFragment': AgentChipFragment } }
    ) | null, openHandoff: { id: string, status: HandoffStatus, sourceAgent: { id: string } | null } | null } | null, agents: { nodes: Array<(
      { id: string, type: string, freePlaces: number, status: AgentStatus }
      & { ' $fragmentRefs'?: { 'AgentChoiceFragment': AgentChoiceFragment } }
    )> } };

export type ReassignMutationVariables = Exact<{
  input: ReassignSessionInput;
}>;


export type ReassignMutation = { reassignSession:
    | { __typename: 'AgentAtCapacityError', agentId: string, code: ErrorCode, message: string }
    | { __typename: 'AgentTypeMismatchError', code: ErrorCode, message: string }
    | { __typename: 'AgentUnavailableError', code: ErrorCode, message: string }
    | { __typename: 'AlreadyAssignedError', code: ErrorCode, message: string }
    | { __typename: 'BadUserInputError', path: Array<string>, code: ErrorCode, message: string }
    | { __typename: 'ConflictError', code: ErrorCode, message: string }
    | { __typename: 'IdempotencyMismatchError', code: ErrorCode, message: string }
    | { __typename: 'InvalidStateError', code: ErrorCode, message: string }
    | { __typename: 'NoAgentAvailableError', code: ErrorCode, message: string }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
    | { __typename: 'ReassignSessionPayload', message: string, handoffCreated: boolean, session: (
        { id: string, version: number, openHandoff: { id: string } | null }
        & { ' $fragmentRefs'?: { 'SessionRowFragment': SessionRowFragment } }
      ), handoff: (
        { id: string }
        & { ' $fragmentRefs'?: { 'HandoffBadgeFragment': HandoffBadgeFragment } }
      ) | null, previousAgent: (
        { id: string }
        & { ' $fragmentRefs'?: { 'AgentChoiceFragment': AgentChoiceFragment } }
      ) | null, assignedAgent: (
        { id: string }
        & { ' $fragmentRefs'?: { 'AgentChoiceFragment': AgentChoiceFragment } }
      ) }
   };

export type LiveEventsSubscriptionVariables = Exact<{
  after?: string | null | undefined;
}>;


export type LiveEventsSubscription = { handoffEvents: { cursor: string, type: EventType, at: string, recovered: boolean | null, sessionSequence: number | null, inboxSequence: number | null, session: (
      { id: string, version: number, title: string, status: SessionStatus, agent: (
        { id: string }
        & { ' $fragmentRefs'?: { 'AgentCardFragment': AgentCardFragment;'AgentChoiceFragment': AgentChoiceFragment } }
      ) | null, openHandoff: (
        { id: string, status: HandoffStatus, sourceAgent: { id: string } | null }
        & { ' $fragmentRefs'?: { 'HandoffBadgeFragment': HandoffBadgeFragment } }
      ) | null }
      & { ' $fragmentRefs'?: { 'SessionRowFragment': SessionRowFragment } }
    ) | null, handoff: (
      { id: string, sourceAgent: (
        { id: string }
        & { ' $fragmentRefs'?: { 'AgentCardFragment': AgentCardFragment;'AgentChoiceFragment': AgentChoiceFragment } }
      ) | null, targetAgent: (
        { id: string }
        & { ' $fragmentRefs'?: { 'AgentCardFragment': AgentCardFragment;'AgentChoiceFragment': AgentChoiceFragment } }
      ) }
      & { ' $fragmentRefs'?: { 'HandoffBadgeFragment': HandoffBadgeFragment } }
    ) | null, agent: (
      { id: string }
      & { ' $fragmentRefs'?: { 'AgentCardFragment': AgentCardFragment;'AgentChoiceFragment': AgentChoiceFragment } }
    ) | null } };

export type SessionLogSubscriptionVariables = Exact<{
  sessionIds?: Array<string> | string | null | undefined;
  after?: string | null | undefined;
}>;


export type SessionLogSubscription = { sessionUpdated: { cursor: string, type: EventType, at: string, recovered: boolean | null, sessionSequence: number | null, inboxSequence: number | null, session: { id: string } | null } };

export type SessionsQueryVariables = Exact<{
  where: SessionFilter;
  first: number;
  after?: string | null | undefined;
  count: boolean;
}>;


export type SessionsQuery = { sessions: { totalCount?: number, nodes: Array<(
      { id: string, title: string, status: SessionStatus, createdAt: string, agent: { id: string } | null, openHandoff: { id: string } | null }
      & { ' $fragmentRefs'?: { 'SessionRowFragment': SessionRowFragment } }
    )>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type SessionRowFragment = { id: string, title: string, status: SessionStatus, createdAt: string, agent: (
    { id: string }
    & { ' $fragmentRefs'?: { 'AgentChipFragment': AgentChipFragment } }
  ) | null, lastHandoff: (
    { id: string }
    & { ' $fragmentRefs'?: { 'HandoffBadgeFragment': HandoffBadgeFragment } }
  ) | null } & { ' $fragmentName'?: 'SessionRowFragment' };

export type SessionCountsQueryVariables = Exact<{ [key: string]: never; }>;


export type SessionCountsQuery = { all: { totalCount: number }, running: { totalCount: number }, paused: { totalCount: number }, completed: { totalCount: number }, failed: { totalCount: number }, cancelled: { totalCount: number }, unassigned: { totalCount: number }, open: { totalCount: number } };

export const AgentChipFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AgentChip"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Agent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"type"}}]}}]} as unknown as DocumentNode<AgentChipFragment, unknown>;
export const AgentCardFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AgentCard"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Agent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"administrativeStatus"}},{"kind":"Field","name":{"kind":"Name","value":"currentLoad"}},{"kind":"Field","name":{"kind":"Name","value":"maxCapacity"}},{"kind":"Field","name":{"kind":"Name","value":"freePlaces"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChip"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AgentChip"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Agent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"type"}}]}}]} as unknown as DocumentNode<AgentCardFragment, unknown>;
export const AgentChoiceFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AgentChoice"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Agent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"currentLoad"}},{"kind":"Field","name":{"kind":"Name","value":"maxCapacity"}},{"kind":"Field","name":{"kind":"Name","value":"freePlaces"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChip"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AgentChip"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Agent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"type"}}]}}]} as unknown as DocumentNode<AgentChoiceFragment, unknown>;
export const HandoffBadgeFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"HandoffBadge"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Handoff"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"initiatedAt"}},{"kind":"Field","name":{"kind":"Name","value":"deadlineAt"}},{"kind":"Field","name":{"kind":"Name","value":"closedAt"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"rejectionReason"}},{"kind":"Field","name":{"kind":"Name","value":"failureReason"}},{"kind":"Field","name":{"kind":"Name","value":"cancelReason"}},{"kind":"Field","name":{"kind":"Name","value":"sourceAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"targetAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]} as unknown as DocumentNode<HandoffBadgeFragment, unknown>;
export const SessionRowFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SessionRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Session"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"agent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChip"}}]}},{"kind":"Field","name":{"kind":"Name","value":"lastHandoff"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"HandoffBadge"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AgentChip"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Agent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"type"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"HandoffBadge"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Handoff"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"initiatedAt"}},{"kind":"Field","name":{"kind":"Name","value":"deadlineAt"}},{"kind":"Field","name":{"kind":"Name","value":"closedAt"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"rejectionReason"}},{"kind":"Field","name":{"kind":"Name","value":"failureReason"}},{"kind":"Field","name":{"kind":"Name","value":"cancelReason"}},{"kind":"Field","name":{"kind":"Name","value":"sourceAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"targetAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]} as unknown as DocumentNode<SessionRowFragment, unknown>;
export const ViewerDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"agent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"key"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]} as unknown as DocumentNode<ViewerQuery, ViewerQueryVariables>;
export const AgentNamesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"AgentNames"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"agents"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"field"},"value":{"kind":"EnumValue","value":"ID"}},{"kind":"ObjectField","name":{"kind":"Name","value":"direction"},"value":{"kind":"EnumValue","value":"ASC"}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"type"}}]}}]}}]}}]} as unknown as DocumentNode<AgentNamesQuery, AgentNamesQueryVariables>;
export const SetAgentStatusDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SetAgentStatus"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SetAgentStatusInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"setAgentStatus"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SetAgentStatusPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"agent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"administrativeStatus"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Error"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]}}]} as unknown as DocumentNode<SetAgentStatusMutation, SetAgentStatusMutationVariables>;
export const AgentsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Agents"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"tally"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"agents"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"50"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"field"},"value":{"kind":"EnumValue","value":"ID"}},{"kind":"ObjectField","name":{"kind":"Name","value":"direction"},"value":{"kind":"EnumValue","value":"ASC"}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentCard"}},{"kind":"Field","name":{"kind":"Name","value":"handoffsGiven"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"0"}}],"directives":[{"kind":"Directive","name":{"kind":"Name","value":"include"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"if"},"value":{"kind":"Variable","name":{"kind":"Name","value":"tally"}}}]}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"handoffsReceived"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"0"}}],"directives":[{"kind":"Directive","name":{"kind":"Name","value":"include"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"if"},"value":{"kind":"Variable","name":{"kind":"Name","value":"tally"}}}]}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"totalCount"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AgentChip"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Agent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"type"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AgentCard"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Agent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"administrativeStatus"}},{"kind":"Field","name":{"kind":"Name","value":"currentLoad"}},{"kind":"Field","name":{"kind":"Name","value":"maxCapacity"}},{"kind":"Field","name":{"kind":"Name","value":"freePlaces"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChip"}}]}}]} as unknown as DocumentNode<AgentsQuery, AgentsQueryVariables>;
export const ContextPreviewDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ContextPreview"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"sessionId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"maxTokens"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"contextPreview"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"sessionId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"sessionId"}}},{"kind":"Argument","name":{"kind":"Name","value":"maxTokens"},"value":{"kind":"Variable","name":{"kind":"Name","value":"maxTokens"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"tokenEstimate"}},{"kind":"Field","name":{"kind":"Name","value":"redactionCount"}},{"kind":"Field","name":{"kind":"Name","value":"dropped"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]}}]} as unknown as DocumentNode<ContextPreviewQuery, ContextPreviewQueryVariables>;
export const HandoffsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Handoffs"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"HandoffFilter"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"count"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"handoffs"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"50"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"initiatedAt"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"session"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}}]}},{"kind":"Field","name":{"kind":"Name","value":"sourceAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChip"}}]}},{"kind":"Field","name":{"kind":"Name","value":"targetAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChip"}}]}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"HandoffBadge"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"totalCount"},"directives":[{"kind":"Directive","name":{"kind":"Name","value":"include"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"if"},"value":{"kind":"Variable","name":{"kind":"Name","value":"count"}}}]}]}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AgentChip"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Agent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"type"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"HandoffBadge"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Handoff"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"initiatedAt"}},{"kind":"Field","name":{"kind":"Name","value":"deadlineAt"}},{"kind":"Field","name":{"kind":"Name","value":"closedAt"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"rejectionReason"}},{"kind":"Field","name":{"kind":"Name","value":"failureReason"}},{"kind":"Field","name":{"kind":"Name","value":"cancelReason"}},{"kind":"Field","name":{"kind":"Name","value":"sourceAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"targetAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]} as unknown as DocumentNode<HandoffsQuery, HandoffsQueryVariables>;
export const ReassignDialogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ReassignDialog"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"session"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"agent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChip"}}]}},{"kind":"Field","name":{"kind":"Name","value":"openHandoff"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"sourceAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"agents"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"field"},"value":{"kind":"EnumValue","value":"ID"}},{"kind":"ObjectField","name":{"kind":"Name","value":"direction"},"value":{"kind":"EnumValue","value":"ASC"}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"freePlaces"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChoice"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AgentChip"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Agent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"type"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AgentChoice"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Agent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"currentLoad"}},{"kind":"Field","name":{"kind":"Name","value":"maxCapacity"}},{"kind":"Field","name":{"kind":"Name","value":"freePlaces"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChip"}}]}}]} as unknown as DocumentNode<ReassignDialogQuery, ReassignDialogQueryVariables>;
export const ReassignDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"Reassign"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ReassignSessionInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"reassignSession"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ReassignSessionPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"handoffCreated"}},{"kind":"Field","name":{"kind":"Name","value":"session"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"openHandoff"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"SessionRow"}}]}},{"kind":"Field","name":{"kind":"Name","value":"handoff"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"HandoffBadge"}}]}},{"kind":"Field","name":{"kind":"Name","value":"previousAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChoice"}}]}},{"kind":"Field","name":{"kind":"Name","value":"assignedAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChoice"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"AgentAtCapacityError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"agentId"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"BadUserInputError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"path"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Error"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AgentChip"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Agent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"type"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"HandoffBadge"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Handoff"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"initiatedAt"}},{"kind":"Field","name":{"kind":"Name","value":"deadlineAt"}},{"kind":"Field","name":{"kind":"Name","value":"closedAt"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"rejectionReason"}},{"kind":"Field","name":{"kind":"Name","value":"failureReason"}},{"kind":"Field","name":{"kind":"Name","value":"cancelReason"}},{"kind":"Field","name":{"kind":"Name","value":"sourceAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"targetAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SessionRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Session"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"agent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChip"}}]}},{"kind":"Field","name":{"kind":"Name","value":"lastHandoff"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"HandoffBadge"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AgentChoice"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Agent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"currentLoad"}},{"kind":"Field","name":{"kind":"Name","value":"maxCapacity"}},{"kind":"Field","name":{"kind":"Name","value":"freePlaces"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChip"}}]}}]} as unknown as DocumentNode<ReassignMutation, ReassignMutationVariables>;
export const LiveEventsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"LiveEvents"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"handoffEvents"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","name":{"kind":"Name","value":"recovered"}},{"kind":"Field","name":{"kind":"Name","value":"sessionSequence"}},{"kind":"Field","name":{"kind":"Name","value":"inboxSequence"}},{"kind":"Field","name":{"kind":"Name","value":"session"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"agent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentCard"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChoice"}}]}},{"kind":"Field","name":{"kind":"Name","value":"openHandoff"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"sourceAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"HandoffBadge"}}]}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"SessionRow"}}]}},{"kind":"Field","name":{"kind":"Name","value":"handoff"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"sourceAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentCard"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChoice"}}]}},{"kind":"Field","name":{"kind":"Name","value":"targetAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentCard"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChoice"}}]}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"HandoffBadge"}}]}},{"kind":"Field","name":{"kind":"Name","value":"agent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentCard"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChoice"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AgentChip"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Agent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"type"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"HandoffBadge"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Handoff"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"initiatedAt"}},{"kind":"Field","name":{"kind":"Name","value":"deadlineAt"}},{"kind":"Field","name":{"kind":"Name","value":"closedAt"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"rejectionReason"}},{"kind":"Field","name":{"kind":"Name","value":"failureReason"}},{"kind":"Field","name":{"kind":"Name","value":"cancelReason"}},{"kind":"Field","name":{"kind":"Name","value":"sourceAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"targetAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AgentCard"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Agent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"administrativeStatus"}},{"kind":"Field","name":{"kind":"Name","value":"currentLoad"}},{"kind":"Field","name":{"kind":"Name","value":"maxCapacity"}},{"kind":"Field","name":{"kind":"Name","value":"freePlaces"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChip"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AgentChoice"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Agent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"currentLoad"}},{"kind":"Field","name":{"kind":"Name","value":"maxCapacity"}},{"kind":"Field","name":{"kind":"Name","value":"freePlaces"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChip"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SessionRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Session"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"agent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChip"}}]}},{"kind":"Field","name":{"kind":"Name","value":"lastHandoff"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"HandoffBadge"}}]}}]}}]} as unknown as DocumentNode<LiveEventsSubscription, LiveEventsSubscriptionVariables>;
export const SessionLogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"SessionLog"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"sessionIds"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sessionUpdated"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"sessionIds"},"value":{"kind":"Variable","name":{"kind":"Name","value":"sessionIds"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","name":{"kind":"Name","value":"recovered"}},{"kind":"Field","name":{"kind":"Name","value":"sessionSequence"}},{"kind":"Field","name":{"kind":"Name","value":"inboxSequence"}},{"kind":"Field","name":{"kind":"Name","value":"session"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]}}]} as unknown as DocumentNode<SessionLogSubscription, SessionLogSubscriptionVariables>;
export const SessionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Sessions"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SessionFilter"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"count"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sessions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"agent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"openHandoff"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"SessionRow"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"totalCount"},"directives":[{"kind":"Directive","name":{"kind":"Name","value":"include"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"if"},"value":{"kind":"Variable","name":{"kind":"Name","value":"count"}}}]}]}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AgentChip"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Agent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"type"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"HandoffBadge"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Handoff"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"initiatedAt"}},{"kind":"Field","name":{"kind":"Name","value":"deadlineAt"}},{"kind":"Field","name":{"kind":"Name","value":"closedAt"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"rejectionReason"}},{"kind":"Field","name":{"kind":"Name","value":"failureReason"}},{"kind":"Field","name":{"kind":"Name","value":"cancelReason"}},{"kind":"Field","name":{"kind":"Name","value":"sourceAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"targetAgent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SessionRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Session"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"agent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"AgentChip"}}]}},{"kind":"Field","name":{"kind":"Name","value":"lastHandoff"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"HandoffBadge"}}]}}]}}]} as unknown as DocumentNode<SessionsQuery, SessionsQueryVariables>;
export const SessionCountsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"SessionCounts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"all"},"name":{"kind":"Name","value":"sessions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"0"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}}]}},{"kind":"Field","alias":{"kind":"Name","value":"running"},"name":{"kind":"Name","value":"sessions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"0"}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"status"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"RUNNING"}]}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}}]}},{"kind":"Field","alias":{"kind":"Name","value":"paused"},"name":{"kind":"Name","value":"sessions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"0"}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"status"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"PAUSED"}]}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}}]}},{"kind":"Field","alias":{"kind":"Name","value":"completed"},"name":{"kind":"Name","value":"sessions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"0"}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"status"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"COMPLETED"}]}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}}]}},{"kind":"Field","alias":{"kind":"Name","value":"failed"},"name":{"kind":"Name","value":"sessions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"0"}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"status"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"FAILED"}]}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}}]}},{"kind":"Field","alias":{"kind":"Name","value":"cancelled"},"name":{"kind":"Name","value":"sessions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"0"}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"status"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"CANCELLED"}]}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}}]}},{"kind":"Field","alias":{"kind":"Name","value":"unassigned"},"name":{"kind":"Name","value":"sessions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"0"}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"unassigned"},"value":{"kind":"BooleanValue","value":true}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}}]}},{"kind":"Field","alias":{"kind":"Name","value":"open"},"name":{"kind":"Name","value":"sessions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"0"}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"hasOpenHandoff"},"value":{"kind":"BooleanValue","value":true}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}}]}}]}}]} as unknown as DocumentNode<SessionCountsQuery, SessionCountsQueryVariables>;