import pg from 'pg';

export interface Ping {
  /** Whether PostgreSQL answers and takes writes now; known within `answersWithin`, also when it is frozen. */
  answers(): Promise<boolean>;
  close(): Promise<void>;
}

const answersWithin = 1_000;

/** A connection of its own: a pool that is busy is not a PostgreSQL that is away. */
export function createPing(url: string): Ping {
  let client: pg.Client | undefined;
  let asking: Promise<boolean> | undefined;

  async function ask(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, answersWithin, false)));
    const answered = await Promise.race([query(), late]);
    clearTimeout(timer);
    if (!answered) drop();
    return answered;
  }

  async function query(): Promise<boolean> {
    try {
      if (!client) {
        const fresh = new pg.Client({
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
      // "on" also on a standby. The next ping connects anew, perhaps to the one that was promoted.
      const { rows } = await client.query<{ reads_only: string }>(`SELECT current_setting('transaction_read_only') AS reads_only`);
      return rows[0]?.reads_only === 'off';
    } catch {
      return false;
    }
  }

  function drop(): void {
    void client?.end().catch(() => undefined);
    client = undefined;
  }

  return {
    answers() {
      asking ??= ask().finally(() => (asking = undefined));
      return asking;
    },
    async close() {
      await asking;
      await client?.end().catch(() => undefined);
      client = undefined;
    },
  };
}
