import type { HandoffStatus } from '../generated/prisma/client.ts';

/**
 * The codes of all errors that a caller can cause, one class each. They are members of the mutations' result unions
 * (`server/api/graphql/errors`); in queries they become top-level errors with `extensions.code`. Clients receive messages and
 * fields unchanged.
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
  'UNKNOWN_HANDOFF_TARGET',
  'INVALID_TOOL_ARGUMENTS',
  'NO_HANDOFF_FOUND',
  'AGENT_ROLE_MISMATCH',
  'TRANSITION_NOT_ALLOWED',
  'INVALID_PAYLOAD',
  'TENURE_CLAIMED',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

export abstract class DomainError extends Error {
  abstract readonly code: ErrorCode;
  /** What to give back to the model whose call was refused; undefined for other mutations. */
  toolResult?: ToolResult;
}

/** The answer to a model's call of a tool. */
export interface ToolResult {
  /** As the model gave it; null when it gave none. */
  callId: string | null;
  content: string;
  isError: boolean;
}

/** The input is malformed; `path` leads from the field's arguments to the value. */
export class BadUserInputError extends DomainError {
  readonly code = 'BAD_USER_INPUT';
  constructor(
    message: string,
    readonly path: readonly string[],
  ) {
    super(message);
  }
}

/** An agent that may have been meant as the target of a handoff. */
export interface TargetCandidate {
  id: string;
  name: string;
  why: string;
}

const mostListed = 5;
const listed = (candidates: readonly TargetCandidate[]): string => {
  const shown = candidates
    .slice(0, mostListed)
    .map(({ id, name, why }) => `'${id}' (${name === id ? '' : `${name}: `}${why})`);
  const more = candidates.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` or ${more} more` : ''}`;
};

/** The record does not exist, or the caller may not read it. Both give the same error. */
export class NotFoundError extends DomainError {
  readonly code = 'NOT_FOUND';
  /** @param noun the kind of record, such as "session"; `id` is as the caller wrote it. */
  constructor(
    noun: string,
    readonly id: string,
    /** For the target of a handoff. */
    readonly candidates: readonly TargetCandidate[] = [],
    /** Whether all candidates are called so. */
    isAmbiguous = false,
  ) {
    const advice = candidates.length === 0 ? 'check the id' : `name one of ${listed(candidates)}`;
    super(isAmbiguous ? `'${id}' may mean several ${noun}s: ${advice}` : `There is no ${noun} '${id}': ${advice}`);
  }
}

/**
 * The record has another version than expected, or its id is taken. `sessionId` is the open Session with the external id, `contentHash`
 * that of the present Context of a proposed Handoff.
 */
export class ConflictError extends DomainError {
  readonly code = 'CONFLICT';
  constructor(
    message: string,
    readonly expectedVersion: number | null = null,
    readonly actualVersion: number | null = null,
    readonly sessionId: string | null = null,
    readonly contentHash: string | null = null,
  ) {
    super(message);
  }
}

/** The record's state does not allow this; `allowed` lists the states that do. */
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
    super(
      `Agent '${agentId}' is of type ${actualType}, not ${expectedType}: give only one of the two, or two that match`,
    );
  }
}

export class NoAgentAvailableError extends DomainError {
  readonly code = 'NO_AGENT_AVAILABLE';
  /** @param role of the stage that needs an agent; null outside of pipelines. */
  constructor(
    readonly agentType: string | null,
    readonly role: string | null = null,
  ) {
    const wanted = [
      role === null ? null : `with the role '${role}'`,
      agentType === null ? null : `of type ${agentType}`,
    ].filter((part) => part !== null);
    super(
      `No agent${wanted.map((part) => ` ${part}`).join('')} is available with a free place: wait, free one, or name another${role === null ? ' type' : ' agent'}`,
    );
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

/** A Handoff as refusals list it. */
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
    inPipeline = false,
  ) {
    super(
      `${inPipeline ? `Stages were entered again ${count} of ${maxHandoffs} times` : `Agents have started ${count} of ${maxHandoffs} handoffs`} in this session: an operator has to reassign it (reassignSession) or to raise maxHandoffs (updateSession)`,
    );
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

/** The idempotency key was used with another mutation or input within the last 24 hours. */
export class IdempotencyMismatchError extends DomainError {
  readonly code = 'IDEMPOTENCY_MISMATCH';
  constructor(readonly idempotencyKey: string) {
    super(
      `Idempotency key '${idempotencyKey}' was used with another mutation or input: use a new key for a new request`,
    );
  }
}

/** The request exceeds a limit; `advice` ends the message. */
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

/** A call names no agent or tool that the agent may call. */
export class UnknownHandoffTargetError extends DomainError {
  readonly code = 'UNKNOWN_HANDOFF_TARGET';
  constructor(
    message: string,
    readonly target: string,
    /** Agents or tools that may have been meant, nearest first. */
    readonly suggestions: readonly string[],
    readonly candidates: readonly TargetCandidate[] = [],
  ) {
    super(candidates.length === 0 ? message : `${message.replace(/\?$/, '')}. Name one of ${listed(candidates)}`);
  }
}

/** Why an argument of a call is not accepted; `path` leads to it within the arguments. */
export interface ArgumentProblem {
  path: readonly string[];
  message: string;
}

export class InvalidToolArgumentsError extends DomainError {
  readonly code = 'INVALID_TOOL_ARGUMENTS';
  readonly problems: readonly ArgumentProblem[];
  constructor(
    readonly toolName: string,
    problems: readonly ArgumentProblem[],
    /** JSON Schema of the arguments that the tool takes; null for a tool that is not Baton's. */
    readonly schema: object | null,
  ) {
    super(`The arguments of '${short(toolName, longestPart)}' are not accepted: ${shownProblems(problems)}`);
    this.problems = firstProblems(problems);
  }
}

const mostProblems = 20;
const longestMessage = 500;
const longestPart = 200;

const short = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;

/** The names in a payload or in arguments are the caller's: neither their number nor their length may make a large answer. */
const firstProblems = (problems: readonly ArgumentProblem[]): ArgumentProblem[] =>
  problems.slice(0, mostProblems).map(({ path, message }) => ({
    path: path.map((part) => short(part, longestPart)),
    message: short(message, longestMessage),
  }));

function shownProblems(all: readonly ArgumentProblem[]): string {
  const problems = firstProblems(all.slice(0, 5));
  const shown = problems.map(({ path, message }) => [path.join('.'), message].filter((part) => part !== '').join(' '));
  return `${shown.join('; ')}${all.length > 5 ? `; and ${all.length - 5} more` : ''}`;
}

export class NoHandoffFoundError extends DomainError {
  readonly code = 'NO_HANDOFF_FOUND';
  constructor(known: boolean) {
    super(
      known
        ? "The response has no call of a handoff tool: go on with the agent's work, or send the answer that has the call"
        : "The response has none of the known formats: send the model's answer as its provider gave it",
    );
  }
}

/** The agent cannot work in the Session's stage. */
export class AgentRoleMismatchError extends DomainError {
  readonly code = 'AGENT_ROLE_MISMATCH';
  constructor(
    readonly agentId: string,
    readonly stage: string,
    readonly expectedRole: string,
    readonly actualRole: string | null,
  ) {
    super(
      `Agent '${agentId}' has ${actualRole === null ? 'no role' : `the role '${actualRole}'`}; stage '${stage}' needs '${expectedRole}': choose another agent`,
    );
  }
}

/** No transition of the pipeline permits it. */
export class TransitionNotAllowedError extends DomainError {
  readonly code = 'TRANSITION_NOT_ALLOWED';
  constructor(
    message: string,
    readonly stage: string,
    /** Null when the caller named an agent instead. */
    readonly outcome: string | null,
    /** The outcomes that the stage has. */
    readonly allowed: readonly string[],
  ) {
    super(message);
  }
}

export class InvalidPayloadError extends DomainError {
  readonly code = 'INVALID_PAYLOAD';
  readonly problems: readonly ArgumentProblem[];
  constructor(
    problems: readonly ArgumentProblem[],
    /** JSON Schema that the payload is checked against. */
    readonly schema: object,
  ) {
    super(`The payload is not accepted: ${shownProblems(problems)}`);
    this.problems = firstProblems(problems);
  }
}

/** Another runner works in the tenure. */
export class TenureClaimedError extends DomainError {
  readonly code = 'TENURE_CLAIMED';
  constructor(
    readonly runnerId: string,
    readonly until: Date,
  ) {
    super(
      `Runner '${runnerId}' works in this tenure until ${until.toISOString()}: wait until its claim lapses, or let it release the claim`,
    );
  }
}

const unavailable = {
  unchanged: 'The database does not answer in time: nothing was changed, try again in a moment',
  unknown:
    'The connection to the database broke during the commit: repeat the request with the same idempotency key, or read the record',
  busy: 'Too many payloads wait to be checked: nothing was changed, try again in a moment',
  read: 'The database does not answer in time: try again in a moment; a mutation in this request may have been committed',
};

/**
 * Baton cannot do it now. `outcome`: "unchanged", nothing was written; "busy", payloads wait to be checked, nothing was written; "unknown", the connection broke during a
 * commit, and only a repeat with the same idempotency key can tell; "read", a read failed, perhaps that of a committed
 * mutation's payload.
 */
export class UnavailableError extends Error {
  readonly code = 'UNAVAILABLE';
  /** `cause` is for the log. */
  constructor(
    readonly outcome: keyof typeof unavailable = 'unchanged',
    cause?: unknown,
  ) {
    super(unavailable[outcome], { cause });
  }
}

/** The caller presents no valid key. Expired and unknown keys get the same error. */
export class UnauthenticatedError extends Error {
  readonly code = 'UNAUTHENTICATED';
  constructor() {
    super(
      'A valid key is required: send "Authorization: Bearer <key>" (over WebSocket "authorization" in connectionParams)',
    );
  }
}

/** The caller lacks the permission, whatever the input. */
export class ForbiddenError extends Error {
  readonly code = 'FORBIDDEN';
}

/** What ends the pause of a tenure. */
export const toGoOn = (questionId: string | null | undefined): string =>
  questionId == null
    ? 'resume the session first (resumeSession)'
    : `wait for the answer to ${questionId}, or go on without one (resumeSession)`;
