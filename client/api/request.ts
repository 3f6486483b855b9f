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

/**
 * Sends requests over HTTP and returns the data, for a mutation named `answer` its payload. Retries while the server is down
 * or restarting, so every request must be repeatable: a query, a life-cycle change, or a mutation with a key.
 */
export function createApi({ url, key }: { url: string; key?: string | undefined }): <Data>(query: string, variables: object) => Promise<Data> {
  const endpoint = new URL('/graphql', url);
  const headers = { 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };

  async function once(query: string, variables: object): Promise<Body | null> {
    try {
      const response = await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
      return (await response.json()) as Body;
    } catch {
      return null;
    }
  }

  return async <Data>(query: string, variables: object) => {
    for (let attempt = 1; ; attempt += 1) {
      const body = await once(query, variables);
      const [error] = body?.errors ?? [];
      const away = body === null || error?.extensions?.code === 'UNAVAILABLE' || error?.extensions?.code === 'RATE_LIMITED';
      if (!away) {
        if (error !== undefined) throw new Refused(error.extensions?.code ?? 'UNKNOWN', error.message);
        const { answer } = body.data ?? {};
        if (answer?.code !== undefined) throw new Refused(answer.code, answer.message ?? '');
        return (answer ?? body.data) as Data;
      }
      if (attempt === tries) throw new Refused('UNAVAILABLE', error?.message ?? `Nobody answers at ${endpoint.origin}`);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 250 * 2 ** Math.min(attempt, 6)));
    }
  };
}
