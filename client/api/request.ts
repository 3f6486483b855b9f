import type { ErrorCode, TypedDocumentString } from './operations.ts';

/** An error from Baton, in a mutation's union or at the top level. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

interface Body {
  data?: ({ answer?: { code?: string; message?: string } } & Record<string, unknown>) | null;
  errors?: { message: string; extensions?: { code?: string } }[];
}

const tries = 10;

/** The payload of an operation whose mutation is named `answer`; of others, the data. */
export type PayloadOf<Result> = Result extends { answer: infer Answer }
  ? Exclude<Answer, { code: ErrorCode; message: string }>
  : Result;

/** Sends an operation of this package, or any other document. @throws Refused */
export interface Api {
  <Result, Variables extends object>(
    operation: TypedDocumentString<Result, Variables>,
    variables: Variables,
  ): Promise<PayloadOf<Result>>;
  <Data>(query: string, variables: object): Promise<Data>;
}

/**
 * Sends requests over HTTP and returns the data, for a mutation named `answer` its payload. Retries while the server is down
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
        const { answer } = body.data ?? {};
        if (answer?.code !== undefined) throw new Refused(answer.code, answer.message ?? '');
        return (answer ?? body.data) as Data;
      }
      if (attempt === tries)
        throw new Refused('UNAVAILABLE', error?.message ?? `Nothing answers at ${endpoint.origin}`);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 250 * 2 ** Math.min(attempt, 6)));
    }
  };
}
