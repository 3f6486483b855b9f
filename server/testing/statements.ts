import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { atEnd } from './database.ts';
import { readFrontend } from './wire.ts';

export interface Traffic {
  /** How often somebody waited for PostgreSQL: messages sent together are one. */
  roundTrips: number;
  /** The statements that were executed, in order. */
  statements: string[];
}

export interface Wire {
  /** Connect here instead, to be counted. */
  url: string;
  /** What a piece of work sends to PostgreSQL, all connections together; connecting does not count. */
  during<T>(work: () => Promise<T>): Promise<Traffic & { result: T }>;
}

/** Stands between `pg` and PostgreSQL and reads along. */
export async function countOnTheWire(url: string): Promise<Wire> {
  const { host, port, user, password, database } = new pg.Client({ connectionString: url });
  const folder = mkdtempSync(join(tmpdir(), 'baton-wire-'));
  const sockets = new Set<Socket>();
  let traffic: Traffic = { roundTrips: 0, statements: [] };

  const server = createServer((near) => {
    const far = host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host);
    const waiting = { answers: 0 };
    const read = readFrontend((statements, asks) => {
      traffic.statements.push(...statements);
      if (asks === 0) return;
      if (waiting.answers === 0) traffic.roundTrips += 1;
      waiting.answers += asks;
    });
    near.on('data', (chunk: Buffer) => {
      read(chunk);
      far.write(chunk);
    });
    far.on('data', (chunk: Buffer) => {
      // PostgreSQL answers when it has everything; a first byte back means that the wait for it is over.
      waiting.answers = 0;
      near.write(chunk);
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(join(folder, '.s.PGSQL.5432'), resolve));
  atEnd(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });
  const secret = `${encodeURIComponent(user ?? '')}:${encodeURIComponent(password ?? '')}`;
  return {
    url: `postgresql://${secret}@/${database}?host=${encodeURIComponent(folder)}`,
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

/** The texts of what runs through a pool, Prisma's included. */
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
