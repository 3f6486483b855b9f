/** The error's SQLSTATE or Node error code; null when it has none. */
export function errorCode(error: unknown): string | null {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : null;
  return typeof code === 'string' ? code : null;
}

// Serialization failure, deadlock, lock timeout, and a unique violation by a concurrent transaction: the next attempt reads
// that row and returns the typed refusal.
const retryableStates = new Set(['40001', '40P01', '55P03', '23505']);

export const mayRetry = (error: unknown): boolean => retryableStates.has(errorCode(error) ?? '');

// 08*: connection; 53*: out of resources; 57*: shut down, cancelled, still starting; 58*: system error; 25P03, 25P04:
// transaction timeout; 25006: read-only, such as a standby; 28*, 3D000: login refused; 40003: commit outcome unknown.
const awayStates = /^(08...|53...|57...|58...|25006|25P0[34]|28...|3D000|40001|40003|40P01|55P03)$/;
const awayNodeErrors =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/;
const awayMessages =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|the database system is|Cannot use a pool after)/;

/** Whether the database is down, overloaded, too slow or read-only, rather than rejecting the statement. */
export function isDatabaseAway(error: unknown): boolean {
  const code = errorCode(error);
  if (code !== null && (awayStates.test(code) || awayNodeErrors.test(code))) return true;
  return error instanceof Error && awayMessages.test(error.message);
}

/** A statement was ended because its answer is larger than any request may read. */
export interface AnswerTooLarge extends Error {
  code: 'ANSWER_TOO_LARGE';
  /** Bytes that were received, and the rows in them. Undefined when Prisma made another error of it, as for look-ups that it joins. */
  bytes?: number | undefined;
  rows?: number | undefined;
  limit?: number | undefined;
}

export const isAnswerTooLarge = (error: unknown): error is AnswerTooLarge => errorCode(error) === 'ANSWER_TOO_LARGE';

/** The wait before another attempt while the database is down. */
export const retryDelayMs = 500;
