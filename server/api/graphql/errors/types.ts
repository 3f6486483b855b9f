import {
  AgentAtCapacityError,
  AgentRoleMismatchError,
  AgentTypeMismatchError,
  AgentUnavailableError,
  AlreadyAssignedError,
  BadUserInputError,
  ConflictError,
  type DomainError,
  HandoffLoopError,
  type HandoffStep,
  HandoffsDisabledError,
  IdempotencyMismatchError,
  InvalidStateError,
  LimitExceededError,
  MaxHandoffsReachedError,
  NoAgentAvailableError,
  NotACollaboratorError,
  NoHandoffFoundError,
  InvalidPayloadError,
  InvalidToolArgumentsError,
  NotFoundError,
  TenureClaimedError,
  type ArgumentProblem,
  type TargetCandidate,
  type ToolResult as ToolResultOf,
  TransitionNotAllowedError,
  UnknownHandoffTargetError,
} from '../../../core/errors.ts';
import { builder } from '../builder.ts';
import { partOfRecord } from '../declared.ts';
import { AdministrativeStatus, HandoffStatus } from '../enums.ts';

export const ErrorCode = builder.enumType('ErrorCode', {
  description:
    'Codes of refused mutations. Each code has an error type with its data: AGENT_AT_CAPACITY is AgentAtCapacityError.',
  values: {
    BAD_USER_INPUT: { description: 'An id or a value is malformed.' },
    NOT_FOUND: { description: 'The record does not exist, or the caller may not read it.' },
    CONFLICT: {
      description: 'The record has another version or Context than expected, or the id or external id is taken.',
    },
    INVALID_STATE: { description: 'The state of the record does not allow the change.' },
    ALREADY_ASSIGNED: { description: 'The agent already holds the Session.' },
    AGENT_UNAVAILABLE: { description: 'The agent is draining, offline or archived.' },
    AGENT_AT_CAPACITY: { description: 'The agent is at its capacity.' },
    AGENT_TYPE_MISMATCH: { description: 'The agent does not have the requested type.' },
    NO_AGENT_AVAILABLE: { description: 'No agent of the type or role is available with a free place.' },
    HANDOFFS_DISABLED: { description: 'Agents may not hand off this Session.' },
    NOT_A_COLLABORATOR: { description: 'The agent may not hand off to the target.' },
    MAX_HANDOFFS_REACHED: { description: 'Agents have reached the number of handoffs allowed in this Session.' },
    HANDOFF_LOOP: { description: 'The same handoff was made before with nothing new since.' },
    IDEMPOTENCY_MISMATCH: { description: 'The idempotency key was used with another mutation or input.' },
    LIMIT_EXCEEDED: { description: 'The input has more items than one request may carry.' },
    UNKNOWN_HANDOFF_TARGET: { description: 'The call names no agent or tool that the agent may call.' },
    INVALID_TOOL_ARGUMENTS: { description: 'The arguments of the call do not match the schema of the tool.' },
    NO_HANDOFF_FOUND: { description: "The model's answer has no call of a handoff tool." },
    AGENT_ROLE_MISMATCH: { description: "The agent does not have the role of the Session's stage." },
    TRANSITION_NOT_ALLOWED: { description: 'The pipeline has no such transition from the stage.' },
    INVALID_PAYLOAD: { description: 'The payload does not match the schema of the transition or stage.' },
    TENURE_CLAIMED: { description: 'Another runner works in the tenure.' },
  },
});

export const ToolResult = builder.objectRef<ToolResultOf>('ToolResult').implement({
  access: 'inherit',
  description: "The answer to a model's call of a tool, in the words to give back to the model.",
  fields: (t) => ({
    callId: t.exposeString('callId', {
      nullable: true,
      description: 'Id that the provider gave to the call; null when it gave none.',
    }),
    content: t.exposeString('content', {
      description: 'Text for the model. Of an error it says how to correct the call.',
    }),
    isError: t.exposeBoolean('isError', { description: 'Whether the call was refused.' }),
  }),
});

export const ErrorInterface = builder.interfaceRef<DomainError>('Error').implement({
  description: 'Why a mutation was refused. Nothing was changed.',
  fields: (t) => ({
    message: t.exposeString('message', {
      description: 'States the problem and what to do, for people. The wording may change.',
    }),
    code: t.expose('code', { type: ErrorCode, description: 'Code of the error, for programs.' }),
    toolResult: t.field({
      type: ToolResult,
      nullable: true,
      description:
        'What to give back to the model, from executeHandoffTool and executeHandoffs; null from other mutations.',
      resolve: ({ toolResult }) => toolResult ?? null,
    }),
  }),
});

const refusal = { interfaces: [ErrorInterface], access: 'inherit' as const };

builder.objectType(BadUserInputError, {
  name: 'BadUserInputError',
  description: 'An id or a value is malformed.',
  ...refusal,
  fields: (t) => ({
    path: t.stringList({
      description:
        'Path to the value, starting at the arguments, with list positions as numbers: ["input", "tasks", "0", "content"].',
      resolve: ({ path }) => [...path],
    }),
  }),
});

const Candidate = builder.objectRef<TargetCandidate>('TargetCandidate').implement({
  access: 'inherit',
  description: 'An Agent that may have been meant as the target of a handoff.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the Agent.' }),
    name: t.exposeString('name', { description: 'Display name of the Agent.' }),
    why: t.exposeString('why', {
      description:
        'Why it may get the Session: a collaborator and when, the Agent from which the Session came, the stage that it fits and the outcome; with its role and type, and what keeps it from taking work now.',
    }),
  }),
});
const candidates = 'Agents that may have been meant, at most 20: those that the Session may go to, nearest name first.';

builder.objectType(NotFoundError, {
  name: 'NotFoundError',
  description: 'The record does not exist, or the caller may not read it. The two look the same.',
  ...refusal,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id as the caller wrote it.' }),
    candidates: t.field({
      type: [Candidate],
      listSize: partOfRecord,
      description: `${candidates} Empty when the record is not the target of a handoff.`,
      resolve: (error) => [...error.candidates],
    }),
  }),
});

builder.objectType(ConflictError, {
  name: 'ConflictError',
  description: 'The record has another version than expected, or the id or external id is taken.',
  ...refusal,
  fields: (t) => ({
    expectedVersion: t.exposeInt('expectedVersion', {
      nullable: true,
      description: 'Version that the caller expected; null when the conflict is about an id.',
    }),
    actualVersion: t.exposeInt('actualVersion', {
      nullable: true,
      description: 'Current version of the record; null when the conflict is about an id.',
    }),
    sessionId: t.exposeID('sessionId', {
      nullable: true,
      description: 'Id of the open Session that has the external id; null for other conflicts.',
    }),
    contentHash: t.exposeString('contentHash', {
      nullable: true,
      description: 'Hash of the Context that a proposed Handoff would pass on now; null for other conflicts.',
    }),
  }),
});

builder.objectType(InvalidStateError, {
  name: 'InvalidStateError',
  description: 'The state of the record does not allow the change.',
  ...refusal,
  fields: (t) => ({
    state: t.exposeString('state', {
      description:
        'Current state: a value of its enum, or UNASSIGNED, ARCHIVED, TOKEN_BUDGET_USED, or LOAD and the number of Sessions held.',
    }),
    allowed: t.stringList({
      description: 'States that allow the change; empty when no state does.',
      resolve: ({ allowed }) => [...allowed],
    }),
  }),
});

builder.objectType(AlreadyAssignedError, {
  name: 'AlreadyAssignedError',
  description: 'The agent already holds the Session.',
  ...refusal,
  fields: (t) => ({ agentId: t.exposeID('agentId', { description: 'Id of the agent that holds the Session.' }) }),
});

builder.objectType(AgentUnavailableError, {
  name: 'AgentUnavailableError',
  description: 'The agent is draining, offline or archived.',
  ...refusal,
  fields: (t) => ({
    agentId: t.exposeID('agentId', { description: 'Id of the agent that was requested.' }),
    status: t.expose('status', {
      type: AdministrativeStatus,
      description: 'Administrative status of the agent: DRAINING or OFFLINE. An archived agent counts as OFFLINE.',
    }),
  }),
});

builder.objectType(AgentAtCapacityError, {
  name: 'AgentAtCapacityError',
  description: 'The agent is at its capacity.',
  ...refusal,
  fields: (t) => ({
    agentId: t.exposeID('agentId', { description: 'Id of the agent that was requested.' }),
    currentLoad: t.exposeInt('currentLoad', {
      description: 'Number of RUNNING and PAUSED Sessions that the Agent holds.',
    }),
    maxCapacity: t.exposeInt('maxCapacity', {
      description: 'Greatest number of Sessions that the agent may hold at once.',
    }),
  }),
});

builder.objectType(AgentTypeMismatchError, {
  name: 'AgentTypeMismatchError',
  description: 'The agent does not have the requested type.',
  ...refusal,
  fields: (t) => ({
    agentId: t.exposeID('agentId', { description: 'Id of the agent that was requested.' }),
    expectedType: t.exposeString('expectedType', { description: 'The type that was requested.' }),
    actualType: t.exposeString('actualType', { description: 'Type of the agent.' }),
  }),
});

builder.objectType(NoAgentAvailableError, {
  name: 'NoAgentAvailableError',
  description: 'No agent of the type or role is available with a free place.',
  ...refusal,
  fields: (t) => ({
    agentType: t.exposeString('agentType', {
      nullable: true,
      description: 'The type that was requested, or that the stage needs; null for any type.',
    }),
    role: t.exposeString('role', {
      nullable: true,
      description: 'The role that the stage needs; null for any role, and outside of pipelines.',
    }),
  }),
});

builder.objectType(HandoffsDisabledError, {
  name: 'HandoffsDisabledError',
  description: 'Agents may not hand off this Session. An operator may reassign it.',
  ...refusal,
});

builder.objectType(NotACollaboratorError, {
  name: 'NotACollaboratorError',
  description: 'The agent may not hand off to the target.',
  ...refusal,
  fields: (t) => ({
    agentId: t.exposeID('agentId', { description: 'Id of the agent that holds the Session.' }),
    targetAgentId: t.exposeID('targetAgentId', { description: 'Id of the requested target.' }),
    collaborators: t.idList({
      description:
        'Ids of the agents that it may hand off to: its collaborators, and the agent from which the Session came.',
      resolve: ({ collaborators }) => [...collaborators],
    }),
  }),
});

const Step = builder.objectRef<HandoffStep>('HandoffStep').implement({
  access: 'inherit',
  description: 'A Handoff of the chain that led to a refusal.',
  fields: (t) => ({
    from: t.exposeID('from', {
      nullable: true,
      description: 'Id of the source Agent; null when the Session was unassigned.',
    }),
    to: t.exposeID('to', { description: 'Id of the target Agent.' }),
    at: t.expose('at', { type: 'DateTime', description: 'Time at which the Handoff was started.' }),
    status: t.expose('status', { type: HandoffStatus, description: 'Current status of the Handoff.' }),
  }),
});
const chain = 'The Handoffs since the last act of an operator, oldest first; the newest 100.';

builder.objectType(MaxHandoffsReachedError, {
  name: 'MaxHandoffsReachedError',
  description: 'Agents have reached the number of handoffs allowed in this Session. An operator has to reassign it.',
  ...refusal,
  fields: (t) => ({
    count: t.exposeInt('count', {
      description: 'Number of handoffs that agents started since the last act of an operator.',
    }),
    maxHandoffs: t.exposeInt('maxHandoffs', {
      description: 'Number of handoffs that agents may start before an operator has to step in.',
    }),
    chain: t.field({ type: [Step], listSize: partOfRecord, description: chain, resolve: (error) => [...error.chain] }),
  }),
});

builder.objectType(HandoffLoopError, {
  name: 'HandoffLoopError',
  description: 'The same handoff was made before with nothing new since.',
  ...refusal,
  fields: (t) => ({
    agentId: t.exposeID('agentId', { description: 'Id of the agent that holds the Session.' }),
    targetAgentId: t.exposeID('targetAgentId', { description: 'Id of the target of the earlier handoff.' }),
    chain: t.field({ type: [Step], listSize: partOfRecord, description: chain, resolve: (error) => [...error.chain] }),
  }),
});

builder.objectType(IdempotencyMismatchError, {
  name: 'IdempotencyMismatchError',
  description: 'The idempotency key was used with another mutation or input within the last 24 hours.',
  ...refusal,
  fields: (t) => ({
    idempotencyKey: t.exposeString('idempotencyKey', { description: 'The key, as the caller gave it.' }),
  }),
});

builder.objectType(LimitExceededError, {
  name: 'LimitExceededError',
  description: 'The input has more items than one request may carry.',
  ...refusal,
  fields: (t) => ({
    limit: t.exposeInt('limit', { description: 'Greatest number allowed.' }),
    actual: t.exposeInt('actual', { description: 'Number of items in the input.' }),
  }),
});

builder.objectType(UnknownHandoffTargetError, {
  name: 'UnknownHandoffTargetError',
  description: 'The call names no agent or tool that the agent may call.',
  ...refusal,
  fields: (t) => ({
    target: t.exposeString('target', { description: 'The agent or tool as the call names it.' }),
    suggestions: t.stringList({
      description: 'Ids of agents, or names of tools, that may have been meant, nearest first.',
      resolve: ({ suggestions }) => [...suggestions],
    }),
    candidates: t.field({
      type: [Candidate],
      listSize: partOfRecord,
      description: candidates,
      resolve: (error) => [...error.candidates],
    }),
  }),
});

const Problem = builder.objectRef<ArgumentProblem>('ToolArgumentProblem').implement({
  access: 'inherit',
  description: 'Why an argument of a call is not accepted.',
  fields: (t) => ({
    path: t.stringList({
      description: 'Path in the arguments; empty when the problem is all of them.',
      resolve: ({ path }) => [...path],
    }),
    message: t.exposeString('message', { description: 'States the problem and what to give.' }),
  }),
});

builder.objectType(InvalidToolArgumentsError, {
  name: 'InvalidToolArgumentsError',
  description: 'The arguments of the call do not match the schema of the tool.',
  ...refusal,
  fields: (t) => ({
    toolName: t.exposeString('toolName', { description: 'Name of the tool.' }),
    problems: t.field({
      type: [Problem],
      listSize: partOfRecord,
      description: 'The problems, at most 20.',
      resolve: ({ problems }) => [...problems],
    }),
    schema: t.field({
      type: 'JSON',
      nullable: true,
      description: 'JSON Schema of the arguments that the tool takes; null when Baton does not define it.',
      resolve: ({ schema }) => schema,
    }),
  }),
});

builder.objectType(NoHandoffFoundError, {
  name: 'NoHandoffFoundError',
  description: "The model's answer has no call of a handoff tool.",
  ...refusal,
});

builder.objectType(AgentRoleMismatchError, {
  name: 'AgentRoleMismatchError',
  description: "The agent does not have the role of the Session's stage.",
  ...refusal,
  fields: (t) => ({
    agentId: t.exposeID('agentId', { description: 'Id of the agent that was requested.' }),
    stage: t.exposeString('stage', { description: 'Name of the stage.' }),
    expectedRole: t.exposeString('expectedRole', { description: 'The role that the stage needs.' }),
    actualRole: t.exposeString('actualRole', {
      nullable: true,
      description: 'Role of the agent; null when it has none.',
    }),
  }),
});

builder.objectType(TransitionNotAllowedError, {
  name: 'TransitionNotAllowedError',
  description: 'The pipeline has no such transition from the stage.',
  ...refusal,
  fields: (t) => ({
    stage: t.exposeString('stage', { description: 'Name of the stage of the Session.' }),
    outcome: t.exposeString('outcome', {
      nullable: true,
      description: 'The outcome that the caller gave; null when the caller named an agent.',
    }),
    allowed: t.stringList({ description: 'The outcomes that the stage has.', resolve: ({ allowed }) => [...allowed] }),
  }),
});

const PayloadProblem = builder.objectRef<ArgumentProblem>('PayloadProblem').implement({
  access: 'inherit',
  description: 'Why a payload is not accepted.',
  fields: (t) => ({
    path: t.stringList({
      description: 'Path in the payload; empty when the problem is all of it.',
      resolve: ({ path }) => [...path],
    }),
    message: t.exposeString('message', { description: 'States the problem.' }),
  }),
});

builder.objectType(InvalidPayloadError, {
  name: 'InvalidPayloadError',
  description: 'The payload does not match the schema of the transition, or of the stage that is left.',
  ...refusal,
  fields: (t) => ({
    problems: t.field({
      type: [PayloadProblem],
      listSize: partOfRecord,
      description: 'The problems, at most 20.',
      resolve: ({ problems }) => [...problems],
    }),
    schema: t.field({
      type: 'JSON',
      description: 'JSON Schema that the payload was checked against.',
      resolve: ({ schema }) => schema,
    }),
  }),
});

builder.objectType(TenureClaimedError, {
  name: 'TenureClaimedError',
  description: 'Another runner works in the tenure, and its claim has not lapsed.',
  ...refusal,
  fields: (t) => ({
    runnerId: t.exposeID('runnerId', { description: 'Id of the runner that has the claim.' }),
    until: t.expose('until', { type: 'DateTime', description: 'Time at which the claim lapses unless it is renewed.' }),
  }),
});
