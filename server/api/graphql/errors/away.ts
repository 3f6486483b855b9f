import { isDatabaseAway } from '../../../core/databaseErrors.ts';

/** The thrown error without the GraphQLErrors around it. */
export function causeOf(error: unknown): unknown {
  const original: unknown = error instanceof Error ? Reflect.get(error, 'originalError') : undefined;
  return original == null ? error : causeOf(original);
}

// Prisma's codes for a server that is unreachable, refuses logins, is slow, closing, or out of connections, and for a
// transaction that got no connection or timed out.
const prismaAway = new Set([
  'P1000',
  'P1001',
  'P1002',
  'P1003',
  'P1008',
  'P1010',
  'P1011',
  'P1017',
  'P2024',
  'P2028',
  'P2034',
  'P2037',
]);
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

/** Whether the error or one of its causes means that PostgreSQL is unavailable. Prisma wraps such errors in several ways. */
export function isAway(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, errorCode, originalCode, kind, cause, meta } = error as Record<
    'code' | 'errorCode' | 'originalCode' | 'kind' | 'cause' | 'meta',
    unknown
  >;
  // Prisma's error for a failed start has `errorCode` instead of `code`.
  if (isDatabaseAway(error) || [code, errorCode].some((each) => typeof each === 'string' && prismaAway.has(each)))
    return true;
  if (isDatabaseAway({ code: originalCode }) || (typeof kind === 'string' && adapterAway.has(kind))) return true;
  return isAway(cause) || isAway((meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError);
}

/** Whether PostgreSQL ended a statement of the error or of its causes with this SQLSTATE. */
export function hasState(error: unknown, state: string): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, originalCode, cause, meta } = error as Record<'code' | 'originalCode' | 'cause' | 'meta', unknown>;
  return (
    code === state ||
    originalCode === state ||
    hasState(cause, state) ||
    hasState((meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError, state)
  );
}
