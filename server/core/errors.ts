import type { HandoffStatus } from '../generated/prisma/client.ts';

/**
 * Every refusal that a caller can cause, one class a code. They are members of a mutation's result union
 * (`server/graphql/errors.ts` exposes them); in queries they become top-level errors with `extensions.code`.
 * Messages are for people: they say what is so and what to do next. Both they and the fields go out as they are.
 */
export const errorCodes = [
  'BAD_USER_INPUT',
  'NOT_FOUND',
  'CONFLICT',
  'INVALID_STATE',
  'ALREADY_ASSIGNED',
  'AGENT_UNAVAILABLE',
  'AGENT_AT_CAPACITY',
  'AGENT_TYPE_MISMATCH',
  'NO_AGENT_AVAILABLE',
  'HANDOFFS_DISABLED',
  'NOT_A_COLLABORATOR',
  'MAX_HANDOFFS_REACHED',
  'HANDOFF_LOOP',
  'IDEMPOTENCY_MISMATCH',
  'LIMIT_EXCEEDED',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

export abstract class DomainError extends Error {
  abstract readonly code: ErrorCode;
}

/** The input is malformed; `path` leads to the value, from the field's arguments on. */
export class BadUserInputError extends DomainError {
  readonly code = 'BAD_USER_INPUT';
  constructor(
    message: string,
    readonly path: readonly string[],
  ) {
    super(message);
  }
}

/** There is no such record, or the caller may not read it: the two look the same. */
export class NotFoundError extends DomainError {
  readonly code = 'NOT_FOUND';
  /** @param noun what was looked for, such as "session"; `id` as the caller wrote it. */
  constructor(
    noun: string,
    readonly id: string,
  ) {
    super(`There is no ${noun} '${id}': check the id`);
  }
}

/** The record is not as the caller thought: another version, or an id that is taken. */
export class ConflictError extends DomainError {
  readonly code = 'CONFLICT';
  constructor(
    message: string,
    readonly expectedVersion: number | null = null,
    readonly actualVersion: number | null = null,
  ) {
    super(message);
  }
}

/** The record's state does not allow this; `allowed` are the states that would. */
export class InvalidStateError extends DomainError {
  readonly code = 'INVALID_STATE';
  constructor(
    message: string,
    readonly state: string,
    readonly allowed: readonly string[],
  ) {
    super(message);
  }
}

export class AlreadyAssignedError extends DomainError {
  readonly code = 'ALREADY_ASSIGNED';
  constructor(readonly agentId: string) {
    super(`Agent '${agentId}' already holds this session: choose another agent`);
  }
}

export class AgentUnavailableError extends DomainError {
  readonly code = 'AGENT_UNAVAILABLE';
  constructor(
    readonly agentId: string,
    readonly status: 'DRAINING' | 'OFFLINE',
    archived = false,
  ) {
    super(
      archived
        ? `Agent '${agentId}' is archived: choose another`
        : `Agent '${agentId}' is ${status}: choose another, or set it AVAILABLE`,
    );
  }
}

export class AgentAtCapacityError extends DomainError {
  readonly code = 'AGENT_AT_CAPACITY';
  constructor(
    readonly agentId: string,
    readonly currentLoad: number,
    readonly maxCapacity: number,
  ) {
    super(`Agent '${agentId}' is at full capacity (${currentLoad} of ${maxCapacity}): choose another or wait`);
  }
}

export class AgentTypeMismatchError extends DomainError {
  readonly code = 'AGENT_TYPE_MISMATCH';
  constructor(
    readonly agentId: string,
    readonly expectedType: string,
    readonly actualType: string,
  ) {
    super(`Agent '${agentId}' is of type ${actualType}, not ${expectedType}: give only one of the two, or two that match`);
  }
}

export class NoAgentAvailableError extends DomainError {
  readonly code = 'NO_AGENT_AVAILABLE';
  constructor(readonly agentType: string) {
    super(`No agent of type ${agentType} is available with a free place: wait, free one, or name another type`);
  }
}

export class HandoffsDisabledError extends DomainError {
  readonly code = 'HANDOFFS_DISABLED';
  constructor() {
    super('Agents may not hand off this session: ask an operator to reassign it');
  }
}

export class NotACollaboratorError extends DomainError {
  readonly code = 'NOT_A_COLLABORATOR';
  constructor(
    readonly agentId: string,
    readonly targetAgentId: string,
    readonly collaborators: readonly string[],
  ) {
    super(
      `Agent '${agentId}' may not hand off to '${targetAgentId}': it may hand off to ${
        collaborators.length === 0 ? 'no agent' : collaborators.map((id) => `'${id}'`).join(', ')
      }`,
    );
  }
}

/** A Handoff as the guards' refusals name it. */
export interface HandoffStep {
  from: string | null;
  to: string;
  at: Date;
  status: HandoffStatus;
}

export class MaxHandoffsReachedError extends DomainError {
  readonly code = 'MAX_HANDOFFS_REACHED';
  constructor(
    readonly count: number,
    readonly maxHandoffs: number,
    readonly chain: readonly HandoffStep[],
  ) {
    super(`Agents have started ${count} of ${maxHandoffs} handoffs in this session: an operator has to reassign it`);
  }
}

export class HandoffLoopError extends DomainError {
  readonly code = 'HANDOFF_LOOP';
  constructor(
    readonly agentId: string,
    readonly targetAgentId: string,
    readonly chain: readonly HandoffStep[],
  ) {
    super(
      `Agent '${agentId}' has handed this session to '${targetAgentId}' before with nothing new since: do some work first, or ask an operator`,
    );
  }
}

/** The idempotency key was used for something else within the last 24 hours. */
export class IdempotencyMismatchError extends DomainError {
  readonly code = 'IDEMPOTENCY_MISMATCH';
  constructor(readonly idempotencyKey: string) {
    super(`Idempotency key '${idempotencyKey}' was used with another mutation or input: use a new key for a new request`);
  }
}

/** There is more of something than fits in one request; `advice` ends the message. */
export class LimitExceededError extends DomainError {
  readonly code = 'LIMIT_EXCEEDED';
  constructor(
    what: string,
    readonly limit: number,
    readonly actual: number,
    advice: string,
  ) {
    super(`${actual} ${what} exceed the limit of ${limit} in one request: ${advice}`);
  }
}

const unavailable = {
  unchanged: 'The database does not answer in time: nothing was changed, try again in a moment',
  unknown:
    'The connection to the database broke during the commit: repeat the request with the same idempotency key, or read the record',
  read: 'The database does not answer in time: try again in a moment; a mutation in this request may have been committed',
};

/**
 * The database did not answer in time, and `outcome` says what that means for the caller: nothing was written; the
 * connection broke while a commit was under way, and only a repeat under the same idempotency key can tell; or it
 * was a read that failed, perhaps that of a payload whose mutation had been committed.
 */
export class UnavailableError extends Error {
  readonly code = 'UNAVAILABLE';
  constructor(readonly outcome: keyof typeof unavailable = 'unchanged') {
    super(unavailable[outcome]);
  }
}

/** The caller shows no key that works. Nothing is said about why: a key that ended and one that never was look the same. */
export class UnauthenticatedError extends Error {
  readonly code = 'UNAUTHENTICATED';
  constructor() {
    super('A valid key is required: send "Authorization: Bearer <key>" (over WebSocket "authorization" in connectionParams)');
  }
}

/** The caller may not do this, whatever the input says. */
export class ForbiddenError extends Error {
  readonly code = 'FORBIDDEN';
}
