import { createHash } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { limits as requestLimits } from '../core/limits.ts';
import { PrismaClient } from '../generated/prisma/client.ts';
import { Client } from './postgres/client.ts';
import { oneLargeAtOnce, withMostBytes } from './largeReads.ts';
import type { Log } from './log.ts';
import { SharedPool } from './sharedPool.ts';
import { watchedClient } from './slowStatements.ts';

export interface Database {
  url: string;
  /** The only pool: Prisma and raw statements share its connections. */
  pool: pg.Pool;
  prisma: PrismaClient;
  close(): Promise<void>;
}

export const limits = {
  connections: 10,
  connectMs: 2_000,
  // Idle connections but one are closed: other processes may need them. After 4.5 s without requests, a page of six took 112 ms with 3 s here, and 84 ms with
  // connections that were still open.
  idleMs: 10_000,
  // Wait for a free connection. A thousand concurrent commands took 3.6 s: waiting does not mean that PostgreSQL is away.
  turnMs: 10_000,
  statementMs: 5_000,
  lockMs: 2_000,
  idleInTransactionMs: 10_000,
  // Above `statementMs`, so that it applies only when PostgreSQL or the network hangs.
  answerMs: 6_000,
  closeMs: 1_000,
} as const;

/** `core/observed.ts` listens here: `infra` imports none of it. */
const statements = channel('baton.statement');

/** Sent with each connection. PgBouncer passes on none but the name: docs/operations.md. */
export const sessionSettings = {
  statement_timeout: limits.statementMs,
  lock_timeout: limits.lockMs,
  idle_in_transaction_session_timeout: limits.idleInTransactionMs,
  application_name: 'baton',
} as const;

export interface DatabaseOptions {
  /** False: no statement has a name, so that any connection can execute it. */
  prepared?: boolean | undefined;
}

export function createDatabase(url: string, log: Log, { prepared = true }: DatabaseOptions = {}): Database {
  const took = (ms: number): void => {
    if (statements.hasSubscribers) statements.publish({ pool, ms });
  };
  const pool: pg.Pool = new SharedPool({
    connectionString: url,
    max: limits.connections,
    min: 1,
    idleTimeoutMillis: limits.idleMs,
    Client: watchedClient(log, oneLargeAtOnce(prepared ? ImpatientClient : unnamed(ImpatientClient)), took),
    connectionTimeoutMillis: limits.turnMs,
    ...sessionSettings,
    query_timeout: limits.answerMs,
    keepAlive: true,
  });
  let closing = false;
  // Without a listener a connection lost while idle would end the process.
  pool.on('error', (error) => {
    // A command stops the PostgreSQL that it started, on a busy machine before the last connection is closed.
    if (!closing) log.warn({ err: error.message }, 'A connection to PostgreSQL was lost');
  });
  const adapter = new PrismaPg(withMostBytes(pool, requestLimits.held.ofPrisma), {
    statementNameGenerator: statementNames(),
  });
  const prisma = new PrismaClient({ adapter, errorFormat: 'minimal' });
  return {
    url,
    pool,
    prisma,
    close() {
      closing = true;
      return close(pool, prisma);
    },
  };
}

/** The pool has one timeout for connecting and for waiting; this client sets its own for connecting. */
class ImpatientClient extends Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: limits.connectMs });
  }
}

/** A client that sends every statement without its name. */
function unnamed(Client: typeof pg.Client): typeof pg.Client {
  type Query = (this: pg.Client, ...args: unknown[]) => unknown;
  const query = Client.prototype.query as Query;
  const Unnamed = class extends Client {};
  const send: Query = function (first, ...others) {
    const isNamed = typeof first === 'object' && first !== null && 'name' in first && 'text' in first;
    return query.call(this, isNamed ? { ...first, name: undefined } : first, ...others);
  };
  Unnamed.prototype.query = send as typeof Client.prototype.query;
  return Unnamed;
}

/**
 * PostgreSQL parses and plans a named statement once per connection. The number of names is limited, since lists of different
 * lengths are different statements; further statements are unnamed.
 */
function statementNames(limit = 1_000): (query: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size >= limit) return '';
    const name = `p_${createHash('sha256').update(sql).digest('hex').slice(0, 24)}`;
    names.set(sql, name);
    return name;
  };
}

/** Does not wait longer than `closeMs`: a frozen PostgreSQL never confirms. */
async function close(pool: pg.Pool, prisma: PrismaClient): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, limits.closeMs)));
  await Promise.race([prisma.$disconnect().then(() => pool.end()), late]);
  clearTimeout(timer);
}
