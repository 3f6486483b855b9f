import { randomUUID } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { DomainError, ForbiddenError, UnauthenticatedError, UnavailableError } from '../../core/errors.ts';
import type { Log } from '../../infra/log.ts';
import { causeOf, isAway } from './away.ts';
import { withoutSuggestion } from './noSuggestions.ts';

/** Codes that a GraphQLError may carry out; another one is a bug, and hidden. */
const publicCodes = new Set([
  'BAD_REQUEST',
  'BAD_USER_INPUT',
  'CURSOR_EXPIRED',
  'FORBIDDEN',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'LIMIT_EXCEEDED',
  'OPERATION_RESOLUTION_FAILURE',
  'RATE_LIMITED',
  'REQUEST_ENTITY_TOO_LARGE',
  'UNAUTHENTICATED',
  'UNAVAILABLE',
]);

/**
 * What leaves the server for an error: a code for programs and words for people, nothing internal. What is nobody's
 * fault but ours becomes a reference that the log has too.
 */
export const createMaskError = (log: Log) => {
  // What was masked once stays as it is: results that are shared among subscribers come by here for each of them.
  const masked = new WeakSet<Error>();
  const mask = maskAnew(log);
  return (error: unknown): Error => {
    if (error instanceof Error && masked.has(error)) return error;
    const result = mask(error);
    masked.add(result);
    return result;
  };
};

const maskAnew =
  (log: Log) =>
  (error: unknown): Error => {
    const cause = causeOf(error);
    if (cause instanceof DomainError) return located(error, cause.message, { ...cause, code: cause.code });
    if (cause instanceof ForbiddenError) return located(error, cause.message, { code: cause.code });
    if (cause instanceof UnauthenticatedError) {
      return located(error, cause.message, { code: cause.code, http: { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } } });
    }
    if (cause instanceof UnavailableError || isAway(cause)) {
      log.warn({ err: cause }, 'PostgreSQL is away, too slow, or takes no writes');
      const said = cause instanceof UnavailableError ? cause : new UnavailableError('read');
      return located(error, said.message, { code: said.code });
    }
    if (error instanceof GraphQLError && cause instanceof GraphQLError) {
      const code = codeOf(error);
      if (code !== null) return publicPart(error, code);
    }
    const reference = randomUUID();
    log.error({ err: cause, reference }, 'A request failed for a reason that is ours');
    return located(error, `Internal error: give an operator the reference ${reference}`, {
      code: 'INTERNAL_SERVER_ERROR',
      reference,
    });
  };

/** The same error for a caller: where it happened is theirs to know, what happened inside is not. */
function located(error: unknown, message: string, extensions: Record<string, unknown>): GraphQLError {
  if (!(error instanceof GraphQLError)) return new GraphQLError(message, { extensions });
  const { nodes, source, positions, path } = error;
  return new GraphQLError(message, { nodes, source, positions, path, extensions });
}

const coercion = /^(Variable|Argument) "|^Too many errors processing variables/;

function codeOf(error: GraphQLError): string | null {
  const { code } = error.extensions;
  if (typeof code === 'string') return publicCodes.has(code) ? code : null;
  if (coercion.test(error.message)) return 'BAD_USER_INPUT';
  return error.message.startsWith('Syntax Error') ? 'GRAPHQL_PARSE_FAILED' : null;
}

const told = ['path', 'what', 'limit', 'actual', 'fits', 'retryAfterMs', 'http'];

/** Suggestions would tell the names of the schema to callers who may not ask for it; of the rest, what is meant for callers. */
function publicPart(error: GraphQLError, code: string): GraphQLError {
  const extensions = Object.entries(error.extensions).filter(([name]) => told.includes(name));
  return located(error, withoutSuggestion(error.message), { code, ...Object.fromEntries(extensions) });
}
