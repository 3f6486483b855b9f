import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';

export interface SuggestionOptions {
  /** Whether messages may name parts of the schema. True where introspection is allowed. */
  suggestions: boolean;
}

const suggestion = / Did you mean [^?]*\?/g;

/** Removes "Did you mean", which reveals names of the schema. */
export const withoutSuggestion = (message: string): string => message.replace(suggestion, '');

/** Gives validation errors, which Yoga does not mask, their code. */
export const validationErrors = ({ suggestions }: SuggestionOptions): Plugin => ({
  onValidate:
    () =>
    ({ valid, result, setResult }) => {
      if (valid) return;
      setResult(
        (result as GraphQLError[]).map(
          ({ message, nodes, extensions }) =>
            new GraphQLError(suggestions ? message : withoutSuggestion(message), {
              nodes,
              extensions: { code: 'GRAPHQL_VALIDATION_FAILED', ...extensions },
            }),
        ),
      );
    },
});
