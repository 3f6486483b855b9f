import { isDatabaseAway } from '../core/databaseErrors.ts';

/** What was thrown, without what GraphQL wrapped around it. */
export function causeOf(error: unknown): unknown {
  const original: unknown = error instanceof Error ? Reflect.get(error, 'originalError') : undefined;
  return original == null ? error : causeOf(original);
}

// Prisma's own codes for a server that is unreachable, slow, closing, or out of connections.
const prismaAway = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2034', 'P2037']);
const adapterAway = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections', 'TransactionWriteConflict']);

/** Whether an error, or one that it came from, is PostgreSQL being away: Prisma wraps them in several ways. */
export function isAway(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, originalCode, kind, cause, meta } = error as Record<'code' | 'originalCode' | 'kind' | 'cause' | 'meta', unknown>;
  if (isDatabaseAway(error) || (typeof code === 'string' && prismaAway.has(code))) return true;
  if (isDatabaseAway({ code: originalCode }) || (typeof kind === 'string' && adapterAway.has(kind))) return true;
  return isAway(cause) || isAway((meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError);
}
