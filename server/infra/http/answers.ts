import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendNodeResponse } from '@whatwg-node/server';
import { limits } from '../../limits/limits.ts';
import { type Account, type Full, type Held, Ledger, type LedgerLimits } from './ledger.ts';
import { accountOf, endWith, streamTo } from './sendBody.ts';

/** An answer whose body is made while it is sent. */
export interface Streamed {
  response: Response;
  parts: AsyncIterable<string>;
}

interface Recipient {
  account: Account;
  key: string;
}

/** Sends answers as their readers take them, and keeps no more unread than the ledger allows. */
export function createAnswers(chosen: Partial<LedgerLimits> = {}) {
  const ledger = new Ledger({ ...limits.unread, ...chosen });
  return {
    /** To be asked before the body is read: a request whose body was refused knows its connection no more. */
    accountOf: (request: IncomingMessage): Account => accountOf(ledger, request),

    /** What Yoga answers: most of it is small and there as a text. */
    async send(request: IncomingMessage, response: ServerResponse, result: Response, to: Recipient): Promise<void> {
      const whole = textOf(result);
      if (whole !== null && whole.length > limits.unread.always) return sendWhole(response, result, Buffer.from(whole), to);
      const { body } = result;
      if (whole === null && body !== null) {
        writeHead(response, result);
        response.once('close', () => void body.cancel().catch(() => undefined));
        return streamTo(response, body, to);
      }
      if (heldFor(response, whole?.length ?? 0, to) !== null) await sendNodeResponse(result, response, request, true);
    },

    /** What a route answers; `pay` is waited for before each further megabyte of what is streamed. */
    async sendFound(response: ServerResponse, found: Response | Streamed, to: Recipient, pay: () => Promise<void>): Promise<void> {
      if (found instanceof Response) return sendWhole(response, found, Buffer.from(await found.arrayBuffer()), to);
      writeHead(response, found.response);
      return streamTo(response, paid(found.parts, pay), { ...to, reserve: limits.unread.part });
    },
  };
}

async function sendWhole(response: ServerResponse, result: Response, body: Buffer, to: Recipient): Promise<void> {
  const held = heldFor(response, body.length, to);
  if (held === null) return;
  writeHead(response, result);
  await endWith(response, body, to.account, held);
}

/** Counts an answer until its reader has taken it; null when it was refused, because too much waits already. */
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

/** The body of an answer that is there as a whole. */
function textOf(result: Response): string | null {
  // How Yoga's own `Response` keeps a text that it was made of.
  const { bodyType, bodyInit } = result as { bodyType?: string; bodyInit?: unknown };
  return bodyType === 'String' && typeof bodyInit === 'string' ? bodyInit : null;
}

function writeHead(response: ServerResponse, { status, headers }: Response): void {
  headers.forEach((value, name) => response.setHeader(name, value));
  response.writeHead(status);
}

const whatIsDone = 'what a mutation of this request has done, it has done';

function tooMuchUnread(response: ServerResponse, full: Full): void {
  if (full === 'process') return unavailable(response, `Too many answers wait to be read: try again in a moment; ${whatIsDone}`);
  const [whose, most] = full === 'key' ? ['this key', limits.unread.key] : ['this connection', limits.unread.connection];
  response.setHeader('retry-after', '1');
  json(response, 429, failure('RATE_LIMITED', `The answers on ${whose} that were not read yet have more than ${most} bytes: read them, then try again; ${whatIsDone}`));
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
