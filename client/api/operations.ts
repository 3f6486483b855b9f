/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** Input of the mutation of the same name. */
export type AcceptHandoffInput = {
  /** The Handoff to change. */
  handoffId: string;
  /** 1 to 128 characters, chosen by you. Repeating the same input with the same key within 24 hours returns the same answer and has no second effect. */
  idempotencyKey?: string | null | undefined;
};

/** Status of an Agent as an operator set it. A change moves no Session. */
export type AdministrativeStatus =
  /** Takes new work. */
  | 'AVAILABLE'
  /** Keeps its work and takes no new work. */
  | 'DRAINING'
  /** Takes no new work. The Sessions that it holds stay with it. */
  | 'OFFLINE';

/** Filters Agents. Every given condition must match. */
export type AgentFilter = {
  /** True: AVAILABLE with a free place. False: all others. */
  hasCapacity?: boolean | null | undefined;
  /** Includes archived Agents. */
  includeArchived?: boolean | null | undefined;
  /** Agents with exactly this role. */
  role?: string | null | undefined;
  /** Agents with this current status. */
  status?: AgentStatus | null | undefined;
  /** Agents of this type, such as CLAUDE. */
  type?: string | null | undefined;
};

/** Current status of an Agent: the administrative status, or BUSY. */
export type AgentStatus =
  /** Takes new work and has a free place. */
  | 'AVAILABLE'
  /** Takes new work but has no free place. */
  | 'BUSY'
  /** Keeps its work and takes no new work. */
  | 'DRAINING'
  /** Takes no new work. The Sessions that it holds stay with it. */
  | 'OFFLINE';

/** Input of the mutation of the same name. */
export type AppendTurnInput = {
  /** Agent of the Turn. It must hold the Session. Null: the holder. */
  agentId?: string | null | undefined;
  /** 1 to 128 characters, chosen by you. Repeating the same input with the same key within 24 hours returns the same answer and has no second effect. */
  idempotencyKey?: string | null | undefined;
  /** Messages of the Turn in order, at most 200. */
  messages: Array<NewMessageInput>;
  /** The Session to write to. It must not be finished. */
  sessionId: string;
  /** Tool calls of the Turn in order, at most 200. */
  toolCalls?: Array<NewToolCallInput> | null | undefined;
  /** True when the agent's window was cut before this Turn. Captures a TRUNCATION snapshot of what was visible until then. */
  truncated?: boolean | null | undefined;
  /** Token usage of the Turn; null when unknown. */
  usage?: NewUsageInput | null | undefined;
  /** Folder, branch and commit after the Turn; null when unknown. */
  workspace?: NewWorkspaceInput | null | undefined;
};

/** Whether a person has to approve Handoffs that Agents start. The strictest rule that concerns one wins. */
export type ApprovalRule =
  /** Nobody has to. */
  | 'NONE'
  /** The Handoff is PROPOSED until an operator approves it (approveHandoff). */
  | 'REQUIRED';

/** Input of the mutation of the same name. */
export type CancelHandoffInput = {
  /** The Handoff to change. */
  handoffId: string;
  /** Reason, for people: at most 4 KB. */
  reason?: string | null | undefined;
};

/** Messages that a Carry passes on. */
export type CarriedMessages =
  /** All that a Context holds. */
  | 'ALL'
  /** Messages of role USER. */
  | 'HUMAN'
  /** The newest `lastMessages`. */
  | 'LAST'
  /** No Messages. */
  | 'NONE';

/** What a Carry passes on of tool calls. */
export type CarriedToolCalls =
  /** All that a Context holds. */
  | 'ALL'
  /** Nothing of them. */
  | 'NONE'
  /** For each tool the number of calls and errors, without arguments and results. */
  | 'SUMMARY';

/** What of the Context a Handoff passes on. The target reads only that, and what is recorded from then on. */
export type CarryInput = {
  /** Whether to pass on decisions. */
  decisions?: boolean | null | undefined;
  /** Whether to pass on the paths of changed files. Messages and tool calls that name files follow their own setting. */
  files?: boolean | null | undefined;
  /** With LAST: the number of Messages, 1 to 40. Null: 10. */
  lastMessages?: number | null | undefined;
  /** Greatest number of estimated tokens (bytes / 4) to pass on, at least 200, without the target's instructions. The least important parts are left out first. Null: no limit. */
  maxTokens?: number | null | undefined;
  /** Messages to pass on. */
  messages?: CarriedMessages | null | undefined;
  /** Whether to pass on tasks. */
  tasks?: boolean | null | undefined;
  /** What to pass on of tool calls. Checks and failed attempts are passed on with ALL only. */
  toolCalls?: CarriedToolCalls | null | undefined;
  /** Names of context variables to pass on, at most 100. Null: all. Baton's own, whose names begin with `_`, are always passed on. */
  variables?: Array<string> | null | undefined;
};

/** An Agent to hand off to, and when. */
export type CollaborationInput = {
  /** The Agent to hand off to. */
  agentId: string;
  /** Whether a person has to approve such Handoffs. Omitted or null: unchanged, for a new Agent NONE. */
  approval?: ApprovalRule | null | undefined;
  /** What such a Handoff passes on. Omitted: unchanged. Null: everything. */
  carry?: CarryInput | null | undefined;
  /** Situation in which the Agent should hand off, for the model that decides: at most 1 KB. Null: not stated. */
  when?: string | null | undefined;
};

/** Input of the mutation of the same name. */
export type CompleteHandoffInput = {
  /** The Handoff to change. */
  handoffId: string;
};

/** Input of the mutation of the same name. */
export type CompleteSessionInput = {
  /** Fails with CONFLICT unless the Session has this version. Null: any version. */
  expectedVersion?: number | null | undefined;
  /** Result of the work: any JSON of at most 64 KB. */
  result?: unknown;
  /** The Session to change. */
  sessionId: string;
  /** Closing summary, for people: at most 32 KB. */
  summary?: string | null | undefined;
};

/** Input of the mutation of the same name. */
export type CreateSessionInput = {
  /** The Agent that gets the Session. Null: none, or one of `agentType`. */
  agentId?: string | null | undefined;
  /** Assigns the least loaded available Agent of this type. With `agentId`, that Agent must have this type. */
  agentType?: string | null | undefined;
  /** True: gives the Session to the Agent that fits the request best, which is needed then, and keeps why (`Session.choice`). It is the best of `suggestTargets` by all factors but PATH_SUCCESS; of equals the one to which the fewest others hand off. Excludes `agentId`, `agentType` and `pipeline`. Null: false. */
  choose?: boolean | null | undefined;
  /** The Agents to choose from, at most 1,000, such as those that a runner works for; others are left out. Null: all. Only with `choose`. */
  chooseFrom?: Array<string> | null | undefined;
  /** Names and values that the Session's Agents share: an object of at most 64 KB. Names that begin with `_` are refused. */
  contextVariables?: unknown;
  /** Id of the work in another system: 1 to 200 characters. CONFLICT when an open Session has it. */
  externalId?: string | null | undefined;
  /** Whether a person has to approve the Handoffs of the Session that Agents start. Null: NONE. FORBIDDEN for an AGENT. */
  handoffApproval?: ApprovalRule | null | undefined;
  /** Whether Agents may hand the Session off. Null: the server's default (BATON_HANDOFFS_ENABLED). */
  handoffsEnabled?: boolean | null | undefined;
  /** 1 to 128 characters, chosen by you. Repeating the same input with the same key within 24 hours returns the same answer and has no second effect. */
  idempotencyKey?: string | null | undefined;
  /** Agents may hand off N times before an operator has to step in: 0 to 10,000. In a pipeline only stages that are entered again count. Null: 5; in a pipeline 50. */
  maxHandoffs?: number | null | undefined;
  /** Any JSON to keep with the record, at most 64 KB. */
  metadata?: unknown;
  /** Slug of a pipeline: the Session runs through its newest version. Without `agentId` the start stage gets the least loaded AVAILABLE Agent of its role and type; when none has a free place, the Session waits in the queue. Not with `agentType`. */
  pipeline?: string | null | undefined;
  /** Urgency of the work. */
  priority?: SessionPriority | null | undefined;
  /** Label to group Sessions by: 1 to 200 characters. */
  project?: string | null | undefined;
  /** True: when no Agent of `agentType` has a free place, the Session waits for one, PAUSED and unassigned, instead of NO_AGENT_AVAILABLE. Excludes `agentId`. */
  queue?: boolean | null | undefined;
  /** True: the Session records work that `agentId` does already. It needs no free place: the load of the Agent may exceed its capacity. Excludes `pipeline`. Null: false. */
  recording?: boolean | null | undefined;
  /** What is asked for: recorded as the first USER Message, at most 256 KB. */
  request?: string | null | undefined;
  /** Title of the work: 1 to 500 characters. */
  title: string;
  /** Number of tokens after which the Session pauses (reason "token budget used"): input, output and cached tokens of all its Turns, as models reported them. Null: any number. */
  tokenBudget?: number | null | undefined;
  /** Where the work is done; null when unknown. */
  workspace?: SessionWorkspaceInput | null | undefined;
};

/** Codes of refused mutations. Each code has an error type with its data: AGENT_AT_CAPACITY is AgentAtCapacityError. */
export type ErrorCode =
  /** The agent is at its capacity. */
  | 'AGENT_AT_CAPACITY'
  /** The agent does not have the role of the Session's stage. */
  | 'AGENT_ROLE_MISMATCH'
  /** The agent does not have the requested type. */
  | 'AGENT_TYPE_MISMATCH'
  /** The agent is draining, offline or archived. */
  | 'AGENT_UNAVAILABLE'
  /** The agent already holds the Session. */
  | 'ALREADY_ASSIGNED'
  /** An id or a value is malformed. */
  | 'BAD_USER_INPUT'
  /** The record has another version or Context than expected, or the id or external id is taken. */
  | 'CONFLICT'
  /** Agents may not hand off this Session. */
  | 'HANDOFFS_DISABLED'
  /** The same handoff was made before with nothing new since. */
  | 'HANDOFF_LOOP'
  /** The idempotency key was used with another mutation or input. */
  | 'IDEMPOTENCY_MISMATCH'
  /** The payload does not match the schema of the transition or stage. */
  | 'INVALID_PAYLOAD'
  /** The state of the record does not allow the change. */
  | 'INVALID_STATE'
  /** The arguments of the call do not match the schema of the tool. */
  | 'INVALID_TOOL_ARGUMENTS'
  /** The input has more items than one request may carry. */
  | 'LIMIT_EXCEEDED'
  /** Agents have reached the number of handoffs allowed in this Session. */
  | 'MAX_HANDOFFS_REACHED'
  /** The agent may not hand off to the target. */
  | 'NOT_A_COLLABORATOR'
  /** The record does not exist, or the caller may not read it. */
  | 'NOT_FOUND'
  /** No agent of the type or role is available with a free place. */
  | 'NO_AGENT_AVAILABLE'
  /** The model's answer has no call of a handoff tool. */
  | 'NO_HANDOFF_FOUND'
  /** Another runner works in the tenure. */
  | 'TENURE_CLAIMED'
  /** The pipeline has no such transition from the stage. */
  | 'TRANSITION_NOT_ALLOWED'
  /** The call names no agent or tool that the agent may call. */
  | 'UNKNOWN_HANDOFF_TARGET';

/** Input of the mutation of the same name. */
export type ExecuteHandoffToolInput = {
  /** The Agent whose model made the call: it must hold the Session. Null: the caller's Agent, for an operator the holder. */
  agentId?: string | null | undefined;
  /** Arguments of the call: an object, or its JSON as a text; at most 256 KB. Names that begin with `_handoff_` are dropped. */
  arguments?: unknown;
  /** Id that the provider gave to the call, at most 200 characters. The same `callId` of the same Agent in the same Session gives the first answer again. */
  callId?: string | null | undefined;
  /** 1 to 128 characters, chosen by you. Repeating the same input with the same key within 24 hours returns the same answer and has no second effect. */
  idempotencyKey?: string | null | undefined;
  /** The Session to hand off. */
  sessionId: string;
  /** Name of the tool as the model called it, at most 200 characters. */
  toolName: string;
};

/** Input of the mutation of the same name. */
export type ExecuteHandoffsInput = {
  /** The Agent whose model made the call: it must hold the Session. Null: the caller's Agent, for an operator the holder. */
  agentId?: string | null | undefined;
  /** 1 to 128 characters, chosen by you. Repeating the same input with the same key within 24 hours returns the same answer and has no second effect. */
  idempotencyKey?: string | null | undefined;
  /** The answer as the provider gave it, a list of the events of its stream, or the text of either (JSON or SSE). The whole request may have 1 MB, and the answer 32 levels. */
  response: unknown;
  /** The Session to hand off. */
  sessionId: string;
};

/** Input of the mutation of the same name. */
export type FailHandoffInput = {
  /** The Handoff to change. */
  handoffId: string;
  /** Reason, for people: at most 4 KB, not blank. */
  reason: string;
};

/** Input of the mutation of the same name. */
export type FailSessionInput = {
  /** Fails with CONFLICT unless the Session has this version. Null: any version. */
  expectedVersion?: number | null | undefined;
  /** Reason, for people: at most 4 KB, not blank. */
  reason: string;
  /** The Session to change. */
  sessionId: string;
};

/** Filters Handoffs. Every given condition must match. */
export type HandoffFilter = {
  /** Handoffs started by this caller: a `principal` of Actor, such as the id of a key, or the id of an Agent for its keys. */
  actor?: string | null | undefined;
  /** Handoffs from or to this Agent. */
  agentId?: string | null | undefined;
  /** True: the target had been active in the Session before. False: all others. */
  circular?: boolean | null | undefined;
  /** Handoffs of the Sessions with this id in another system. */
  externalId?: string | null | undefined;
  /** Handoffs by which the source left the stage of this name. */
  fromStage?: string | null | undefined;
  /** Handoffs started after this time. */
  initiatedAfter?: string | null | undefined;
  /** Handoffs started before this time. */
  initiatedBefore?: string | null | undefined;
  /** Handoffs that were open for at least N seconds, from start to end; open ones: until now. */
  lastedAtLeastSeconds?: number | null | undefined;
  /** Handoffs that were open for at most N seconds. */
  lastedAtMostSeconds?: number | null | undefined;
  /** Handoffs by which the source left its stage with this outcome. */
  outcome?: string | null | undefined;
  /** Handoffs of the Sessions in any version of this pipeline, by its slug. */
  pipeline?: string | null | undefined;
  /** Handoffs of the Sessions of this project. */
  project?: string | null | undefined;
  /** Handoffs whose reason, or reason of rejection, failure or cancellation, contains this text, ignoring case; at most 500 characters. */
  reasonContains?: string | null | undefined;
  /** True: work was sent back, in a pipeline to an earlier stage, otherwise to the Agent that handed it off. False: all others. */
  sentBack?: boolean | null | undefined;
  /** Handoffs of this Session. */
  sessionId?: string | null | undefined;
  /** Handoffs from this Agent. */
  sourceAgentId?: string | null | undefined;
  /** Handoffs whose target works in the stage of this name. */
  stage?: string | null | undefined;
  /** INITIATED Handoffs started at least N minutes ago; 0 or more. */
  staleForMinutes?: number | null | undefined;
  /** Records with one of these statuses. */
  status?: Array<HandoffStatus> | null | undefined;
  /** Handoffs to this Agent. */
  targetAgentId?: string | null | undefined;
  /** Handoffs started in one of these ways. */
  via?: Array<HandoffVia> | null | undefined;
  /** Handoffs that waited at least N seconds for the acceptance, or for the end without one; those that wait: until now. */
  waitedAtLeastSeconds?: number | null | undefined;
  /** Handoffs that waited at most N seconds. */
  waitedAtMostSeconds?: number | null | undefined;
  /** Handoffs of the Sessions whose work is done in this folder of this machine: the id of their workspace. */
  workspaceId?: string | null | undefined;
};

/** Order of a list of Handoffs. Ties are ordered by id. */
export type HandoffOrder = {
  /** Direction of the order. */
  direction?: OrderDirection | null | undefined;
  /** Field to order by. */
  field: HandoffOrderField;
};

/** Field to order Handoffs by. */
export type HandoffOrderField =
  /** Time at which the Handoff was started. */
  | 'INITIATED_AT';

/** Statuses of a Handoff. PROPOSED waits for a person, INITIATED and ACCEPTED are open; the others are final. */
export type HandoffStatus =
  /** The target accepted and has not worked yet. */
  | 'ACCEPTED'
  /** The Handoff was cancelled, or superseded by another move. */
  | 'CANCELLED'
  /** The target took over. It does not mean that the work is done. */
  | 'COMPLETED'
  /** A person declined it. Nothing has moved: the Agent that proposed it holds the Session. */
  | 'DECLINED'
  /** The Handoff failed. The Session returned to its source, is unassigned, or ended. */
  | 'FAILED'
  /** Custody has moved to the target, which has not answered yet. */
  | 'INITIATED'
  /** An Agent wants it, and a person has to approve it. Nothing has moved, and the target does not know. */
  | 'PROPOSED'
  /** The target declined. The Session returned to its source, or is unassigned when the source could not take it. */
  | 'REJECTED'
  /** The target did not accept in time, or nobody approved in time. The Session returned to its source, or is unassigned when the source could not take it. */
  | 'TIMED_OUT';

/** Ways in which a Handoff is started. */
export type HandoffVia =
  /** The holder called initiateHandoff. */
  | 'API'
  /** An operator called reassignSession. */
  | 'OPERATOR'
  /** A pipeline moved the Session. */
  | 'PIPELINE'
  /** The holder called a handoff tool. */
  | 'TOOL';

/** Input of the mutation of the same name. */
export type InitiateHandoffInput = {
  /** Names and values to set in the Session: an object of at most 64 KB. Names that begin with `_` are refused. */
  contextVariables?: unknown;
  /** 1 to 128 characters, chosen by you. Repeating the same input with the same key within 24 hours returns the same answer and has no second effect. */
  idempotencyKey?: string | null | undefined;
  /** Any JSON to keep with the Handoff, at most 64 KB. */
  metadata?: unknown;
  /** The Turn that led to the Handoff. Null: the last Turn of an Agent. */
  priorTurnId?: string | null | undefined;
  /** Urgency of the work from now on, by which it waits. Null: as before. */
  priority?: SessionPriority | null | undefined;
  /** True: when the target has no free place, the Session leaves its holder and waits for it, PAUSED and unassigned, instead of AGENT_AT_CAPACITY; in a pipeline for an Agent of the stage. Its Handoff is created when its turn comes. */
  queue?: boolean | null | undefined;
  /** Reason, for people: at most 4 KB. */
  reason?: string | null | undefined;
  /** The Session to hand off. */
  sessionId: string;
  /** Summary of the work so far, at most 32 KB. Null: composed from the log. */
  summary?: string | null | undefined;
  /** The Agent to hand the Session to. Its id, or a display name, a role or a type that it alone has among those that may be meant. */
  targetAgentId: string;
  /** The tool calls that led to the Handoff: of this Session, at most 200. Null: those of the prior Turn. */
  triggeringToolCallIds?: Array<string> | null | undefined;
};

/** Kinds of Messages. */
export type MessageKind =
  /** An error of the program or of the model, such as a refused request. */
  | 'ERROR'
  /** The text of a skill that the agent loaded. */
  | 'SKILL'
  /** A notice of the program, such as an interruption, a compaction or the output of a command. */
  | 'STATUS'
  /** A prompt, an answer or a notification of a sub-agent. */
  | 'SUBTASK'
  /** Words of the author: the default. */
  | 'TEXT';

/** Authors of Messages. */
export type MessageRole =
  /** The agent. */
  | 'ASSISTANT'
  /** Baton: marks where the Session changed hands. */
  | 'HANDOFF'
  /** The program or person that set the agent its task. */
  | 'SYSTEM'
  /** A tool that the agent called. */
  | 'TOOL'
  /** A person. */
  | 'USER';

/** A Message to record. */
export type NewMessageInput = {
  /** Text of the Message: at most 256 KB. */
  content: string;
  /** Kind of the Message; null for TEXT. */
  kind?: MessageKind | null | undefined;
  /** Author: USER, ASSISTANT, SYSTEM or TOOL. HANDOFF is reserved for Baton. */
  role: MessageRole;
};

/** A Task of the list. */
export type NewTaskInput = {
  /** What is to be done: at most 4 KB, not blank. */
  content: string;
  /** Status of the task. */
  status: TaskStatus;
};

/** A tool call of the Turn, with its outcome. */
export type NewToolCallInput = {
  /** Arguments of the call: any JSON of at most 256 KB. */
  arguments?: unknown;
  /** Id that the model gave the call: 1 to 200 characters, unique in the Turn. */
  callId: string;
  /** Time from the call to its outcome in milliseconds; null when unknown. */
  durationMs?: number | null | undefined;
  /** Error of the call, at most 256 KB; null when it did not fail. Excludes `result`. */
  error?: string | null | undefined;
  /** Paths that the call wrote, at most 200; ignored when it failed. */
  filesModified?: Array<string> | null | undefined;
  /** Name of the tool: 1 to 200 characters. */
  name: string;
  /** Result of the call, at most 256 KB; null when it failed or has no answer yet. */
  result?: string | null | undefined;
};

/** Token usage of the Turn; null fields are unknown. */
export type NewUsageInput = {
  /** Input tokens written to a cache. */
  cacheCreationInputTokens?: number | null | undefined;
  /** Input tokens read from a cache. */
  cacheReadInputTokens?: number | null | undefined;
  /** Input tokens that were not cached. */
  inputTokens?: number | null | undefined;
  /** Name of the model as its provider calls it: at most 200 characters. */
  model?: string | null | undefined;
  /** Output tokens. */
  outputTokens?: number | null | undefined;
};

/** Folder, branch and commit after the Turn; null fields are unknown. */
export type NewWorkspaceInput = {
  /** The git branch: at most 1 KB. */
  branch?: string | null | undefined;
  /** The last git commit, full or shortened: at most 1 KB. */
  commit?: string | null | undefined;
  /** The working folder: at most 1 KB. */
  folder?: string | null | undefined;
};

/** Directions of an order. */
export type OrderDirection =
  /** Smallest or oldest first. */
  | 'ASC'
  /** Largest or newest first. */
  | 'DESC';

/** Input of the mutation of the same name. */
export type ReassignSessionInput = {
  /** The Agent to give the Session to. Its id, or a display name, a role or a type that it alone has among those that may be meant. Required unless `agentType` is given; with both, the Agent must have this type. */
  agentId?: string | null | undefined;
  /** Chooses the AVAILABLE Agent of this type, such as CLAUDE, with the lowest ratio of load to capacity. Never the holder; the source of an INITIATED Handoff only when no other Agent has a free place. */
  agentType?: string | null | undefined;
  /** Names and values to set in the Session: an object of at most 64 KB. Names that begin with `_` are refused. */
  contextVariables?: unknown;
  /** Fails with CONFLICT unless the Session has this version. Null: any version. */
  expectedVersion?: number | null | undefined;
  /** 1 to 128 characters, chosen by you. Repeating the same input with the same key within 24 hours returns the same answer and has no second effect. */
  idempotencyKey?: string | null | undefined;
  /** True takes the Session out of its pipeline for good. False: it keeps its stage, and the Agent must have the role and type of that stage. */
  leavePipeline?: boolean | null | undefined;
  /** Any JSON to keep with the Handoff, at most 64 KB. */
  metadata?: unknown;
  /** True: when no Agent of `agentType` has a free place, the Session leaves its holder and waits for one, PAUSED and unassigned, instead of NO_AGENT_AVAILABLE. Its Handoff is created when its turn comes. Excludes `agentId`. */
  queue?: boolean | null | undefined;
  /** Reason, for people: at most 4 KB. */
  reason?: string | null | undefined;
  /** The Session to move. */
  sessionId: string;
  /** True moves the Session without a Handoff and without a Context; the Agent is ACTIVE at once, or PAUSED in a paused Session. */
  skipHandoff?: boolean | null | undefined;
  /** Summary of the work so far, at most 32 KB. Null: composed from the log. */
  summary?: string | null | undefined;
};

/** Input of the mutation of the same name. */
export type RecordDecisionInput = {
  /** 1 to 128 characters, chosen by you. Repeating the same input with the same key within 24 hours returns the same answer and has no second effect. */
  idempotencyKey?: string | null | undefined;
  /** The Session to write to. It must not be finished. */
  sessionId: string;
  /** The decision and, ideally, its reason: at most 4 KB, not blank. */
  text: string;
};

/** Input of the mutation of the same name. */
export type RegisterAgentInput = {
  /** Agents that it may hand off to, and when it should: at most 200. Each must exist. Replaces the whole list. */
  collaborations?: Array<CollaborationInput> | null | undefined;
  /** Agents that it may hand off to, at most 200. Each must exist. `when` of an Agent that stays is kept. Give this or `collaborations`. */
  collaborators?: Array<string> | null | undefined;
  /** Tokens that fit into the window of the Agent's model. Null: not known; then only a transcript that says it, or a compaction, proposes a handoff. */
  contextWindow?: number | null | undefined;
  /** Strengths of the Agent, for callers that choose one: at most 4 KB. */
  description?: string | null | undefined;
  /** Slug of the Agent, permanent: 1 to 52 lower-case letters, digits, '-' and '_', with a letter or digit at both ends. */
  id: string;
  /** Instructions that every Handoff to the Agent carries: at most 32 KB. */
  instructions?: string | null | undefined;
  /** Number of Sessions up to which the Agent is given more: 1 to 100,000. Work that is recorded may exceed it. */
  maxCapacity?: number | null | undefined;
  /** Any JSON to keep with the record, at most 64 KB. */
  metadata?: unknown;
  /** Display name, at most 200 characters. Null: the id. */
  name?: string | null | undefined;
  /** Purpose of the Agent, such as "implementer": at most 200 characters. */
  role?: string | null | undefined;
  /** Kind of worker, such as CLAUDE: an upper-case letter, then at most 49 upper-case letters, digits and '_'. */
  type: string;
};

/** Input of the mutation of the same name. */
export type RejectHandoffInput = {
  /** The Handoff to change. */
  handoffId: string;
  /** Reason, for people: at most 4 KB, not blank. */
  reason: string;
};

/** Rights of a caller. */
export type Role =
  /** Reads and does everything, including keys. */
  | 'ADMIN'
  /** Acts as one agent: works on what it holds, hands it off, accepts and declines. */
  | 'AGENT'
  /** Reads everything and changes nothing. */
  | 'ANALYST'
  /** Reads and does everything except keys: moves Sessions, manages agents, acts for agents. Acts are recorded as the operator's. */
  | 'OPERATOR';

/** Filters Sessions. Every given condition must match. */
export type SessionFilter = {
  /** Sessions that this Agent holds, and finished ones that it held last. */
  agentId?: string | null | undefined;
  /** Sessions held by an Agent of this type, such as CLAUDE; finished ones whose last holder had this type at the end. */
  agentType?: string | null | undefined;
  /** Sessions created after this time. */
  createdAfter?: string | null | undefined;
  /** Sessions created before this time. */
  createdBefore?: string | null | undefined;
  /** Sessions with this id in another system, open or finished. */
  externalId?: string | null | undefined;
  /** True: Sessions with an INITIATED or ACCEPTED Handoff. False: all others. */
  hasOpenHandoff?: boolean | null | undefined;
  /** Sessions in any version of this pipeline, by its slug. */
  pipeline?: string | null | undefined;
  /** Sessions in this version of their pipeline. */
  pipelineVersion?: number | null | undefined;
  /** Sessions with one of these priorities. */
  priority?: Array<SessionPriority> | null | undefined;
  /** Sessions of this project. */
  project?: string | null | undefined;
  /** Sessions whose work is done in a clone of this repository, by its address without credentials. */
  repository?: string | null | undefined;
  /** Sessions in one of these situations. Only the newest 10,000 at the limit of their Handoffs count as LIMIT_REACHED. */
  situation?: Array<SessionSituation> | null | undefined;
  /** Sessions in the stage of this name. */
  stage?: string | null | undefined;
  /** Records with one of these statuses. */
  status?: Array<SessionStatus> | null | undefined;
  /** True: Sessions with which no Agent can go on until a person acts (`stuckBecause`), the newest 10,000. False: all others. */
  stuck?: boolean | null | undefined;
  /** Sessions that are stuck for one of these reasons. */
  stuckBecause?: Array<StuckReason> | null | undefined;
  /** Sessions whose title contains this text, ignoring case; at most 500 characters. */
  titleContains?: string | null | undefined;
  /** True: open Sessions without a holder. False: all others. */
  unassigned?: boolean | null | undefined;
  /** Sessions whose work is done in this folder of this machine: the id of their workspace. */
  workspaceId?: string | null | undefined;
};

/** Urgency of the work, lowest first. */
export type SessionPriority =
  /** Before normal work. */
  | 'HIGH'
  /** Waits for everything else. */
  | 'LOW'
  /** The default. */
  | 'NORMAL'
  /** Before everything else. */
  | 'URGENT';

/** Situations of a Session: what happens to it now, or what it waits for. Every Session is in exactly one. */
export type SessionSituation =
  /** The work was cancelled. */
  | 'CANCELLED'
  /** The work is done. */
  | 'COMPLETED'
  /** The work failed. */
  | 'FAILED'
  /** An Agent holds it and has accepted it, and can hand it off no more: `stuckBecause` has MAX_HANDOFFS. An operator has to call reassignSession or updateSession. */
  | 'LIMIT_REACHED'
  /** pauseSession stopped it until resumeSession, with a holder or with its place in the queue. A Handoff that waits in it still times out. */
  | 'PAUSED'
  /** No Agent holds it, and it waits for its turn in the queue: `queueEntry.position`. */
  | 'QUEUED'
  /** An Agent holds it and has accepted it, and nothing happened for 30 minutes: no Event since `lastActivityAt` other than SESSION_CHANGED, SESSION_STUCK and HANDOFF_REMINDED. */
  | 'SILENT'
  /** It moved by a Handoff, which its target has not accepted: `openHandoff`. */
  | 'WAITING_FOR_ACCEPTANCE'
  /** A person has to decide: `approval` is a Handoff to approve, or a question of the holder to answer. With a Handoff the Agent may go on meanwhile. */
  | 'WAITING_FOR_PERSON'
  /** No Agent holds it and none will get it until an operator calls reassignSession: `stuckBecause` has UNASSIGNED or ESCALATED, and `lastHandoff` says how the last holder was lost. */
  | 'WITHOUT_HOLDER'
  /** An Agent holds it, has accepted it, and was active in the last 30 minutes. */
  | 'WORKING';

/** Statuses of a Session. RUNNING and PAUSED are open; the others are final. */
export type SessionStatus =
  /** The work was cancelled. */
  | 'CANCELLED'
  /** The work is done. */
  | 'COMPLETED'
  /** The work failed. */
  | 'FAILED'
  /** The Session was paused, or is unassigned. */
  | 'PAUSED'
  /** An Agent holds the Session and may work on it. */
  | 'RUNNING';

/** Where the work is done. Null fields are unknown. */
export type SessionWorkspaceInput = {
  /** The git branch: at most 1 KB. */
  branch?: string | null | undefined;
  /** The last git commit, full or shortened: at most 1 KB. */
  commit?: string | null | undefined;
  /** Root of the repository or of the worktree, without one the working folder, as an absolute path without links: at most 1 KB. */
  folder: string;
  /** Name of the machine: at most 1 KB. */
  host: string;
  /** Address of the repository, such as the URL of its remote: at most 1 KB. User and password are removed. */
  repository?: string | null | undefined;
};

/** Input of the mutation of the same name. */
export type SetAgentStatusInput = {
  /** The Agent to change. */
  id: string;
  /** AVAILABLE, DRAINING or OFFLINE. */
  status: AdministrativeStatus;
};

/** Input of the mutation of the same name. */
export type SetTasksInput = {
  /** The Session to write to. It must not be finished. */
  sessionId: string;
  /** The whole list in order, at most 500 Tasks. An empty list removes all. */
  tasks: Array<NewTaskInput>;
};

/** Reasons why no Agent can go on with an open Session until a person acts. */
export type StuckReason =
  /** It waits in the queue until an operator chooses the Agent: call reassignSession. */
  | 'ESCALATED'
  /** Its holder is OFFLINE or archived: call reassignSession or setAgentStatus. */
  | 'HOLDER_AWAY'
  /** Agents started as many Handoffs since the last act of an operator as `maxHandoffs` allows; in a pipeline, as often sent work back: call reassignSession or updateSession. */
  | 'MAX_HANDOFFS'
  /** It waits in the queue, and no AVAILABLE Agent that may get it has the type and role that it waits for: register one, make one available, or call reassignSession. */
  | 'NO_AGENT'
  /** No Agent holds it and it is not in the queue: call reassignSession. */
  | 'UNASSIGNED';

/** Statuses of a Task. */
export type TaskStatus =
  /** Done. Later Handoffs do not carry it. */
  | 'DONE'
  /** In progress. */
  | 'IN_PROGRESS'
  /** Not started. */
  | 'PENDING';

/** Formats in which models get the definitions of their tools. */
export type ToolFormat =
  /** `tools` of the Anthropic Messages API. */
  | 'ANTHROPIC'
  /** `tools` of the answer to `tools/list` of the Model Context Protocol. */
  | 'MCP'
  /** `tools` of OpenAI Chat Completions, and of the many servers with the same API. */
  | 'OPENAI_CHAT'
  /** `tools` of the OpenAI Responses API. */
  | 'OPENAI_RESPONSES';

export type AgentFieldsFragment = { id: string, type: string, name: string, role: string | null, status: AgentStatus, currentLoad: number, maxCapacity: number };

export type SessionFieldsFragment = { id: string, title: string, status: SessionStatus, version: number, agent: { id: string } | null };

export type HandoffFieldsFragment = { id: string, status: HandoffStatus, reason: string | null, initiatedAt: string, deadlineAt: string, sourceAgent: { id: string } | null, targetAgent: { id: string }, session: { id: string, title: string } };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { role: Role | null, agent: { id: string } | null, key: { name: string, expiresAt: string | null } | null } };

export type AgentsQueryVariables = Exact<{
  where?: AgentFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type AgentsQuery = { agents: { nodes: Array<{ id: string, type: string, name: string, role: string | null, status: AgentStatus, currentLoad: number, maxCapacity: number }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type SessionsQueryVariables = Exact<{
  where?: SessionFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type SessionsQuery = { sessions: { nodes: Array<{ id: string, title: string, status: SessionStatus, version: number, agent: { id: string } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type SessionQueryVariables = Exact<{
  id: string;
}>;


export type SessionQuery = { session: { id: string, title: string, status: SessionStatus, version: number, openHandoff: { id: string, status: HandoffStatus, reason: string | null, initiatedAt: string, deadlineAt: string, sourceAgent: { id: string } | null, targetAgent: { id: string }, session: { id: string, title: string } } | null, agent: { id: string } | null } | null };

export type HandoffsQueryVariables = Exact<{
  where?: HandoffFilter | null | undefined;
  orderBy?: HandoffOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type HandoffsQuery = { handoffs: { nodes: Array<{ id: string, status: HandoffStatus, reason: string | null, initiatedAt: string, deadlineAt: string, sourceAgent: { id: string } | null, targetAgent: { id: string }, session: { id: string, title: string } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type HandoffQueryVariables = Exact<{
  id: string;
  maxTokens?: number | null | undefined;
}>;


export type HandoffQuery = { handoff: { summary: string, id: string, status: HandoffStatus, reason: string | null, initiatedAt: string, deadlineAt: string, contextPrompt: { text: string, tokenEstimate: number }, sourceAgent: { id: string } | null, targetAgent: { id: string }, session: { id: string, title: string } } | null };

export type RegisterAgentMutationVariables = Exact<{
  input: RegisterAgentInput;
}>;


export type RegisterAgentMutation = { answer:
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { agent: { id: string, type: string, name: string, role: string | null, status: AgentStatus, currentLoad: number, maxCapacity: number } }
   };

export type SetAgentStatusMutationVariables = Exact<{
  input: SetAgentStatusInput;
}>;


export type SetAgentStatusMutation = { answer:
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { agent: { id: string, type: string, name: string, role: string | null, status: AgentStatus, currentLoad: number, maxCapacity: number } }
   };

export type CreateSessionMutationVariables = Exact<{
  input: CreateSessionInput;
}>;


export type CreateSessionMutation = { answer:
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { session: { id: string, title: string, status: SessionStatus, version: number, agent: { id: string } | null } }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
   };

export type CompleteSessionMutationVariables = Exact<{
  input: CompleteSessionInput;
}>;


export type CompleteSessionMutation = { answer:
    | { code: ErrorCode, message: string }
    | { session: { id: string, title: string, status: SessionStatus, version: number, agent: { id: string } | null } }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
   };

export type FailSessionMutationVariables = Exact<{
  input: FailSessionInput;
}>;


export type FailSessionMutation = { answer:
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { session: { id: string, title: string, status: SessionStatus, version: number, agent: { id: string } | null } }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
   };

export type AppendTurnMutationVariables = Exact<{
  input: AppendTurnInput;
}>;


export type AppendTurnMutation = { answer:
    | { turn: { id: string, index: number } }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
   };

export type RecordDecisionMutationVariables = Exact<{
  input: RecordDecisionInput;
}>;


export type RecordDecisionMutation = { answer:
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { decision: { id: string } }
   };

export type SetTasksMutationVariables = Exact<{
  input: SetTasksInput;
}>;


export type SetTasksMutation = { answer:
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { tasks: Array<{ id: string, status: TaskStatus }> }
   };

export type InitiateHandoffMutationVariables = Exact<{
  input: InitiateHandoffInput;
}>;


export type InitiateHandoffMutation = { answer:
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { handoff: { id: string, status: HandoffStatus, reason: string | null, initiatedAt: string, deadlineAt: string, sourceAgent: { id: string } | null, targetAgent: { id: string }, session: { id: string, title: string } } | null, session: { id: string, title: string, status: SessionStatus, version: number, agent: { id: string } | null } }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
   };

export type ReassignSessionMutationVariables = Exact<{
  input: ReassignSessionInput;
}>;


export type ReassignSessionMutation = { answer:
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { message: string, handoffCreated: boolean, handoff: { id: string, status: HandoffStatus, reason: string | null, initiatedAt: string, deadlineAt: string, sourceAgent: { id: string } | null, targetAgent: { id: string }, session: { id: string, title: string } } | null, session: { id: string, title: string, status: SessionStatus, version: number, agent: { id: string } | null } }
   };

export type AcceptHandoffMutationVariables = Exact<{
  input: AcceptHandoffInput;
  maxTokens?: number | null | undefined;
}>;


export type AcceptHandoffMutation = { answer:
    | { handoff: { id: string, status: HandoffStatus, reason: string | null, initiatedAt: string, deadlineAt: string, contextPrompt: { text: string, tokenEstimate: number }, targetAgentSession: { id: string, traceparent: string } | null, workspace: { branch: string | null, commit: string | null } | null, session: { id: string, title: string, workspace: { id: string | null, host: string | null, folder: string | null, repository: string | null, branch: string | null, commit: string | null } | null, workingTree: { branch: string | null, commit: string | null, status: string, takenAt: string } | null }, sourceAgent: { id: string } | null, targetAgent: { id: string } }, session: { id: string, title: string, status: SessionStatus, version: number, agent: { id: string } | null } }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
   };

export type RejectHandoffMutationVariables = Exact<{
  input: RejectHandoffInput;
}>;


export type RejectHandoffMutation = { answer:
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
    | { handoff: { id: string, status: HandoffStatus, reason: string | null, initiatedAt: string, deadlineAt: string, sourceAgent: { id: string } | null, targetAgent: { id: string }, session: { id: string, title: string } }, session: { id: string, title: string, status: SessionStatus, version: number, agent: { id: string } | null } }
   };

export type CompleteHandoffMutationVariables = Exact<{
  input: CompleteHandoffInput;
}>;


export type CompleteHandoffMutation = { answer:
    | { code: ErrorCode, message: string }
    | { handoff: { id: string, status: HandoffStatus, reason: string | null, initiatedAt: string, deadlineAt: string, sourceAgent: { id: string } | null, targetAgent: { id: string }, session: { id: string, title: string } }, session: { id: string, title: string, status: SessionStatus, version: number, agent: { id: string } | null } }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
   };

export type FailHandoffMutationVariables = Exact<{
  input: FailHandoffInput;
}>;


export type FailHandoffMutation = { answer:
    | { code: ErrorCode, message: string }
    | { handoff: { id: string, status: HandoffStatus, reason: string | null, initiatedAt: string, deadlineAt: string, sourceAgent: { id: string } | null, targetAgent: { id: string }, session: { id: string, title: string } }, session: { id: string, title: string, status: SessionStatus, version: number, agent: { id: string } | null } }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
   };

export type CancelHandoffMutationVariables = Exact<{
  input: CancelHandoffInput;
}>;


export type CancelHandoffMutation = { answer:
    | { code: ErrorCode, message: string }
    | { handoff: { id: string, status: HandoffStatus, reason: string | null, initiatedAt: string, deadlineAt: string, sourceAgent: { id: string } | null, targetAgent: { id: string }, session: { id: string, title: string } }, session: { id: string, title: string, status: SessionStatus, version: number, agent: { id: string } | null } }
    | { code: ErrorCode, message: string }
    | { code: ErrorCode, message: string }
   };

export type HandoffToolsQueryVariables = Exact<{
  agentId: string;
  format: ToolFormat;
}>;


export type HandoffToolsQuery = { agent: { handoffToolDefinitions: unknown } | null };

export type ToolResultFieldsFragment = { callId: string | null, content: string, isError: boolean };

export type ExecuteHandoffsMutationVariables = Exact<{
  input: ExecuteHandoffsInput;
}>;


export type ExecuteHandoffsMutation = { executeHandoffs:
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { toolResult: { callId: string | null, content: string, isError: boolean } | null, others: Array<{ callId: string | null, content: string, isError: boolean }>, handoff: { id: string, status: HandoffStatus, reason: string | null, initiatedAt: string, deadlineAt: string, sourceAgent: { id: string } | null, targetAgent: { id: string }, session: { id: string, title: string } } }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
   };

export type ExecuteHandoffToolMutationVariables = Exact<{
  input: ExecuteHandoffToolInput;
}>;


export type ExecuteHandoffToolMutation = { executeHandoffTool:
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { toolResult: { callId: string | null, content: string, isError: boolean } | null, handoff: { id: string, status: HandoffStatus, reason: string | null, initiatedAt: string, deadlineAt: string, sourceAgent: { id: string } | null, targetAgent: { id: string }, session: { id: string, title: string } } }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
    | { code: ErrorCode, message: string, toolResult: { callId: string | null, content: string, isError: boolean } | null }
   };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const AgentFieldsFragmentDoc = new TypedDocumentString(`
    fragment AgentFields on Agent {
  id
  type
  name
  role
  status
  currentLoad
  maxCapacity
}
    `, {"fragmentName":"AgentFields"}) as unknown as TypedDocumentString<AgentFieldsFragment, unknown>;
export const SessionFieldsFragmentDoc = new TypedDocumentString(`
    fragment SessionFields on Session {
  id
  title
  status
  version
  agent {
    id
  }
}
    `, {"fragmentName":"SessionFields"}) as unknown as TypedDocumentString<SessionFieldsFragment, unknown>;
export const HandoffFieldsFragmentDoc = new TypedDocumentString(`
    fragment HandoffFields on Handoff {
  id
  status
  reason
  sourceAgent {
    id
  }
  targetAgent {
    id
  }
  session {
    id
    title
  }
  initiatedAt
  deadlineAt
}
    `, {"fragmentName":"HandoffFields"}) as unknown as TypedDocumentString<HandoffFieldsFragment, unknown>;
export const ToolResultFieldsFragmentDoc = new TypedDocumentString(`
    fragment ToolResultFields on ToolResult {
  callId
  content
  isError
}
    `, {"fragmentName":"ToolResultFields"}) as unknown as TypedDocumentString<ToolResultFieldsFragment, unknown>;
export const ViewerDocument = new TypedDocumentString(`
    query Viewer {
  viewer {
    role
    agent {
      id
    }
    key {
      name
      expiresAt
    }
  }
}
    `) as unknown as TypedDocumentString<ViewerQuery, ViewerQueryVariables>;
export const AgentsDocument = new TypedDocumentString(`
    query Agents($where: AgentFilter, $first: Int, $after: String) {
  agents(where: $where, first: $first, after: $after) {
    nodes {
      ...AgentFields
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment AgentFields on Agent {
  id
  type
  name
  role
  status
  currentLoad
  maxCapacity
}`) as unknown as TypedDocumentString<AgentsQuery, AgentsQueryVariables>;
export const SessionsDocument = new TypedDocumentString(`
    query Sessions($where: SessionFilter, $first: Int, $after: String) {
  sessions(where: $where, first: $first, after: $after) {
    nodes {
      ...SessionFields
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment SessionFields on Session {
  id
  title
  status
  version
  agent {
    id
  }
}`) as unknown as TypedDocumentString<SessionsQuery, SessionsQueryVariables>;
export const SessionDocument = new TypedDocumentString(`
    query Session($id: ID!) {
  session(id: $id) {
    ...SessionFields
    openHandoff {
      ...HandoffFields
    }
  }
}
    fragment SessionFields on Session {
  id
  title
  status
  version
  agent {
    id
  }
}
fragment HandoffFields on Handoff {
  id
  status
  reason
  sourceAgent {
    id
  }
  targetAgent {
    id
  }
  session {
    id
    title
  }
  initiatedAt
  deadlineAt
}`) as unknown as TypedDocumentString<SessionQuery, SessionQueryVariables>;
export const HandoffsDocument = new TypedDocumentString(`
    query Handoffs($where: HandoffFilter, $orderBy: HandoffOrder, $first: Int, $after: String) {
  handoffs(where: $where, orderBy: $orderBy, first: $first, after: $after) {
    nodes {
      ...HandoffFields
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment HandoffFields on Handoff {
  id
  status
  reason
  sourceAgent {
    id
  }
  targetAgent {
    id
  }
  session {
    id
    title
  }
  initiatedAt
  deadlineAt
}`) as unknown as TypedDocumentString<HandoffsQuery, HandoffsQueryVariables>;
export const HandoffDocument = new TypedDocumentString(`
    query Handoff($id: ID!, $maxTokens: Int) {
  handoff(id: $id) {
    ...HandoffFields
    summary
    contextPrompt(maxTokens: $maxTokens) {
      text
      tokenEstimate
    }
  }
}
    fragment HandoffFields on Handoff {
  id
  status
  reason
  sourceAgent {
    id
  }
  targetAgent {
    id
  }
  session {
    id
    title
  }
  initiatedAt
  deadlineAt
}`) as unknown as TypedDocumentString<HandoffQuery, HandoffQueryVariables>;
export const RegisterAgentDocument = new TypedDocumentString(`
    mutation RegisterAgent($input: RegisterAgentInput!) {
  answer: registerAgent(input: $input) {
    ... on RegisterAgentPayload {
      agent {
        ...AgentFields
      }
    }
    ... on Error {
      code
      message
    }
  }
}
    fragment AgentFields on Agent {
  id
  type
  name
  role
  status
  currentLoad
  maxCapacity
}`) as unknown as TypedDocumentString<RegisterAgentMutation, RegisterAgentMutationVariables>;
export const SetAgentStatusDocument = new TypedDocumentString(`
    mutation SetAgentStatus($input: SetAgentStatusInput!) {
  answer: setAgentStatus(input: $input) {
    ... on SetAgentStatusPayload {
      agent {
        ...AgentFields
      }
    }
    ... on Error {
      code
      message
    }
  }
}
    fragment AgentFields on Agent {
  id
  type
  name
  role
  status
  currentLoad
  maxCapacity
}`) as unknown as TypedDocumentString<SetAgentStatusMutation, SetAgentStatusMutationVariables>;
export const CreateSessionDocument = new TypedDocumentString(`
    mutation CreateSession($input: CreateSessionInput!) {
  answer: createSession(input: $input) {
    ... on CreateSessionPayload {
      session {
        ...SessionFields
      }
    }
    ... on Error {
      code
      message
    }
  }
}
    fragment SessionFields on Session {
  id
  title
  status
  version
  agent {
    id
  }
}`) as unknown as TypedDocumentString<CreateSessionMutation, CreateSessionMutationVariables>;
export const CompleteSessionDocument = new TypedDocumentString(`
    mutation CompleteSession($input: CompleteSessionInput!) {
  answer: completeSession(input: $input) {
    ... on CompleteSessionPayload {
      session {
        ...SessionFields
      }
    }
    ... on Error {
      code
      message
    }
  }
}
    fragment SessionFields on Session {
  id
  title
  status
  version
  agent {
    id
  }
}`) as unknown as TypedDocumentString<CompleteSessionMutation, CompleteSessionMutationVariables>;
export const FailSessionDocument = new TypedDocumentString(`
    mutation FailSession($input: FailSessionInput!) {
  answer: failSession(input: $input) {
    ... on FailSessionPayload {
      session {
        ...SessionFields
      }
    }
    ... on Error {
      code
      message
    }
  }
}
    fragment SessionFields on Session {
  id
  title
  status
  version
  agent {
    id
  }
}`) as unknown as TypedDocumentString<FailSessionMutation, FailSessionMutationVariables>;
export const AppendTurnDocument = new TypedDocumentString(`
    mutation AppendTurn($input: AppendTurnInput!) {
  answer: appendTurn(input: $input) {
    ... on AppendTurnPayload {
      turn {
        id
        index
      }
    }
    ... on Error {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<AppendTurnMutation, AppendTurnMutationVariables>;
export const RecordDecisionDocument = new TypedDocumentString(`
    mutation RecordDecision($input: RecordDecisionInput!) {
  answer: recordDecision(input: $input) {
    ... on RecordDecisionPayload {
      decision {
        id
      }
    }
    ... on Error {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<RecordDecisionMutation, RecordDecisionMutationVariables>;
export const SetTasksDocument = new TypedDocumentString(`
    mutation SetTasks($input: SetTasksInput!) {
  answer: setTasks(input: $input) {
    ... on SetTasksPayload {
      tasks {
        id
        status
      }
    }
    ... on Error {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<SetTasksMutation, SetTasksMutationVariables>;
export const InitiateHandoffDocument = new TypedDocumentString(`
    mutation InitiateHandoff($input: InitiateHandoffInput!) {
  answer: initiateHandoff(input: $input) {
    ... on InitiateHandoffPayload {
      handoff {
        ...HandoffFields
      }
      session {
        ...SessionFields
      }
    }
    ... on Error {
      code
      message
    }
  }
}
    fragment SessionFields on Session {
  id
  title
  status
  version
  agent {
    id
  }
}
fragment HandoffFields on Handoff {
  id
  status
  reason
  sourceAgent {
    id
  }
  targetAgent {
    id
  }
  session {
    id
    title
  }
  initiatedAt
  deadlineAt
}`) as unknown as TypedDocumentString<InitiateHandoffMutation, InitiateHandoffMutationVariables>;
export const ReassignSessionDocument = new TypedDocumentString(`
    mutation ReassignSession($input: ReassignSessionInput!) {
  answer: reassignSession(input: $input) {
    ... on ReassignSessionPayload {
      message
      handoffCreated
      handoff {
        ...HandoffFields
      }
      session {
        ...SessionFields
      }
    }
    ... on Error {
      code
      message
    }
  }
}
    fragment SessionFields on Session {
  id
  title
  status
  version
  agent {
    id
  }
}
fragment HandoffFields on Handoff {
  id
  status
  reason
  sourceAgent {
    id
  }
  targetAgent {
    id
  }
  session {
    id
    title
  }
  initiatedAt
  deadlineAt
}`) as unknown as TypedDocumentString<ReassignSessionMutation, ReassignSessionMutationVariables>;
export const AcceptHandoffDocument = new TypedDocumentString(`
    mutation AcceptHandoff($input: AcceptHandoffInput!, $maxTokens: Int) {
  answer: acceptHandoff(input: $input) {
    ... on AcceptHandoffPayload {
      handoff {
        ...HandoffFields
        contextPrompt(maxTokens: $maxTokens) {
          text
          tokenEstimate
        }
        targetAgentSession {
          id
          traceparent
        }
        workspace {
          branch
          commit
        }
        session {
          workspace {
            id
            host
            folder
            repository
            branch
            commit
          }
          workingTree {
            branch
            commit
            status
            takenAt
          }
        }
      }
      session {
        ...SessionFields
      }
    }
    ... on Error {
      code
      message
    }
  }
}
    fragment SessionFields on Session {
  id
  title
  status
  version
  agent {
    id
  }
}
fragment HandoffFields on Handoff {
  id
  status
  reason
  sourceAgent {
    id
  }
  targetAgent {
    id
  }
  session {
    id
    title
  }
  initiatedAt
  deadlineAt
}`) as unknown as TypedDocumentString<AcceptHandoffMutation, AcceptHandoffMutationVariables>;
export const RejectHandoffDocument = new TypedDocumentString(`
    mutation RejectHandoff($input: RejectHandoffInput!) {
  answer: rejectHandoff(input: $input) {
    ... on RejectHandoffPayload {
      handoff {
        ...HandoffFields
      }
      session {
        ...SessionFields
      }
    }
    ... on Error {
      code
      message
    }
  }
}
    fragment SessionFields on Session {
  id
  title
  status
  version
  agent {
    id
  }
}
fragment HandoffFields on Handoff {
  id
  status
  reason
  sourceAgent {
    id
  }
  targetAgent {
    id
  }
  session {
    id
    title
  }
  initiatedAt
  deadlineAt
}`) as unknown as TypedDocumentString<RejectHandoffMutation, RejectHandoffMutationVariables>;
export const CompleteHandoffDocument = new TypedDocumentString(`
    mutation CompleteHandoff($input: CompleteHandoffInput!) {
  answer: completeHandoff(input: $input) {
    ... on CompleteHandoffPayload {
      handoff {
        ...HandoffFields
      }
      session {
        ...SessionFields
      }
    }
    ... on Error {
      code
      message
    }
  }
}
    fragment SessionFields on Session {
  id
  title
  status
  version
  agent {
    id
  }
}
fragment HandoffFields on Handoff {
  id
  status
  reason
  sourceAgent {
    id
  }
  targetAgent {
    id
  }
  session {
    id
    title
  }
  initiatedAt
  deadlineAt
}`) as unknown as TypedDocumentString<CompleteHandoffMutation, CompleteHandoffMutationVariables>;
export const FailHandoffDocument = new TypedDocumentString(`
    mutation FailHandoff($input: FailHandoffInput!) {
  answer: failHandoff(input: $input) {
    ... on FailHandoffPayload {
      handoff {
        ...HandoffFields
      }
      session {
        ...SessionFields
      }
    }
    ... on Error {
      code
      message
    }
  }
}
    fragment SessionFields on Session {
  id
  title
  status
  version
  agent {
    id
  }
}
fragment HandoffFields on Handoff {
  id
  status
  reason
  sourceAgent {
    id
  }
  targetAgent {
    id
  }
  session {
    id
    title
  }
  initiatedAt
  deadlineAt
}`) as unknown as TypedDocumentString<FailHandoffMutation, FailHandoffMutationVariables>;
export const CancelHandoffDocument = new TypedDocumentString(`
    mutation CancelHandoff($input: CancelHandoffInput!) {
  answer: cancelHandoff(input: $input) {
    ... on CancelHandoffPayload {
      handoff {
        ...HandoffFields
      }
      session {
        ...SessionFields
      }
    }
    ... on Error {
      code
      message
    }
  }
}
    fragment SessionFields on Session {
  id
  title
  status
  version
  agent {
    id
  }
}
fragment HandoffFields on Handoff {
  id
  status
  reason
  sourceAgent {
    id
  }
  targetAgent {
    id
  }
  session {
    id
    title
  }
  initiatedAt
  deadlineAt
}`) as unknown as TypedDocumentString<CancelHandoffMutation, CancelHandoffMutationVariables>;
export const HandoffToolsDocument = new TypedDocumentString(`
    query HandoffTools($agentId: ID!, $format: ToolFormat!) {
  agent(id: $agentId) {
    handoffToolDefinitions(format: $format, onlyAvailable: true)
  }
}
    `) as unknown as TypedDocumentString<HandoffToolsQuery, HandoffToolsQueryVariables>;
export const ExecuteHandoffsDocument = new TypedDocumentString(`
    mutation ExecuteHandoffs($input: ExecuteHandoffsInput!) {
  executeHandoffs(input: $input) {
    ... on ExecuteHandoffsPayload {
      toolResult {
        ...ToolResultFields
      }
      others {
        ...ToolResultFields
      }
      handoff {
        ...HandoffFields
      }
    }
    ... on Error {
      code
      message
      toolResult {
        ...ToolResultFields
      }
    }
  }
}
    fragment HandoffFields on Handoff {
  id
  status
  reason
  sourceAgent {
    id
  }
  targetAgent {
    id
  }
  session {
    id
    title
  }
  initiatedAt
  deadlineAt
}
fragment ToolResultFields on ToolResult {
  callId
  content
  isError
}`) as unknown as TypedDocumentString<ExecuteHandoffsMutation, ExecuteHandoffsMutationVariables>;
export const ExecuteHandoffToolDocument = new TypedDocumentString(`
    mutation ExecuteHandoffTool($input: ExecuteHandoffToolInput!) {
  executeHandoffTool(input: $input) {
    ... on ExecuteHandoffToolPayload {
      toolResult {
        ...ToolResultFields
      }
      handoff {
        ...HandoffFields
      }
    }
    ... on Error {
      code
      message
      toolResult {
        ...ToolResultFields
      }
    }
  }
}
    fragment HandoffFields on Handoff {
  id
  status
  reason
  sourceAgent {
    id
  }
  targetAgent {
    id
  }
  session {
    id
    title
  }
  initiatedAt
  deadlineAt
}
fragment ToolResultFields on ToolResult {
  callId
  content
  isError
}`) as unknown as TypedDocumentString<ExecuteHandoffToolMutation, ExecuteHandoffToolMutationVariables>;