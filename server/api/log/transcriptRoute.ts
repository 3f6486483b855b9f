import { setImmediate, setTimeout } from 'node:timers/promises';
import { GraphQLError } from 'graphql';
import { z } from 'zod';
import { UnavailableError } from '../../core/errors.ts';
import { httpStatusOf } from '../../core/httpStatus.ts';
import { encodeId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import type { CallerRequest } from '../../core/request.ts';
import { Turns, type TurnLimits } from '../../core/turns.ts';
import type { Caller } from '../../core/work.ts';
import { type Body, BrokenOff } from '../../infra/http/body.ts';
import { isOriginAllowed } from '../../infra/http/originCheck.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import { badArgument } from '../graphql/input/badArgument.ts';
import { decodeArgs, idOf, optional, title } from '../graphql/input/schemas.ts';
import { importOptions, runImport, runImportOfNew } from './importMutation.ts';

const address = /^\/sessions\/([^/]+)\/transcript$/;
const maxBytes = limits.body.transcript;
/** Content types that a browser sends from a foreign page without a preflight. Plain text is allowed: programs send it by default. */
const forms = /^(multipart\/form-data|application\/x-www-form-urlencoded)\b/i;

const flag = z
  .enum(['true', 'false', '1', '0', ''], { message: 'is neither true nor false: give one of them' })
  .nullish()
  .transform((value) => value === 'true' || value === '1');
const options = { ...importOptions, sidechain: flag, skipDamaged: flag };
const query = z.object({ sessionId: idOf('session'), windowFull: flag, ...options });
const queryOfNew = z.object({ title: optional(title), ...options });

export interface UploadLimits extends TurnLimits {
  /** Least bytes that must come in `ms` milliseconds of waiting for them. */
  slowest: Rate;
}

export interface TranscriptRouteOptions {
  createContext: (caller: Caller) => GraphQLContext;
  maskError: (error: unknown, request?: CallerRequest) => Error;
  uploads?: Partial<UploadLimits> | undefined;
  /** Origins whose pages may send transcripts. */
  allowedOrigins: readonly string[];
}

/**
 * `POST /sessions/<id>/transcript`, or `/sessions/new/transcript` for a new session: imports the body, read as it
 * arrives, up to 64 MB. `skipDamaged=true` leaves out damaged lines, which the report counts. Returns the report of importTranscript as JSON with the session's id, or an error in the form
 * of a GraphQL error. An import holds what it read in memory until it is written, so large imports take turns.
 */
export const transcriptRoute = ({ createContext, maskError, uploads, allowedOrigins }: TranscriptRouteOptions) => {
  const { slowest, ...most } = { ...limits.uploads, ...uploads };
  const turns = new Turns(most);
  return async (
    request: Request,
    caller: () => Promise<Caller>,
    _ask: unknown,
    made: CallerRequest,
    sent: Body,
  ): Promise<Response | undefined> => {
    const url = new URL(request.url);
    const sessionId = address.exec(url.pathname)?.[1];
    if (sessionId === undefined) return undefined;
    if (request.method !== 'POST')
      return refusal(made, 405, 'BAD_REQUEST', 'Send the transcript with POST.', { allow: 'POST' });
    if (forms.test(request.headers.get('content-type') ?? ''))
      return refusal(made, 415, 'BAD_REQUEST', 'Send the transcript itself as the body, as application/x-ndjson.');
    if (!isOriginAllowed(request.headers.get('origin') ?? undefined, url.origin, allowedOrigins))
      return refusal(made, 403, 'BAD_REQUEST', 'Pages of other origins may not send transcripts.');
    const body = new Upload(sent);
    let endTurn: (() => void) | null | undefined;
    try {
      const context = createContext(await caller());
      const length = request.headers.get('content-length');
      if (Number(length) > maxBytes) throw new TooLarge();
      const given = Object.fromEntries(url.searchParams);
      // Arguments are checked before waiting for a turn.
      const ofNew = sessionId === 'new' ? decodeArgs(queryOfNew, given) : null;
      const ofKnown = ofNew === null ? decodeArgs(query, { ...given, sessionId: decoded(sessionId) }) : null;
      const isSmall = length !== null && Number(length) <= limits.uploads.turnBytes;
      endTurn = isSmall ? undefined : await turns.take(context.caller.principal);
      if (endTurn === null) throw new NoTurn();
      if (!isSmall) body.demandRate(slowest);
      // A slow sender of a small file keeps no thread.
      const chunks = isSmall ? await all(body.chunks()) : body.chunks();
      const source = { chunks, hasTurn: !isSmall };
      const answer =
        ofNew === null
          ? await runImport(context, { ...ofKnown!, ...source })
          : await runImportOfNew(context, { ...ofNew, ...source });
      return Response.json(
        { sessionId: encodeId('session', answer.sessionId), ...answer.report },
        { headers: { 'cache-control': 'no-store' } },
      );
    } catch (error) {
      if (error instanceof BrokenOff)
        return refusal(
          made,
          400,
          'BAD_REQUEST',
          'The upload ended before the transcript was complete: nothing was changed, send it again.',
        );
      if (error instanceof TooSlow) {
        return refusal(
          made,
          408,
          'BAD_REQUEST',
          `The upload is too slow: fewer than ${slowest.bytes} bytes came in ${slowest.ms} ms: nothing was changed, send it faster or in smaller parts.`,
        );
      }
      if (error instanceof TooLarge) {
        return refusal(
          made,
          413,
          'REQUEST_ENTITY_TOO_LARGE',
          `The transcript is larger than ${maxBytes} bytes: import it in parts.`,
        );
      }
      if (error instanceof NoTurn) {
        return refusal(
          made,
          503,
          'UNAVAILABLE',
          'Other large transcripts are being imported: nothing was changed, send it again in a moment.',
          { 'retry-after': '5' },
        );
      }
      const { message, extensions } = masked(maskError(error, made));
      const { http, ...shown } = extensions;
      const status = httpStatusOf(String(extensions['code']));
      // Retry-After promises that nothing was changed. A repeated import into `new` would create a second session.
      const isUnchanged = !(error instanceof UnavailableError && error.outcome === 'unknown');
      const more = {
        ...(status === 503 && isUnchanged && { 'retry-after': '1' }),
        ...(http as { headers?: Record<string, string> } | undefined)?.headers,
      };
      return Response.json(
        { errors: [{ message, extensions: { ...shown, requestId: made.id } }] },
        { status, headers: { 'cache-control': 'no-store', ...more } },
      );
    } finally {
      endTurn?.();
    }
  };
};

class NoTurn extends Error {}

class TooLarge extends Error {}
class TooSlow extends Error {}

interface Rate {
  bytes: number;
  ms: number;
}

/** An upload within its limits of size and, when demanded, of speed. */
class Upload {
  readonly #parts: AsyncIterator<Uint8Array>;
  #bytes = 0;
  #slowest: Rate | null = null;
  /** The time spent waiting for the sender since `#since` bytes had come. */
  #waitedMs = 0;
  #since = 0;

  constructor(body: Body) {
    this.#parts = body[Symbol.asyncIterator]();
  }

  demandRate(slowest: Rate): void {
    this.#slowest = slowest;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    for (let part = await this.#inTime(); part !== null; part = await this.#inTime()) {
      this.#bytes += part.byteLength;
      if (this.#bytes > maxBytes) throw new TooLarge();
      yield part;
    }
  }

  /** Counts only the time in which the server waits for the sender. */
  async #inTime(): Promise<Uint8Array | null> {
    const next = this.#next();
    const slowest = this.#slowest;
    if (slowest === null) return next;
    for (;;) {
      const began = performance.now();
      const part = await within(next, slowest.ms - this.#waitedMs);
      this.#waitedMs += performance.now() - began;
      if (part !== late) return part;
      if (this.#bytes - this.#since < slowest.bytes) throw new TooSlow();
      [this.#waitedMs, this.#since] = [0, this.#bytes];
    }
  }

  async #next(): Promise<Uint8Array | null> {
    const part = await this.#parts.next();
    return part.done === true ? null : part.value;
  }
}

async function all(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const read: Uint8Array[] = [];
  for await (const chunk of chunks) read.push(chunk);
  return read;
}

const late = Symbol('late');

async function within<Value>(value: Promise<Value>, ms: number): Promise<Value | typeof late> {
  const over = new AbortController();
  // After a long turn of the event loop, what came meanwhile is read before the next immediate.
  const timeout = setTimeout(Math.max(0, ms), undefined, { signal: over.signal }).then(() => setImmediate(late));
  try {
    return await Promise.race([value, timeout]);
  } finally {
    over.abort();
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw badArgument(`sessionId is '${part.slice(0, 60)}', which is not an id: give the id of a session`, [
      'sessionId',
    ]);
  }
}

const masked = (error: Error): { message: string; extensions: Record<string, unknown> } => ({
  message: error.message,
  extensions: error instanceof GraphQLError ? error.extensions : {},
});

const refusal = (
  made: CallerRequest,
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Response => Response.json({ errors: [{ message, extensions: { code, requestId: made.id } }] }, { status, headers });
