import type pg from 'pg';

export interface Query {
  text: string;
  values: unknown[];
  /** Of a statement whose plan each connection keeps. */
  name?: string | undefined;
}

/** Records a pool's queries with their values, Prisma's included. */
export function recordQueries(pool: pg.Pool): { sent: Query[] } {
  const sent: Query[] = [];
  const wrapped = new WeakSet<pg.PoolClient>();
  pool.on('acquire', (client) => {
    if (wrapped.has(client)) return;
    wrapped.add(client);
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const recorded = (...args: unknown[]) => {
      const [first, second] = args as [string | Partial<Query>, unknown];
      const text = typeof first === 'string' ? first : first.text;
      const values =
        (typeof first === 'string' ? undefined : first.values) ?? (Array.isArray(second) ? (second as unknown[]) : []);
      if (text !== undefined) sent.push({ text, values, name: typeof first === 'string' ? undefined : first.name });
      return query(...args);
    };
    client.query = recorded as typeof client.query;
  });
  return { sent };
}
