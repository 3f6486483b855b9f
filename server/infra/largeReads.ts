import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type pg from 'pg';
import type { AnswerTooLarge } from '../core/databaseErrors.ts';

/** A statement's answer above this size is large. The largest field has 256 KB. */
export const largeBytes = 2 * 1024 * 1024;
const restMs = { most: 500, times: 2 };

interface Connection {
  stream: Duplex;
  on(event: 'readyForQuery' | 'dataRow' | 'end', listener: () => void): void;
}

/**
 * A PostgreSQL client whose instances read one large answer at a time; the others wait in order, in PostgreSQL and the kernel
 * instead of this process's memory. After each the client pauses for twice the time that it took (at most `restMs.most`),
 * so that other work can run. Timeouts of statements still apply.
 *
 * A statement with `mostBytes` whose answer is larger is rejected with `AnswerTooLarge` as soon as it is. Its connection is
 * closed, because PostgreSQL would send the rest.
 */
export function oneLargeAtOnce(Client: typeof pg.Client): typeof pg.Client {
  const waiting = new Set<Reading>();
  let current: Reading | undefined;

  const next = (): void => {
    current = undefined;
    const [first] = waiting;
    if (first === undefined) return;
    waiting.delete(first);
    begin(first);
  };
  const begin = (reading: Reading): void => {
    current = reading;
    reading.since = performance.now();
    reading.stream?.resume();
  };

  class Reading {
    stream: Duplex | undefined;
    since = 0;
    mostBytes = Infinity;
    #bytes = 0;
    #rows = 0;
    readonly #messages = new Messages();

    constructor(connection: Connection) {
      connection.on('readyForQuery', () => {
        this.#end();
        // Encryption replaces the stream before a connection is first ready.
        if (this.stream === undefined) (this.stream = connection.stream).on('data', this.#took);
      });
      connection.on('dataRow', () => (this.#rows += 1));
      connection.on('end', () => this.#end());
    }

    readonly #took = (chunk: Buffer): void => {
      this.#bytes += chunk.length;
      const announced = this.#bytes + this.#messages.restAfter(chunk);
      if (announced > this.mostBytes)
        return void this.stream!.destroy(answerTooLarge(announced, this.#rows, this.mostBytes));
      if (this.#bytes <= largeBytes || current === this || waiting.has(this)) return;
      if (current === undefined) return begin(this);
      waiting.add(this);
      this.stream!.pause();
    };

    #end(): void {
      this.#bytes = 0;
      this.#rows = 0;
      this.mostBytes = Infinity;
      waiting.delete(this);
      if (current === this)
        setTimeout(next, Math.min(restMs.times * (performance.now() - this.since), restMs.most)).unref();
    }
  }

  type Query = (this: pg.Client, ...args: unknown[]) => unknown;
  const query = Client.prototype.query as Query;
  const Reader = class extends Client {
    readonly reading: Reading;

    constructor(config?: string | pg.ClientConfig) {
      super(config);
      this.reading = new Reading(Reflect.get(this, 'connection'));
    }
  };
  const bounded = function (this: InstanceType<typeof Reader>, ...args: unknown[]): unknown {
    const mostBytes: unknown =
      typeof args[0] === 'object' && args[0] !== null ? Reflect.get(args[0], 'mostBytes') : undefined;
    if (typeof mostBytes === 'number') this.reading.mostBytes = mostBytes;
    return query.apply(this, args);
  };
  Reader.prototype.query = bounded as typeof Reader.prototype.query;
  return Reader;
}

const headBytes = 5;
const none: Buffer = Buffer.alloc(0);

/** Follows the messages of PostgreSQL's protocol, each of which begins with its type and its length. */
class Messages {
  /** Bytes of the current message that are still to come. */
  #rest = 0;
  #head = none;

  /** Bytes that the message at the end of this chunk still has. */
  restAfter(chunk: Buffer): number {
    let at = Math.min(this.#rest, chunk.length);
    this.#rest -= at;
    while (at < chunk.length) {
      // A chunk may end within a head.
      const head =
        this.#head.length === 0
          ? chunk.subarray(at, at + headBytes)
          : Buffer.concat([this.#head, chunk.subarray(at, at + headBytes - this.#head.length)]);
      at += head.length - this.#head.length;
      const isWhole = head.length === headBytes;
      this.#head = isWhole ? none : head;
      const length = isWhole ? head.readUInt32BE(1) - 4 : 0;
      this.#rest = Math.max(0, at + length - chunk.length);
      at += length;
    }
    return this.#rest;
  }
}

const answerTooLarge = (bytes: number, rows: number, limit: number): AnswerTooLarge =>
  Object.assign(new Error(`The answer to a statement has ${bytes} bytes or more`), {
    code: 'ANSWER_TOO_LARGE' as const,
    bytes,
    rows,
    limit,
  });

const longText = 500_000;
const isLong = (rows: readonly object[]): boolean =>
  rows.some((row) => Object.values(row).some((value) => typeof value === 'string' && value.length > longText));

/** The pool with a limit for the answer of each statement. */
export const withMostBytes = (pool: pg.Pool, mostBytes: number): pg.Pool =>
  new Proxy(pool, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof found !== 'function') return found;
      if (name === 'query')
        return async (query: object, ...others: unknown[]) => {
          const result = (await Reflect.apply(found, target, [{ ...query, mostBytes }, ...others])) as pg.QueryResult;
          // The text took a part of this turn of the event loop; what is made of it takes the next one.
          if (isLong(result.rows)) await setImmediate();
          return result;
        };
      return found.bind(target) as unknown;
    },
  });
