import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';

const suggestion = / Did you mean [^?]*\?/g;

/** Removes "Did you mean", which reveals names of the schema. */
export const withoutSuggestion = (message: string): string => message.replace(suggestion, '');

/** Removes suggestions from validation errors, which Yoga does not mask. */
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
