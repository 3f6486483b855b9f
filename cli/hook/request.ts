import type { IncomingMessage, request, RequestOptions } from 'node:http';
import { refusalIn } from '../../client/api/refusal.ts';

/** Where Baton is and who asks. */
export interface Server {
  url: string;
  key: string | undefined;
}

/** Baton does not answer, or refuses. */
export class Failed extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly sessionId: string | null = null,
  ) {
    super(message);
  }
}

interface Answer {
  data?: Record<string, unknown>;
  errors?: { message: string; extensions?: { code?: string } }[];
}

const maxAnswerBytes = 1_000_000;

/** `request` of the protocol of an address. */
export async function requestTo({ protocol }: URL): Promise<typeof request> {
  return (protocol === 'https:' ? await import('node:https') : await import('node:http')).request;
}

/** Sends a body and returns the answer. `node:http` loads in a third of the time of `fetch`. @throws Failed */
export async function post(
  { url, key }: Server,
  path: string,
  type: string,
  body: Buffer | string,
  signal: AbortSignal,
): Promise<unknown> {
  const address = new URL(`${url}${path}`);
  const send = await requestTo(address);
  const headers = {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    ...(key && { authorization: `Bearer ${key}` }),
  };
  const options: RequestOptions = { method: 'POST', headers, signal };
  const { statusCode = 0, text } = await new Promise<{ statusCode?: number | undefined; text: string }>(
    (resolve, reject) => {
      send(
        address,
        options,
        (response) => void read(response).then((text) => resolve({ statusCode: response.statusCode, text }), reject),
      )
        .on('error', reject)
        .end(body);
    },
  ).catch((error: unknown) => {
    throw new Failed(
      'AWAY',
      signal.aborted
        ? `${address.origin} did not answer in time`
        : `nothing answers at ${address.origin} (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
    );
  });
  const answer = parsed(text);
  const [error] = answer?.errors ?? [];
  if (error !== undefined) throw new Failed(error.extensions?.code ?? 'UNKNOWN', error.message);
  if (answer === null || statusCode !== 200) throw new Failed('AWAY', `${address.origin} answered ${statusCode}`);
  return answer;
}

async function read(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new Failed('AWAY', 'the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parsed(text: string): Answer | null {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return null;
  }
}

/** Sends an operation. @throws Failed, also for an error in a mutation's union */
export async function ask<Data>(server: Server, query: string, variables: object, signal: AbortSignal): Promise<Data> {
  const { data } = (await post(
    server,
    '/graphql',
    'application/json',
    JSON.stringify({ query, variables }),
    signal,
  )) as Answer;
  const refusal = refusalIn(data);
  if (refusal !== null)
    throw new Failed(refusal.code, refusal.message, (refusal['sessionId'] as string | undefined) ?? null);
  return data as Data;
}
