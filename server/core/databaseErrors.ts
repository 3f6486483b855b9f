/** PostgreSQL's error code (SQLSTATE) or Node's, when the error has one. */
export function errorCode(error: unknown): string | null {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : null;
  return typeof code === 'string' ? code : null;
}

// Serialisation failure, deadlock, lock time-out; and a unique value that a concurrent transaction took first:
// the next attempt reads it and refuses with the right words.
const worthAnotherAttempt = new Set(['40001', '40P01', '55P03', '23505']);

export const mayRetry = (error: unknown): boolean => worthAnotherAttempt.has(errorCode(error) ?? '');

// 08*: connection; 53*: out of resources; 57*: shut down, cancelled, still starting; 58*: system error; 25P03, 25P04: a
// transaction was idle or took too long; 25006: takes reads only, as a standby does; 28*, 3D000: lets nobody in; 40003: nobody
// knows whether it was committed.
const awayStates = /^(08...|53...|57...|58...|25006|25P0[34]|28...|3D000|40001|40003|40P01|55P03)$/;
const awayNodeErrors = /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/;
const awayMessages =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|the database system is|Cannot use a pool after)/;

/** Whether the database is away, overloaded, too slow or takes no writes, as opposed to having refused what was asked. */
export function isDatabaseAway(error: unknown): boolean {
  const code = errorCode(error);
  if (code !== null && (awayStates.test(code) || awayNodeErrors.test(code))) return true;
  return error instanceof Error && awayMessages.test(error.message);
}

/** How long what must go on lets a database be that is away, before it asks again. */
export const askAgainMs = 500;
