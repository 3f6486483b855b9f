import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';

const suggestion = / Did you mean [^?]*\?/g;

/** GraphQL's words for a caller's mistake, without the names of the schema that it suggests instead. */
export const withoutSuggestion = (message: string): string => message.replace(suggestion, '');

/** For Yoga, which does not mask what is wrong with a document. */
export const noSuggestions: Plugin = {
  onValidate:
    () =>
    ({ valid, result, setResult }) => {
      if (valid) return;
      setResult(
        (result as GraphQLError[]).map(
          ({ message, nodes, extensions }) => new GraphQLError(withoutSuggestion(message), { nodes, extensions: { code: 'GRAPHQL_VALIDATION_FAILED', ...extensions } }),
        ),
      );
    },
};
