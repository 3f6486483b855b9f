import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { atEnd } from '../../../test/database.ts';
import { client, send } from '../../../test/graphql.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { ownPostgres } from '../../../test/ownPostgres.ts';
import { startServer } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { clusterOf } from '../../infra/postgres/server.ts';

// A PostgreSQL for this file alone, and a real server process that knows its URL.
const postgres = await ownPostgres();
const { url: databaseUrl, pool } = postgres;
const server = await startServer({ databaseUrl });
atEnd(() => server.kill('SIGKILL').then(() => undefined));
const api = client(server.url);

const { agent, session } = world(pool);
for (const id of ['ada', 'bob']) await agent(id, { maxCapacity: 100 });
const sessionId = encodeId('session', await session('ada'));

const ready = () => send(`${server.url}/readyz`);
const move = () =>
  api.post<{ answer: { __typename: string } } | null>(
    `mutation ($input: ReassignSessionInput!) { answer: reassignSession(input: $input) { __typename } }`,
    { input: { sessionId, agentId: 'bob' } },
  );
const name = () => api.post('mutation { updateAgent(input: { id: "ada", name: "Ada" }) { __typename } }');

/** Every write is refused as UNAVAILABLE, reads go on, and the server is not ready. */
async function expectReadOnly(): Promise<void> {
  await vi.waitFor(
    async () =>
      expect(await ready()).toMatchObject({ status: 503, body: '{"status":"unavailable","missing":["postgres"]}' }),
    { timeout: 30_000 },
  );
  const before = await hashAllTables(pool);
  // More of them than there are connections, so that none of them is left as it was.
  for (const { errors } of await Promise.all(Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? move() : name())))) {
    expect(errors).toMatchObject([
      { extensions: { code: 'UNAVAILABLE' }, message: expect.stringContaining('nothing was changed') as string },
    ]);
  }
  expect((await api.post('query ($id: ID!) { session(id: $id) { id agent { id } } }', { id: sessionId })).data).toEqual(
    { session: { id: sessionId, agent: { id: 'ada' } } },
  );
  expect(await hashAllTables(pool)).toEqual(before);
}

async function expectReady(): Promise<void> {
  await vi.waitFor(async () => expect((await ready()).status).toBe(200), { timeout: 30_000 });
  expect((await name()).data).toEqual({ updateAgent: { __typename: 'UpdateAgentPayload' } });
}

it('a server on a read-only PostgreSQL is not ready and rejects writes with UNAVAILABLE', async () => {
  await expectReady();
  await pool.query('ALTER SYSTEM SET default_transaction_read_only = on');
  await pool.query('SELECT pg_reload_conf()');
  await expectReadOnly();
  const repair = new pg.Client({ connectionString: databaseUrl, options: '-c default_transaction_read_only=off' });
  await repair.connect();
  await repair.query('ALTER SYSTEM RESET default_transaction_read_only');
  await repair.query('SELECT pg_reload_conf()');
  await repair.end();
  await expectReady();
});

it('a server on a standby rejects writes, and accepts them after the promotion', async () => {
  await postgres.stop();
  await writeFile(join(clusterOf(postgres.base), 'data', 'standby.signal'), '');
  await postgres.startAgain();
  await expectReadOnly();
  await pool.query('SELECT pg_promote()');
  await expectReady();
  expect((await move()).data).toEqual({ answer: { __typename: 'ReassignSessionPayload' } });
}, 60_000);
