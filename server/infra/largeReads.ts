import type { Duplex } from 'node:stream';
import type pg from 'pg';

/** A statement's answer above this size is large. The largest field has 256 KB. */
export const largeBytes = 2 * 1024 * 1024;
const restMs = { most: 500, times: 2 };

interface Connection {
  stream: Duplex;
  on(event: 'readyForQuery' | 'end', listener: () => void): void;
}

/**
 * A PostgreSQL client whose instances read one large answer at a time; the others wait in order, in PostgreSQL and the kernel
 * instead of this process's memory. After each the client pauses for twice the time that it took (at most `restMs.most`),
 * so that other work can run. Timeouts of statements still apply.
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
