import type {
  AdministrativeStatus,
  AgentSessionState,
  HandoffStatus,
  SessionStatus,
} from '../../generated/prisma/client.ts';

/** The life cycles of docs/rules.md: the states reachable from each state. A state without successors is final. */
export const sessionTransitions: Record<SessionStatus, readonly SessionStatus[]> = {
  RUNNING: ['PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED'],
  PAUSED: ['RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
};

export const agentSessionTransitions: Record<AgentSessionState, readonly AgentSessionState[]> = {
  // Accepting in a paused Session gives PAUSED at once; a failed Handoff fails a PENDING tenure.
  PENDING: ['ACTIVE', 'PAUSED', 'DECLINED', 'FAILED'],
  ACTIVE: ['PAUSED', 'HANDED_OFF', 'COMPLETED', 'FAILED'],
  PAUSED: ['ACTIVE', 'HANDED_OFF', 'COMPLETED', 'FAILED'],
  HANDED_OFF: [],
  COMPLETED: [],
  FAILED: [],
  DECLINED: [],
};

export const handoffTransitions: Record<HandoffStatus, readonly HandoffStatus[]> = {
  PROPOSED: ['INITIATED', 'DECLINED', 'CANCELLED', 'TIMED_OUT'],
  INITIATED: ['ACCEPTED', 'REJECTED', 'CANCELLED', 'TIMED_OUT', 'FAILED'],
  ACCEPTED: ['COMPLETED', 'FAILED'],
  COMPLETED: [],
  FAILED: [],
  REJECTED: [],
  CANCELLED: [],
  TIMED_OUT: [],
  DECLINED: [],
};

export const agentTransitions: Record<AdministrativeStatus, readonly AdministrativeStatus[]> = {
  AVAILABLE: ['DRAINING', 'OFFLINE'],
  DRAINING: ['AVAILABLE', 'OFFLINE'],
  OFFLINE: ['AVAILABLE', 'DRAINING'],
};

/** The states that lead to `to`, as an INVALID_STATE error lists them. */
export function statesBefore<State extends string>(table: Record<State, readonly State[]>, to: State): State[] {
  return (Object.keys(table) as State[]).filter((from) => table[from].includes(to));
}

export const isOpenSession = (status: SessionStatus): boolean => sessionTransitions[status].length > 0;
/** Whether the Handoff moved the Session and has not ended. One that is PROPOSED moved nothing yet. */
export const isOpenHandoff = (status: HandoffStatus): boolean =>
  status !== 'PROPOSED' && handoffTransitions[status].length > 0;
/** SQL: whether a Handoff moved its Session. One that was never approved did not, and counts nowhere as given or received. */
export const hasMoved = (row: string): string => `${row}.target_agent_session_id IS NOT NULL`;
export const isOpenTenure = (state: AgentSessionState): boolean => agentSessionTransitions[state].length > 0;

/** What a condition of a pipeline reads: the payload of the outcome, the newest payload of a stage, or a context variable. */
export type ConditionSource =
  { of: 'payload'; path: string[] } | { of: 'stage'; stage: string; path: string[] } | { of: 'variable'; name: string };

/** `payload`, `payload.a.b`, `stages.<stage>`, `stages.<stage>.a.b`; any other name is a context variable or a path in one, also as `variables.<name>`. */
export function sourceOfCondition(variable: string): ConditionSource {
  const [first, second, ...rest] = variable.split('.');
  if (first === 'payload') return { of: 'payload', path: second === undefined ? [] : [second, ...rest] };
  if (first === 'stages' && second !== undefined) return { of: 'stage', stage: second, path: rest };
  return {
    of: 'variable',
    name: first === 'variables' && second !== undefined ? [second, ...rest].join('.') : variable,
  };
}

const kinds: Record<string, string> = { string: 'a text', number: 'a number', boolean: 'true or false' };
const kindOf = (value: unknown): string =>
  kinds[typeof value] ?? (value === null ? 'null' : Array.isArray(value) ? 'a list' : 'an object');

/**
 * Why two values cannot be compared; null when they can. A value is never equal to one of another kind, so that a comparison
 * would decide by the way a value is written. Null counts as no value.
 */
export function faultOfComparing(op: string, value: unknown, wanted: unknown): string | null {
  if (op === 'EXISTS' || value === null) return null;
  const than = (kind: string): string => `is ${kindOf(value)} and is compared with ${kind}`;
  if (op === 'LT' || op === 'GT')
    return typeof value === typeof wanted && (typeof value === 'number' || typeof value === 'string')
      ? null
      : than(kindOf(wanted));
  const others = (op === 'IN' && Array.isArray(wanted) ? wanted : [wanted]).filter((other) => other !== null);
  if (others.length === 0 || others.some((other) => kindOf(other) === kindOf(value))) return null;
  return than(kindOf(others[0]));
}
