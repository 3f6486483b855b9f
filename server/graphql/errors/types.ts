import {
  AgentAtCapacityError,
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
  NotFoundError,
} from '../../core/errors.ts';
import { builder } from '../builder.ts';
import { partOfRecord } from '../declared.ts';
import { AdministrativeStatus, HandoffStatus } from '../enums.ts';

export const ErrorCode = builder.enumType('ErrorCode', {
  description: 'Why a mutation was refused, for programs. Each code has its type, which carries the data: AGENT_AT_CAPACITY is AgentAtCapacityError.',
  values: {
    BAD_USER_INPUT: { description: 'An id or a value is malformed.' },
    NOT_FOUND: { description: 'There is no such record, or the caller may not read it.' },
    CONFLICT: { description: 'The record is not as the caller thought: another version, or an id that is taken.' },
    INVALID_STATE: { description: "The record's state does not allow it." },
    ALREADY_ASSIGNED: { description: 'The agent holds the Session already.' },
    AGENT_UNAVAILABLE: { description: 'The agent is draining, offline or archived.' },
    AGENT_AT_CAPACITY: { description: 'The agent holds as many Sessions as it may.' },
    AGENT_TYPE_MISMATCH: { description: 'The agent is not of the type that was named with it.' },
    NO_AGENT_AVAILABLE: { description: 'No agent of the type is available with a free place.' },
    HANDOFFS_DISABLED: { description: 'Agents may not hand off this Session themselves.' },
    NOT_A_COLLABORATOR: { description: 'The agent may not hand off to that one.' },
    MAX_HANDOFFS_REACHED: { description: 'Agents have started as many handoffs in this Session as they may.' },
    HANDOFF_LOOP: { description: 'The same handoff, with nothing new, was made before.' },
    IDEMPOTENCY_MISMATCH: { description: 'The idempotency key was used for something else.' },
    LIMIT_EXCEEDED: { description: 'There is more of something than fits in one request.' },
  },
});

export const ErrorInterface = builder.interfaceRef<DomainError>('Error').implement({
  description: 'Why a mutation was refused. Nothing was changed.',
  fields: (t) => ({
    message: t.exposeString('message', { description: 'What is so and what to do, for people. It may be worded differently tomorrow.' }),
    code: t.expose('code', { type: ErrorCode, description: 'Which refusal it is, for programs.' }),
  }),
});

/** What each refusal is besides. */
const refusal = { interfaces: [ErrorInterface], access: 'inherit' as const };

builder.objectType(BadUserInputError, {
  name: 'BadUserInputError',
  description: 'An id or a value is malformed.',
  ...refusal,
  fields: (t) => ({
    path: t.stringList({
      description: 'The way to the value, from the arguments on, list positions as numbers: ["input", "tasks", "0", "content"].',
      resolve: ({ path }) => [...path],
    }),
  }),
});

builder.objectType(NotFoundError, {
  name: 'NotFoundError',
  description: 'There is no such record, or the caller may not read it: the two look the same.',
  ...refusal,
  fields: (t) => ({ id: t.exposeID('id', { description: 'The id that was looked for, as the caller wrote it.' }) }),
});

builder.objectType(ConflictError, {
  name: 'ConflictError',
  description: 'The record is not as the caller thought: another version, or an id that is taken.',
  ...refusal,
  fields: (t) => ({
    expectedVersion: t.exposeInt('expectedVersion', { nullable: true, description: 'The version that the caller expected; null when it is about an id.' }),
    actualVersion: t.exposeInt('actualVersion', { nullable: true, description: 'The version that it has; null when it is about an id.' }),
  }),
});

builder.objectType(InvalidStateError, {
  name: 'InvalidStateError',
  description: "The record's state does not allow it.",
  ...refusal,
  fields: (t) => ({
    state: t.exposeString('state', { description: 'The state it is in, as its enum has it.' }),
    allowed: t.stringList({ description: 'The states in which it would be allowed; empty when there is none.', resolve: ({ allowed }) => [...allowed] }),
  }),
});

builder.objectType(AlreadyAssignedError, {
  name: 'AlreadyAssignedError',
  description: 'The agent holds the Session already.',
  ...refusal,
  fields: (t) => ({ agentId: t.exposeID('agentId', { description: 'The agent that holds it.' }) }),
});

builder.objectType(AgentUnavailableError, {
  name: 'AgentUnavailableError',
  description: 'The agent is draining, offline or archived.',
  ...refusal,
  fields: (t) => ({
    agentId: t.exposeID('agentId', { description: 'The agent that was asked for.' }),
    status: t.expose('status', { type: AdministrativeStatus, description: 'Its administrative status: DRAINING or OFFLINE; an archived agent counts as OFFLINE.' }),
  }),
});

builder.objectType(AgentAtCapacityError, {
  name: 'AgentAtCapacityError',
  description: 'The agent holds as many Sessions as it may.',
  ...refusal,
  fields: (t) => ({
    agentId: t.exposeID('agentId', { description: 'The agent that was asked for.' }),
    currentLoad: t.exposeInt('currentLoad', { description: 'How many RUNNING or PAUSED Sessions it holds.' }),
    maxCapacity: t.exposeInt('maxCapacity', { description: 'How many it may hold at once.' }),
  }),
});

builder.objectType(AgentTypeMismatchError, {
  name: 'AgentTypeMismatchError',
  description: 'The agent is not of the type that was named with it.',
  ...refusal,
  fields: (t) => ({
    agentId: t.exposeID('agentId', { description: 'The agent that was asked for.' }),
    expectedType: t.exposeString('expectedType', { description: 'The type that was asked for.' }),
    actualType: t.exposeString('actualType', { description: 'The type that the agent has.' }),
  }),
});

builder.objectType(NoAgentAvailableError, {
  name: 'NoAgentAvailableError',
  description: 'No agent of the type is available with a free place.',
  ...refusal,
  fields: (t) => ({ agentType: t.exposeString('agentType', { description: 'The type that was asked for.' }) }),
});

builder.objectType(HandoffsDisabledError, {
  name: 'HandoffsDisabledError',
  description: 'Agents may not hand off this Session themselves; an operator may reassign it.',
  ...refusal,
});

builder.objectType(NotACollaboratorError, {
  name: 'NotACollaboratorError',
  description: 'The agent may not hand off to that one.',
  ...refusal,
  fields: (t) => ({
    agentId: t.exposeID('agentId', { description: 'The agent that holds the Session.' }),
    targetAgentId: t.exposeID('targetAgentId', { description: 'The agent that it may not hand off to.' }),
    collaborators: t.idList({
      description: 'The agents that it may hand off to: its collaborators, and the one that the Session came from.',
      resolve: ({ collaborators }) => [...collaborators],
    }),
  }),
});

const Step = builder.objectRef<HandoffStep>('HandoffStep').implement({
  access: 'inherit',
  description: 'A Handoff of the chain that led to a refusal.',
  fields: (t) => ({
    from: t.exposeID('from', { nullable: true, description: 'The source; null when nobody held the Session.' }),
    to: t.exposeID('to', { description: 'The target.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was initiated.' }),
    status: t.expose('status', { type: HandoffStatus, description: 'Its status now.' }),
  }),
});
const chain = 'The Handoffs since the last act of an operator, oldest first: the newest 100 when there are more.';

builder.objectType(MaxHandoffsReachedError, {
  name: 'MaxHandoffsReachedError',
  description: 'Agents have started as many handoffs in this Session as they may; an operator must reassign it.',
  ...refusal,
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'How many they have started since the last act of an operator.' }),
    maxHandoffs: t.exposeInt('maxHandoffs', { description: 'How many they may start.' }),
    chain: t.field({ type: [Step], listSize: partOfRecord, description: chain, resolve: (error) => [...error.chain] }),
  }),
});

builder.objectType(HandoffLoopError, {
  name: 'HandoffLoopError',
  description: 'The same handoff, with nothing new since, was made before.',
  ...refusal,
  fields: (t) => ({
    agentId: t.exposeID('agentId', { description: 'The agent that holds the Session.' }),
    targetAgentId: t.exposeID('targetAgentId', { description: 'The agent that it handed the Session to before.' }),
    chain: t.field({ type: [Step], listSize: partOfRecord, description: chain, resolve: (error) => [...error.chain] }),
  }),
});

builder.objectType(IdempotencyMismatchError, {
  name: 'IdempotencyMismatchError',
  description: 'The idempotency key was used with another mutation or input within the last 24 hours.',
  ...refusal,
  fields: (t) => ({ idempotencyKey: t.exposeString('idempotencyKey', { description: 'The key, as the caller gave it.' }) }),
});

builder.objectType(LimitExceededError, {
  name: 'LimitExceededError',
  description: 'There is more of something than fits in one request.',
  ...refusal,
  fields: (t) => ({
    limit: t.exposeInt('limit', { description: 'The most that fit.' }),
    actual: t.exposeInt('actual', { description: 'How many there were.' }),
  }),
});
