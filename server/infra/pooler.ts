import type pg from 'pg';
import type { Log } from './log.ts';
import { sessionSettings } from './prisma.ts';
import { isOutOfConnections } from './sharedPool.ts';
import { StartError } from '../core/startError.ts';
import { Client, explainConnection } from './postgres/client.ts';

const withinMs = 5_000;
/** Attempts to meet the same connection of the pooler twice. Without other work the first does. */
const attempts = 3;

const page = 'docs/operations.md, "PgBouncer"';

/**
 * Finds out whether a pooler such as PgBouncer is between Baton and PostgreSQL, and whether its settings suit.
 * @throws StartError when it refuses Baton's settings of a connection, or cannot keep named statements that Baton would use
 */
export async function checkPooler(url: string, prepared: boolean, log: Log): Promise<void> {
  await connected(url, async (open) => {
    const first = await open();
    if (!(await isPooled(first))) return;
    if (prepared) await requireNames(first, await open());
    const { rows } = await first.query<{ ms: string }>(`SELECT current_setting('statement_timeout') AS ms`);
    if (rows[0]?.ms === '0')
      log.warn(
        `DATABASE_URL leads to a pooler that passes on no statement_timeout: set one in its connect_query, so that no statement can run on for ever (${page})`,
      );
  }).catch((error: unknown) => {
    // The pool waits for a connection.
    if (!isOutOfConnections(error)) throw explained(error);
  });
}

/**
 * Refuses a replica behind a pooler: a replica that restarts may have less for a moment, and only the end of its connections says so. A replica that
 * does not answer is not refused.
 * @throws StartError
 */
export async function refusePooledReplica(url: string): Promise<void> {
  const isBehindPooler = await connected(url, async (open) => isPooled(await open())).catch(() => false);
  if (isBehindPooler)
    throw new StartError(`DATABASE_REPLICA_URL leads to a pooler: give the address of the replica itself (${page})`);
}

async function connected<T>(url: string, work: (open: () => Promise<pg.Client>) => Promise<T>): Promise<T> {
  const clients: pg.Client[] = [];
  const open = async (): Promise<pg.Client> => {
    const client = new Client({
      connectionString: url,
      ...sessionSettings,
      connectionTimeoutMillis: withinMs,
      query_timeout: withinMs,
    });
    clients.push(client);
    await client.connect();
    return client;
  };
  try {
    return await work(open);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

/** A pooler gives its clients process ids of its own. */
async function isPooled(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid !== Reflect.get(client, 'processID');
}

/** In transaction mode both clients get the same connection, where the name is taken. */
async function requireNames(first: pg.Client, second: pg.Client): Promise<void> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const name = `baton_probe_${process.pid}_${Date.now()}_${attempt}`;
    for (const client of [first, second, first]) await client.query({ name, text: 'SELECT 1' });
  }
}

function explained(error: unknown): unknown {
  const { code, message } = error as { code?: string; message: string };
  if (code === '42P05' || code === '26000')
    return new StartError(
      `DATABASE_URL leads to a pooler in transaction mode that keeps no prepared statements: set BATON_PREPARED=0 (${page})`,
    );
  const [, parameter] = /unsupported startup parameter: (\w+)/.exec(message) ?? [];
  if (parameter !== undefined)
    return new StartError(
      `DATABASE_URL leads to a pooler that refuses ${parameter}: add ignore_startup_parameters = ${Object.keys(
        sessionSettings,
      )
        .filter((name) => name !== 'application_name')
        .join(', ')} to its settings (${page})`,
    );
  return explainConnection(error);
}
