import { randomUUID } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { DomainError, ForbiddenError, UnauthenticatedError, UnavailableError } from '../../../core/errors.ts';
import type { CallerRequest } from '../../../core/request.ts';
import { warnOften } from '../../../core/warnOften.ts';
import { logOf } from '../../../core/work.ts';
import type { Log } from '../../../infra/log.ts';
import { causeOf, isAway } from './away.ts';
import { type SuggestionOptions, withoutSuggestion } from './validationErrors.ts';

/** Codes that callers may see. A GraphQLError with another code is a bug and is masked. */
const publicCodes = new Set([
  'BAD_REQUEST',
  'BAD_USER_INPUT',
  'CURSOR_EXPIRED',
  'FORBIDDEN',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'LIMIT_EXCEEDED',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
  'RATE_LIMITED',
  'REQUEST_ENTITY_TOO_LARGE',
  'UNAUTHENTICATED',
  'UNAVAILABLE',
]);

/**
 * Masks errors for callers: a code, a message, nothing internal. An unexpected error becomes INTERNAL_SERVER_ERROR with a
 * reference that the log has too.
 */
export const createMaskError = (log: Log, options: SuggestionOptions = { suggestions: true }) => {
  // A result shared by subscribers is masked once per subscriber: an already masked error is returned unchanged.
  const masked = new WeakSet<Error>();
  const mask = maskUnseen(log, options);
  /** `request` names the request in the log. */
  return (error: unknown, request?: CallerRequest): Error => {
    if (error instanceof Error && masked.has(error)) return error;
    const result = mask(error, request);
    masked.add(result);
    return result;
  };
};

const maskUnseen =
  (log: Log, options: SuggestionOptions) =>
  (error: unknown, request: CallerRequest | undefined): Error => {
    const cause = causeOf(error);
    if (cause instanceof DomainError) return located(error, cause.message, { ...cause, code: cause.code });
    if (cause instanceof ForbiddenError) return located(error, cause.message, { code: cause.code });
    if (cause instanceof UnauthenticatedError) {
      return located(error, cause.message, {
        code: cause.code,
        http: { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } },
      });
    }
    if (cause instanceof UnavailableError || isAway(cause)) {
      warnOften(log, { err: cause, requestId: request?.id }, 'PostgreSQL is away, too slow, or takes no writes');
      const unavailable = cause instanceof UnavailableError ? cause : new UnavailableError('read');
      return located(error, unavailable.message, { code: unavailable.code });
    }
    if (error instanceof GraphQLError && cause instanceof GraphQLError) {
      const code = codeOf(error);
      if (code !== null) return publicPart(error, code, options);
    }
    const reference = randomUUID();
    logOf(log, request).error({ err: cause, reference }, 'A request failed for a reason that is ours');
    return located(error, `Internal error: give an operator the reference ${reference}`, {
      code: 'INTERNAL_SERVER_ERROR',
      reference,
    });
  };

/** The error with its locations and path, but with this message and these extensions only. */
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

const publicExtensions = ['path', 'what', 'limit', 'actual', 'fits', 'retryAfterMs', 'reason', 'http'];

/** Removes all extensions that are not public, and suggestions where they are not allowed. */
function publicPart(error: GraphQLError, code: string, { suggestions }: SuggestionOptions): GraphQLError {
  const extensions = Object.entries(error.extensions).filter(([name]) => publicExtensions.includes(name));
  return located(error, suggestions ? error.message : withoutSuggestion(error.message), {
    code,
    ...Object.fromEntries(extensions),
  });
}
