import { type ExecutionResult, GraphQLError } from 'graphql';
import type { CallerRequest } from '../../core/request.ts';

/** The error with the id of its request. A new one: answers to different requests may share an error. */
export function named(error: GraphQLError, request: CallerRequest | undefined): GraphQLError {
  if (request === undefined) return error;
  const { message, nodes, source, positions, path, originalError, extensions } = error;
  return new GraphQLError(message, {
    nodes,
    source,
    positions,
    path,
    originalError,
    extensions: { ...extensions, requestId: request.id },
  });
}

/** The result, whose errors have the id of the request. */
export const withRequestId = <Result extends ExecutionResult>(
  result: Result,
  request: CallerRequest | undefined,
): Result =>
  result.errors === undefined ? result : { ...result, errors: result.errors.map((error) => named(error, request)) };
