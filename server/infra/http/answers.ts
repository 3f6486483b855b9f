import type { IncomingMessage, ServerResponse } from 'node:http';
import { limits } from '../../limits/limits.ts';
import { type Account, type Full, type Held, Ledger, type LedgerLimits } from './ledger.ts';
import { TextAnswer } from './plainPost.ts';
import { accountOf, endWith, streamTo } from './sendBody.ts';

export interface Streamed {
  response: Response;
  parts: AsyncIterable<string>;
}

interface Recipient {
  account: Account;
  key: string;
}

/** Sends answers as fast as clients read them. Unread bytes stay within the ledger's limits. */
export function createAnswers(chosen: Partial<LedgerLimits> = {}) {
  const ledger = new Ledger({ ...limits.unread, ...chosen });
  return {
    /** Call before the body is read: a request whose body was refused has lost its socket. */
    accountOf: (request: IncomingMessage): Account => accountOf(ledger, request),

    /** Sends an answer of `/graphql`. */
    async send(response: ServerResponse, result: Response | TextAnswer, to: Recipient): Promise<void> {
      if (result instanceof TextAnswer) {
        const { status, headers, body } = result;
        return sendWhole(response, Buffer.from(body), to, (bytes) => response.writeHead(status, { ...headers, 'content-length': bytes }));
      }
      const { body } = result;
      if (body === null || !isStream(result)) return sendResponse(response, result, to);
      writeHead(response, result);
      response.once('close', () => void body.cancel().catch(() => undefined));
      return streamTo(response, body, to);
    },

    /** Sends the answer of a route. Awaits `pay` before each further `limits.readBytes` of a stream. */
    async sendFound(response: ServerResponse, found: Response | Streamed, to: Recipient, pay: () => Promise<void>): Promise<void> {
      if (found instanceof Response) return sendResponse(response, found, to);
      writeHead(response, found.response);
      return streamTo(response, paid(found.parts, pay), { ...to, reserve: limits.unread.part });
    },
  };
}

const isStream = ({ headers }: Response): boolean => /^(text\/event-stream|multipart\/)/.test(headers.get('content-type') ?? '');

async function sendResponse(response: ServerResponse, result: Response, to: Recipient): Promise<void> {
  await sendWhole(response, Buffer.from(await result.arrayBuffer()), to, () => writeHead(response, result));
}

async function sendWhole(response: ServerResponse, body: Buffer, to: Recipient, writeHead: (bytes: number) => void): Promise<void> {
  const held = heldFor(response, body.length, to);
  if (held === null) return;
  writeHead(body.length);
  if (body.length <= limits.unread.always) response.end(body);
  else await endWith(response, body, to.account, held);
}

/** Counts an answer until it is read. Null: it was refused because the limit is reached. */
function heldFor(response: ServerResponse, bytes: number, { account, key }: Recipient): Held | null {
  const full = account.full(key, bytes);
  if (full !== null && (full === 'connection' || bytes > limits.unread.always)) {
    tooMuchUnread(response, full);
    return null;
  }
  const held = account.hold(key, bytes);
  response.once('close', () => held.end());
  return held;
}

async function* paid(parts: AsyncIterable<string>, pay: () => Promise<void>): AsyncGenerator<Buffer> {
  let unpaid = 0;
  for await (const part of parts) {
    const bytes = Buffer.from(part);
    for (unpaid += bytes.length; unpaid > limits.readBytes; unpaid -= limits.readBytes) await pay();
    yield bytes;
  }
}

function writeHead(response: ServerResponse, { status, headers }: Response): void {
  headers.forEach((value, name) => response.setHeader(name, value));
  response.writeHead(status);
}

const whatIsDone = 'a mutation in this request may have been committed';

function tooMuchUnread(response: ServerResponse, full: Full): void {
  if (full === 'process') return unavailable(response, `Too many answers are unread: try again in a moment; ${whatIsDone}`);
  const [whose, most] = full === 'key' ? ['this key', limits.unread.key] : ['this connection', limits.unread.connection];
  response.setHeader('retry-after', '1');
  json(response, 429, failure('RATE_LIMITED', `The unread answers on ${whose} exceed ${most} bytes: read them, then try again; ${whatIsDone}`));
}

export function failure(code: string, message: string): object {
  return { errors: [{ message, extensions: { code } }] };
}

export function unavailable(response: ServerResponse, message: string): void {
  response.setHeader('retry-after', '1');
  json(response, 503, failure('UNAVAILABLE', message));
}

export function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

export function text(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${body}\n`);
}
