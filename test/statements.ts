import type pg from 'pg';
import { postgresProxy } from './postgresProxy.ts';
import { readFrontend } from './wire.ts';

export interface Traffic {
  /** Waits for PostgreSQL: messages sent together count as one. */
  roundTrips: number;
  /** The executed statements in order. */
  statements: string[];
}

export interface Wire {
  /** The counting URL to connect to. */
  url: string;
  /** The traffic of a piece of work over all connections, without connecting. */
  during<T>(work: () => Promise<T>): Promise<Traffic & { result: T }>;
}

/** A proxy between `pg` and PostgreSQL that reads the messages. */
export async function countOnTheWire(url: string): Promise<Wire> {
  let traffic: Traffic = { roundTrips: 0, statements: [] };
  const address = await postgresProxy(url, () => {
    let waiting = 0;
    const read = readFrontend((statements, asks) => {
      traffic.statements.push(...statements);
      if (asks === 0) return;
      if (waiting === 0) traffic.roundTrips += 1;
      waiting += asks;
    });
    return {
      asked(chunk, pass) {
        read(chunk);
        pass();
      },
      answered(_chunk, pass) {
        // PostgreSQL answers after it has received everything; the first byte back ends the round trip.
        waiting = 0;
        pass();
      },
    };
  });
  return {
    url: address,
    async during(work) {
      traffic = { roundTrips: 0, statements: [] };
      const result = await work();
      return { ...traffic, result };
    },
  };
}

export interface StatementLog {
  texts: string[];
  stop(): void;
}

/** The statements of a pool, Prisma's included. */
export function logStatements(pool: pg.Pool): StatementLog {
  const texts: string[] = [];
  const wrapped = new WeakSet<pg.PoolClient>();
  let on = true;
  const wrap = (client: pg.PoolClient) => {
    if (wrapped.has(client)) return;
    wrapped.add(client);
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const logged = (...args: unknown[]) => {
      const [first] = args as [string | { text: string }];
      if (on) texts.push(typeof first === 'string' ? first : first.text);
      return query(...args);
    };
    client.query = logged as typeof client.query;
  };
  pool.on('acquire', wrap);
  return {
    texts,
    stop() {
      on = false;
      pool.off('acquire', wrap);
    },
  };
}
