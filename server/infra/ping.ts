import type pg from 'pg';
import { isOutOfConnections } from './sharedPool.ts';
import { Client } from './postgres/client.ts';

export interface Ping {
  /** Whether PostgreSQL accepts writes or has no free connection. Resolves within `answersWithin`, also when PostgreSQL is frozen. */
  answers(): Promise<boolean>;
  close(): Promise<void>;
}

const answersWithin = 1_000;

/** Uses its own connection: a busy pool does not mean that PostgreSQL is away. */
export function createPing(url: string): Ping {
  let client: pg.Client | undefined;
  let pending: Promise<boolean> | undefined;

  async function ask(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => (timer = setTimeout(resolve, answersWithin, false)));
    const answered = await Promise.race([query(), late]);
    clearTimeout(timer);
    if (answered !== true) drop();
    return answered !== false;
  }

  async function query(): Promise<boolean | 'full'> {
    try {
      if (!client) {
        const fresh = new Client({
          connectionString: url,
          connectionTimeoutMillis: answersWithin,
          query_timeout: answersWithin,
          application_name: 'baton readiness',
        });
        fresh.on('error', () => {
          if (client === fresh) drop();
        });
        client = fresh;
        await fresh.connect();
      }
      // "on" on a standby. The next ping reconnects, perhaps to the promoted server.
      const { rows } = await client.query<{ reads_only: string }>(
        `SELECT current_setting('transaction_read_only') AS reads_only`,
      );
      return rows[0]?.reads_only === 'off';
    } catch (error) {
      return isOutOfConnections(error) && 'full';
    }
  }

  function drop(): void {
    void client?.end().catch(() => undefined);
    client = undefined;
  }

  return {
    answers() {
      pending ??= ask().finally(() => (pending = undefined));
      return pending;
    },
    async close() {
      await pending;
      await client?.end().catch(() => undefined);
      client = undefined;
    },
  };
}
