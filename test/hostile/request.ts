/** A hostile request and its expected answer. It may not write or leak anything, or delay other callers. */
export interface Hostile {
  name: string;
  /** To `/graphql` unless `path` is set; with `raw`, exactly these bytes. */
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  raw?: string | Buffer;
  /** Null: the connection is closed without an answer. */
  status: number | null;
  /** The code of the first error, or of the typed error in `data.answer`. */
  code?: string;
  says?: RegExp;
}

export const spec = 'application/graphql-response+json';
export const json = { 'content-type': 'application/json', accept: spec };
export const over = 'LIMIT_EXCEEDED';
/** A Session of the demonstration data. */
export const session = 'session_01kc000000e00800000000002y';

// Nested too deeply for JSON.stringify.
const deepLists = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const deepObjects = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
const bodyOf = (params: object): string =>
  JSON.stringify(params).replace('"deep lists"', deepLists).replace('"deep objects"', deepObjects);

interface More {
  variables?: unknown;
  operationName?: unknown;
  status?: number;
  says?: RegExp;
}

export const asks = (
  name: string,
  query: string,
  code: string,
  { variables, says, status = 400, operationName }: More = {},
): Hostile => {
  return {
    name,
    headers: json,
    body: bodyOf({ query, variables, operationName }),
    status,
    code,
    ...(says && { says }),
  };
};

/** A typed error of the mutation's union. */
export const typed = (name: string, mutation: string, input: object, code: string, says?: RegExp): Hostile =>
  asks(
    name,
    `mutation ($input: ${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input!) { answer: ${mutation}(input: $input) { __typename ... on Error { code message } } }`,
    code,
    { variables: { input }, status: 200, ...(says && { says }) },
  );
