/** What nobody in good faith would send, and what is answered. Nothing of it may be written, leak, or keep others waiting. */
export interface Hostile {
  name: string;
  /** To `/graphql` unless `path` says otherwise; with `raw`, these very bytes. */
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  raw?: string | Buffer;
  /** Null: the connection is closed without an answer. */
  status: number | null;
  /** Of the first error, or of the typed error in `data.answer`. */
  code?: string;
  says?: RegExp;
}

export const spec = 'application/graphql-response+json';
export const json = { 'content-type': 'application/json', accept: spec };
export const over = 'LIMIT_EXCEEDED';
/** A Session of the demonstration story. */
export const session = 'session_01kc000000e00800000000002y';

// What is nested more deeply than JSON.stringify goes.
const deepLists = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const deepObjects = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
const bodyOf = (params: object): string => JSON.stringify(params).replace('"deep lists"', deepLists).replace('"deep objects"', deepObjects);

interface More {
  variables?: unknown;
  operationName?: unknown;
  status?: number;
  says?: RegExp;
}

export const asks = (name: string, query: string, code: string, { variables, says, status = 400, operationName }: More = {}): Hostile => {
  return { name, headers: json, body: bodyOf({ query, variables, operationName }), status, code, ...(says && { says }) };
};

/** Refused by the mutation itself, as a member of its union. */
export const typed = (name: string, mutation: string, input: object, code: string, says?: RegExp): Hostile =>
  asks(
    name,
    `mutation ($input: ${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input!) { answer: ${mutation}(input: $input) { __typename ... on Error { code message } } }`,
    code,
    { variables: { input }, status: 200, ...(says && { says }) },
  );
