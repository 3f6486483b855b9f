import { GraphQLError } from 'graphql';

/**
 * The error for a malformed argument of a query. BadUserInputError does not serve: graphql-js takes an error with a `path`
 * for a located one and would not set its path in the response.
 */
export const badArgument = (message: string, path: readonly string[]): GraphQLError =>
  new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', path } });
