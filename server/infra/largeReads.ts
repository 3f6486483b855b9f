import type { Duplex } from 'node:stream';
import type pg from 'pg';

/** Of one statement: the largest field that there may be has 256 KB. */
export const largeBytes = 2 * 1024 * 1024;
const restMs = { most: 500, times: 2 };

interface Connection {
  stream: Duplex;
  on(event: 'readyForQuery' | 'end', listener: () => void): void;
}

/**
 * A client of PostgreSQL for a pool that reads on with one large answer at a time; the others wait in order, in
 * PostgreSQL and the kernel instead of this process' memory. After each, no other is read for twice as long as that one
 * took, so that large answers leave time for the work of others. Statements still end by their own time limits.
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
    #bytes = 0;

    constructor(connection: Connection) {
      connection.on('readyForQuery', () => {
        this.#end();
        // Encryption replaces the stream before a connection is first ready.
        if (this.stream === undefined) (this.stream = connection.stream).on('data', this.#took);
      });
      connection.on('end', () => this.#end());
    }

    readonly #took = (chunk: Buffer): void => {
      this.#bytes += chunk.length;
      if (this.#bytes <= largeBytes || current === this || waiting.has(this)) return;
      if (current === undefined) return begin(this);
      waiting.add(this);
      this.stream!.pause();
    };

    #end(): void {
      this.#bytes = 0;
      waiting.delete(this);
      if (current === this) setTimeout(next, Math.min(restMs.times * (performance.now() - this.since), restMs.most)).unref();
    }
  }

  return class extends Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      new Reading(Reflect.get(this, 'connection'));
    }
  };
}
