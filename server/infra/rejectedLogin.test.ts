import { expect, it, vi } from 'vitest';
import { atEnd } from '../../test/database.ts';
import { withDatabase } from '../../test/cluster.ts';
import { client, send } from '../../test/graphql.ts';
import { ownPostgres } from '../../test/ownPostgres.ts';
import { startServer } from '../../test/server.ts';
import { migrateUp } from './migrate.ts';

// A PostgreSQL for this file alone, and a server process with a role and a database of its own.
const postgres = await ownPostgres();
await postgres.pool.query("CREATE ROLE app LOGIN SUPERUSER PASSWORD 'first'");
await postgres.pool.query('CREATE DATABASE served');
const servedUrl = withDatabase(postgres.url, 'served');
await migrateUp(servedUrl);
const server = await startServer({ databaseUrl: servedUrl.replace(/\/\/[^@]*@/, '//app:first@') });
atEnd(() => server.kill('SIGKILL').then(() => undefined));
const api = client(server.url);

const register = (id: string) =>
  api.post(`mutation { registerAgent(input: { id: "${id}", type: "CLAUDE" }) { __typename } }`);
/** Every request is refused as UNAVAILABLE while the server runs on and is not ready. */
async function expectRefused(): Promise<void> {
  await vi.waitFor(
    async () =>
      expect(await send(`${server.url}/readyz`)).toMatchObject({
        status: 503,
        body: '{"status":"unavailable","missing":["postgres"]}',
      }),
    { timeout: 30_000 },
  );
  // More of them than there are connections.
  for (const { errors } of await Promise.all([
    ...Array.from({ length: 12 }, (_, n) => register(`none-${n}`)),
    api.post('{ agents(first: 5) { nodes { id } } }'),
  ]))
    expect(errors).toMatchObject([{ extensions: { code: 'UNAVAILABLE' } }]);
  expect((await send(`${server.url}/livez`)).status).toBe(200);
}

async function expectServed(id: string): Promise<void> {
  await vi.waitFor(async () => expect((await send(`${server.url}/readyz`)).status).toBe(200), { timeout: 30_000 });
  expect((await register(id)).errors).toBeUndefined();
}

/** Changes something from outside, and ends the connections that the server has. */
async function outside(statement: string): Promise<void> {
  const end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname IN ('served', 'elsewhere')";
  await vi.waitFor(
    async () => {
      await postgres.pool.query(end);
      await postgres.pool.query(statement);
    },
    { timeout: 30_000, interval: 20 },
  );
  await postgres.pool.query(end);
}

it('a server whose password was changed rejects every request with UNAVAILABLE, and serves again when it is valid', async () => {
  await expectServed('ada');
  await outside("ALTER ROLE app PASSWORD 'second'");
  await expectRefused();
  await outside("ALTER ROLE app PASSWORD 'first'");
  await expectServed('bob');
  const { data } = await api.post<{ agents: { nodes: { id: string }[] } }>('{ agents(first: 50) { nodes { id } } }');
  expect(data.agents.nodes.map(({ id }) => id).sort()).toEqual(['ada', 'bob']);
}, 120_000);

it('a server whose database is gone rejects every request with UNAVAILABLE, and serves again when it is back', async () => {
  await expectServed('cyd');
  await outside('ALTER DATABASE served RENAME TO elsewhere');
  await expectRefused();
  await outside('ALTER DATABASE elsewhere RENAME TO served');
  await expectServed('dee');
}, 120_000);
