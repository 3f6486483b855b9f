import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { atEnd } from './database.ts';
import { unnamed } from './unnamed.ts';

export interface GraphQLErrorBody {
  message: string;
  path?: (string | number)[];
  extensions: { code: string; [key: string]: unknown };
}

export interface Answer<Data> {
  status: number;
  headers: IncomingHttpHeaders;
  data: Data;
  errors: GraphQLErrorBody[] | undefined;
}

export interface Client {
  // The caller declares the shape that its query selects.
  post<Data = Record<string, never>>(
    query: string,
    variables?: object,
    headers?: Record<string, string>,
  ): Promise<Answer<Data>>;
  close(): void;
}

/** A client with its own connections; `key` authenticates it. */
export function client(url: string, { key }: { key?: string } = {}): Client {
  const agent = new Agent({ keepAlive: true });
  atEnd(() => agent.destroy());
  return {
    async post<Data>(query: string, variables: object = {}, headers: Record<string, string> = {}) {
      const answer = await send(`${url}/graphql`, {
        agent,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...headers,
        },
        body: JSON.stringify({ query, variables }),
      });
      const { data, errors } = JSON.parse(answer.body) as { data: Data; errors?: GraphQLErrorBody[] };
      for (const { message } of errors ?? []) demandNoSlip(message, query, variables);
      return { status: answer.status, headers: answer.headers, data, errors };
    },
    close: () => agent.destroy(),
  };
}

const slips = /\bundefined\b|\bNaN\b|\[object \w+\]/;

/** No message shows a value that the code forgot, in any test. What the caller sent may have such words. */
function demandNoSlip(message: string, query: string, variables: object): void {
  if (slips.test(message) && !slips.test(`${query}${JSON.stringify(variables)}`))
    throw new Error(`A message has a value that was forgotten: ${message}`);
}

export interface SendOptions {
  agent?: Agent;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** True: errors keep the id of their request. */
  named?: boolean;
}

export interface Sent {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** One HTTP request; unlike `fetch` it can send any header, `Host` included. */
export async function send(url: string, { body, agent, named = false, ...options }: SendOptions = {}): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent: agent ?? false, ...options }, (response) => {
      text(response).then(
        (received) =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: named ? received : unnamed(received),
          }),
        reject,
      );
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}
