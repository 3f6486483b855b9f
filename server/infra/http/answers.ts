import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { limits } from '../../core/limits.ts';
import { chooseEncoding, compress, compressParts, type Encoding } from './encoding.ts';
import { EventStream } from './eventStream.ts';
import { type Account, type Full, type Held, Ledger, type LedgerLimits } from './ledger.ts';
import { TextAnswer } from './plainPost.ts';
import { accountOf, endWith, streamTo, streamWithin } from './sendBody.ts';

const longText = 500_000;

export interface Streamed {
  response: Response;
  parts: AsyncIterable<string>;
}

/** An answer of which the sender learns whether it was sent whole. `over` may be called more than once: the first call counts. */
export interface Followed {
  response: Response;
  over(isSent: boolean): void;
}

/** What a route returns. */
export type Answered = Response | Streamed | Followed;

interface Recipient {
  account: Account;
  key: string;
}

/** Sends answers as fast as clients read them, compressed when asked. Unread bytes stay within the ledger's limits. */
export function createAnswers(chosen: Partial<LedgerLimits> = {}) {
  const ledger = new Ledger({ ...limits.unread, ...chosen });
  return {
    /** Call before the body is read: a request whose body was refused has lost its socket. */
    accountOf: (request: IncomingMessage): Account => accountOf(ledger, request),

    /** Sends an answer of `/graphql`. */
    async send(response: ServerResponse, result: Response | TextAnswer, to: Recipient): Promise<void> {
      if (!(result instanceof TextAnswer)) return sendResponse(response, result, to);
      const { status, headers, body } = result;
      // Making the text took a turn of the event loop; making bytes of it takes another.
      if (body.length > longText) await setImmediate();
      return sendWhole(response, { status, headers: Object.entries(headers), body: Buffer.from(body) }, to);
    },

    /** Sends the answer of a route. Awaits `pay` before each further `limits.readBytes` of a download. */
    async sendFound(response: ServerResponse, found: Answered, to: Recipient, pay: () => Promise<void>): Promise<void> {
      if (found instanceof Response) return sendResponse(response, found, to);
      if ('over' in found) {
        // None of the events below comes when the client left, or was answered otherwise, while this answer was made.
        if (to.account.closed || response.destroyed || response.writableEnded) found.over(false);
        // A pipelined response has no 'close' of its own, and one that was refused is finished with another status.
        const stop = to.account.whenClosed(() => found.over(false));
        response
          .once('finish', () => found.over(response.statusCode === found.response.status))
          .once('close', () => {
            stop();
            found.over(false);
          });
        return sendResponse(response, found.response, to);
      }
      const { status, headers } = found.response;
      const encoding = encodingFor(response, headers.get('content-type'), Infinity);
      const parts = paid(found.parts, pay);
      if (encoding === 'identity' || headers.has('content-length')) {
        writeHead(response, status, headers);
        return streamTo(response, parts, { ...to, reserve: limits.unread.part });
      }
      writeHead(response, status, encoded(headers, encoding));
      // The compressor keeps a part between two reads, so the space is held until the end.
      const held = await to.account.holdInTurn(to.key, limits.unread.part);
      if (held !== null) await streamWithin(held, response, compressParts(parts, encoding), to.account);
    },
  };
}

async function sendResponse(response: ServerResponse, result: Response, to: Recipient): Promise<void> {
  const { status, headers } = result;
  if (result instanceof EventStream) {
    // Makes nginx pass events on at once.
    response.setHeader('x-accel-buffering', 'no');
    writeHead(response, status, headers);
    return streamTo(response, result.events, to);
  }
  await sendWhole(response, { status, headers, body: Buffer.from(await result.arrayBuffer()) }, to);
}

type Headers = Iterable<[string, string]>;

async function sendWhole(
  response: ServerResponse,
  { status, headers, body: whole }: { status: number; headers: Headers; body: Buffer },
  to: Recipient,
): Promise<void> {
  const held = heldFor(response, whole.length, to);
  if (held === null) return;
  const known = new Map([...headers].map(([name, value]) => [name.toLowerCase(), value]));
  const encoding = encodingFor(response, known.get('content-type'), whole.length);
  const body = encoding === 'identity' ? whole : await compress(whole, encoding);
  // Answered meanwhile because the request took too long.
  if (response.headersSent) return;
  const described = encoded(known, encoding);
  writeHead(response, status, body.length === 0 ? described : described.set('content-length', String(body.length)));
  if (body.length <= limits.unread.always) response.end(body);
  else await endWith(response, body, to.account, held);
}

/** Smaller answers fit into one packet, compressed or not. */
const worthCompressing = 1_024;
const compressible = /^text\/|json\b/;

/** The encoding of an answer that the client accepts. Adds the header by which caches tell the encodings apart. */
function encodingFor(response: ServerResponse, type: string | null | undefined, bytes: number): Encoding {
  if (bytes < worthCompressing || !compressible.test(type ?? '')) return 'identity';
  response.appendHeader('vary', 'accept-encoding');
  return chooseEncoding(response.req.headers['accept-encoding']);
}

/** The headers of the encoded answer. Its ETag is weak, because the bytes differ between encodings. */
function encoded(headers: Headers, encoding: Encoding): Map<string, string> {
  const all = new Map(headers);
  const etag = all.get('etag');
  if (encoding === 'identity') return all;
  return etag === undefined
    ? all.set('content-encoding', encoding)
    : all.set('content-encoding', encoding).set('etag', `W/${etag}`);
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

function writeHead(response: ServerResponse, status: number, headers: Headers): void {
  for (const [name, value] of headers) {
    if (name === 'vary') response.appendHeader(name, value);
    else response.setHeader(name, value);
  }
  response.writeHead(status);
}

const whatIsDone = 'a mutation in this request may have been committed';

function tooMuchUnread(response: ServerResponse, full: Full): void {
  if (full === 'process')
    return unavailable(response, `Too many answers are unread: try again in a moment; ${whatIsDone}`);
  const [whose, most] =
    full === 'key' ? ['this key', limits.unread.key] : ['this connection', limits.unread.connection];
  response.setHeader('retry-after', '1');
  refusal(
    response,
    429,
    'RATE_LIMITED',
    `The unread answers on ${whose} exceed ${most} bytes: read them, then try again; ${whatIsDone}`,
  );
}

/** The header by which callers and operators name a request. */
export const requestIdHeader = 'x-request-id';

/** Answers with an error in the form of a GraphQL error. */
export function refusal(response: ServerResponse, status: number, code: string, message: string): void {
  json(response, status, {
    errors: [{ message, extensions: { code, requestId: response.getHeader(requestIdHeader) } }],
  });
}

export function unavailable(response: ServerResponse, message: string): void {
  response.setHeader('retry-after', '1');
  refusal(response, 503, 'UNAVAILABLE', message);
}

export function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

export function text(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${body}\n`);
}
