import { GraphQLError } from 'graphql';

/** `spec`: status 400, but 200 for clients that accept only `application/json` (GraphQL over HTTP). */
const asRequestError = { spec: true, status: 400 };

/** `what` is the name of the limit in `limits.ts`. */
export const limitExceeded = (what: string, limit: number, actual: number, message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code: 'LIMIT_EXCEEDED', what, limit, actual, http: asRequestError } });

/** A validation error that is found before validation. */
export const invalidDocument = ({ message, nodes, source, positions }: GraphQLError): GraphQLError =>
  new GraphQLError(message, {
    nodes,
    source,
    positions,
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: asRequestError },
  });

/** A malformed value, refused before execution. */
export const badValue = (message: string, path: readonly string[]): GraphQLError =>
  new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', path, http: asRequestError } });

export const badRequest = (message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status: 400 } } });

/**
 * Apollo and urql wait for these messages. After `NOT_FOUND` they send the text of this operation, after `NOT_SUPPORTED` the
 * text of every operation: Baton stores no documents of clients, so naming one first would cost a second request each time.
 */
export const persistedQueryRefused = (reason: 'NOT_FOUND' | 'NOT_SUPPORTED'): GraphQLError =>
  new GraphQLError(reason === 'NOT_FOUND' ? 'PersistedQueryNotFound' : 'PersistedQueryNotSupported', {
    extensions: { code: `PERSISTED_QUERY_${reason}`, http: { status: 400 } },
  });

export function rateLimited(message: string, retryAfterMs: number, more: Record<string, string> = {}): GraphQLError {
  const headers = { ...more, 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) };
  return new GraphQLError(message, {
    extensions: { code: 'RATE_LIMITED', retryAfterMs, http: { status: 429, headers } },
  });
}
