import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import type { Log } from '../server/infra/log.ts';
import { silentLog } from '../server/infra/log.ts';
import { createDatabase, type Database } from '../server/infra/prisma.ts';
import { withDatabase } from './cluster.ts';

/** The longest time for a closed connection to disappear. */
const closesWithin = 2_000;

export interface TestDatabase extends Database {
  name: string;
  /** A superuser's URL of another database in the same PostgreSQL. */
  adminUrl: string;
}

/** A migrated database for this test file, dropped afterwards. Dropping fails if a connection is left open. */
export async function testDatabase(options: { log?: Log } = {}): Promise<TestDatabase> {
  const { name, url } = await cloneTemplate();
  const database = createDatabase(url, options.log ?? silentLog);
  afterAll(async () => {
    await closeAll();
    await database.close();
    await dropDatabase(name);
  });
  return { ...database, name, adminUrl: inject('adminUrl') };
}

/** A database without tables, for tests of migrations. */
export async function emptyDatabase(): Promise<{ name: string; url: string }> {
  const name = newName();
  await admin((client) => client.query(`CREATE DATABASE ${name}`));
  afterAll(() => dropDatabase(name));
  return { name, url: withDatabase(inject('adminUrl'), name) };
}

const closers: (() => Promise<void> | void)[] = [];

/** Runs at the end of the test file, before its databases are dropped. */
export function atEnd(close: () => Promise<void> | void): void {
  closers.push(close);
}

/** Runs all registered cleanups, newest first, so that the worker's next file starts clean. */
export async function closeAll(): Promise<void> {
  const failures: unknown[] = [];
  for (let close = closers.pop(); close; close = closers.pop()) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures);
}

async function cloneTemplate(): Promise<{ name: string; url: string }> {
  const name = newName();
  // By default PostgreSQL writes each page of the copy to its log as well, which takes twice the time.
  await admin((client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE ${inject('databasePrefix')}template STRATEGY FILE_COPY`),
  );
  return { name, url: withDatabase(inject('adminUrl'), name) };
}

function newName(): string {
  return `${inject('databasePrefix')}${randomBytes(6).toString('hex')}`;
}

async function dropDatabase(name: string): Promise<void> {
  await admin(async (client) => {
    const left = await connectionsLeft(client, name);
    await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    if (left.length > 0) throw new Error(`Connections to the test database were left open:\n${left.join('\n')}`);
  });
}

async function connectionsLeft(client: pg.Client, name: string): Promise<string[]> {
  const deadline = Date.now() + closesWithin;
  for (;;) {
    const { rows } = await client.query<{ line: string }>(
      `SELECT format('%s, %s: %s', application_name, state, query) AS line
       FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'`,
      [name],
    );
    if (rows.length === 0 || Date.now() > deadline) return rows.map(({ line }) => line);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Works while no other worker of this run works under this name. PostgreSQL frees the name of a killed worker. */
export async function alone<T>(name: string, work: () => Promise<T>): Promise<T> {
  return admin(async (client) => {
    await client.query('SELECT pg_advisory_lock(4244004, hashtext($1))', [name]);
    return work();
  });
}

async function admin<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: inject('adminUrl'), application_name: 'baton tests' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
