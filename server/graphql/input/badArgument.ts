import { GraphQLError } from 'graphql';

/**
 * A malformed argument of a query. Not BadUserInputError: that has a `path`, by which GraphQL would take it for an
 * error that already knows its place in the answer, and give it none.
 */
export const badArgument = (message: string, path: readonly string[]): GraphQLError =>
  new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', path } });
