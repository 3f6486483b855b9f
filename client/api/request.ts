import type { ToolResultFieldsFragment, TypedDocumentString } from './operations.ts';
import { refusalIn, type Refusal } from './refusal.ts';

/** An error from Baton, in a mutation's union or at the top level. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(
    readonly code: string,
    message: string,
    /** What to give back to the model whose handoff call was refused; null for other operations. */
    readonly toolResult: ToolResultFieldsFragment | null = null,
  ) {
    super(message);
  }
}

interface Body {
  data?: Record<string, unknown> | null;
  errors?: { message: string; extensions?: { code?: string } }[];
}

const tries = 10;

/** The result without the errors of its unions, which are thrown. */
type Payloads<Result> = { [Field in keyof Result]: Exclude<Result[Field], Refusal> };

/** The payload of an operation whose mutation is named `answer`; of others, the data without refusals. */
export type PayloadOf<Result> =
  Payloads<Result> extends { answer: infer Payload } ? Payload : { [Field in keyof Result]: Payloads<Result>[Field] };

/** Fields with a union of which nothing is selected for some types: a refusal would look like a success. */
export type UnreadRefusals<Result> = {
  [Field in keyof Result]: Result[Field] extends infer Member
    ? Member extends object
      ? keyof Member extends '__typename'
        ? Field
        : PropertyKey extends keyof Member
          ? Field
          : never
      : never
    : never;
}[keyof Result];

/** Fails to compile for a document that does not select the errors of its unions. */
type ReadsRefusals<Result> = [UnreadRefusals<Result>] extends [never]
  ? unknown
  : { 'select `... on Error { code message }` in': UnreadRefusals<Result> };

/**
 * Sends an operation of this package, or any other document. Returns the payload of a mutation; throws its error.
 * @throws Refused
 */
export interface Api {
  <Result, Variables extends object>(
    operation: TypedDocumentString<Result, Variables> & ReadsRefusals<Result>,
    variables: Variables,
  ): Promise<PayloadOf<Result>>;
  <Data>(query: string, variables: object): Promise<Data>;
}

/**
 * Sends requests over HTTP and returns the data, for a mutation named `answer` its payload. Throws what a mutation refuses,
 * whatever the alias of its field. Retries while the server is down
 * or restarting, so every request must be repeatable: a query, a life-cycle change, or a mutation with an idempotency key.
 *
 *     const ask = createApi({ url: 'http://127.0.0.1:4000', key: process.env.BATON_KEY });
 *     const { session } = await ask(ReassignSessionDocument, { input: { sessionId, agentId: 'claude-1', idempotencyKey } });
 *
 * `url` is Baton's address, as of its dashboard or with `/graphql`. `key` is needed where the server asks for one.
 */
export function createApi({ url, key }: { url: string; key?: string | undefined }): Api {
  const endpoint = new URL(`${url.replace(/(\/graphql)?\/*$/, '')}/graphql`);
  const headers = {
    'content-type': 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };

  async function once(query: unknown, variables: object): Promise<Body | null> {
    try {
      const response = await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
      return (await response.json()) as Body;
    } catch {
      return null;
    }
  }

  return async <Data>(query: unknown, variables: object) => {
    for (let attempt = 1; ; attempt += 1) {
      const body = await once(query, variables);
      const [error] = body?.errors ?? [];
      const away =
        body === null || error?.extensions?.code === 'UNAVAILABLE' || error?.extensions?.code === 'RATE_LIMITED';
      if (!away) {
        if (error !== undefined) throw new Refused(error.extensions?.code ?? 'UNKNOWN', error.message);
        const refusal = refusalIn(body.data);
        if (refusal !== null) throw refusedBy(refusal);
        return (body.data?.['answer'] ?? body.data) as Data;
      }
      if (attempt === tries)
        throw new Refused('UNAVAILABLE', error?.message ?? `Nothing answers at ${endpoint.origin}`);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 250 * 2 ** Math.min(attempt, 6)));
    }
  };
}

const refusedBy = ({ code, message, toolResult }: Refusal & { toolResult?: unknown }): Refused =>
  new Refused(code, message, (toolResult ?? null) as ToolResultFieldsFragment | null);
