import { GraphQLError } from 'graphql';

/** `spec`: GraphQL over HTTP answers 400, but 200 to who accepts only `application/json`. */
const asRequestError = { spec: true, status: 400 };

/** A request over a limit, and what to do. `what` names the limit as `limits.ts` does. */
export const limitExceeded = (what: string, limit: number, actual: number, message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code: 'LIMIT_EXCEEDED', what, limit, actual, http: asRequestError } });

/** What validation would say too. */
export const invalidDocument = ({ message, nodes, source, positions }: GraphQLError): GraphQLError =>
  new GraphQLError(message, { nodes, source, positions, extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: asRequestError } });

/** A value that no resolver will look at; `path` leads to it. */
export const badValue = (message: string, path: readonly string[]): GraphQLError =>
  new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', path, http: asRequestError } });

/** A request that is not what the protocol allows. */
export const badRequest = (message: string): GraphQLError => new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status: 400 } } });

export function rateLimited(message: string, retryAfterMs: number, more: Record<string, string> = {}): GraphQLError {
  const headers = { ...more, 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) };
  return new GraphQLError(message, { extensions: { code: 'RATE_LIMITED', retryAfterMs, http: { status: 429, headers } } });
}
