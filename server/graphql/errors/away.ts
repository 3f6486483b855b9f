import { isDatabaseAway } from '../../core/databaseErrors.ts';

/** What was thrown, without what GraphQL wrapped around it. */
export function causeOf(error: unknown): unknown {
  const original: unknown = error instanceof Error ? Reflect.get(error, 'originalError') : undefined;
  return original == null ? error : causeOf(original);
}

// Prisma's own codes for a server that is unreachable, lets nobody in, is slow, closing, or out of connections, and for a transaction
// that got none or ran out of time.
const prismaAway = new Set(['P1000', 'P1001', 'P1002', 'P1003', 'P1008', 'P1010', 'P1011', 'P1017', 'P2024', 'P2028', 'P2034', 'P2037']);
const adapterAway = new Set([
  'AuthenticationFailed',
  'ConnectionClosed',
  'DatabaseAccessDenied',
  'DatabaseDoesNotExist',
  'DatabaseNotReachable',
  'SocketTimeout',
  'TlsConnectionError',
  'TooManyConnections',
  'TransactionAlreadyClosed',
  'TransactionWriteConflict',
]);

/** Whether an error, or one that it came from, is PostgreSQL being away: Prisma wraps them in several ways. */
export function isAway(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, errorCode, originalCode, kind, cause, meta } = error as Record<'code' | 'errorCode' | 'originalCode' | 'kind' | 'cause' | 'meta', unknown>;
  // A client that could not even begin says `errorCode`.
  if (isDatabaseAway(error) || [code, errorCode].some((said) => typeof said === 'string' && prismaAway.has(said))) return true;
  if (isDatabaseAway({ code: originalCode }) || (typeof kind === 'string' && adapterAway.has(kind))) return true;
  return isAway(cause) || isAway((meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError);
}
