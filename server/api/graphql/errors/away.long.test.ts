import pg from 'pg';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { atEnd } from '../../../../test/database.ts';
import { client, send, type Answer } from '../../../../test/graphql.ts';
import { hashAllTables } from '../../../../test/hash.ts';
import { brokenInvariants } from '../../../../test/invariants.ts';
import { ownPostgres } from '../../../../test/ownPostgres.ts';
import { isAlive, postgresPid, signalFamily } from '../../../../test/processes.ts';
import { startServer } from '../../../../test/server.ts';
import { world } from '../../../../test/world.ts';
import { encodeId } from '../../../core/ids.ts';

// A PostgreSQL for this file alone and a real server process that knows its URL: what would end a process ends this one.
const postgres = await ownPostgres();
const { url: databaseUrl, pool } = postgres;
const server = await startServer({ databaseUrl });
atEnd(() => server.kill('SIGKILL').then(() => undefined));
const api = client(server.url);

const { agent, session } = world(pool);
await agent('ada', { maxCapacity: 100 });
await agent('bob', { maxCapacity: 100 });
const sessionId = encodeId('session', await session('ada'));

type Said = Answer<{ answer?: { __typename: string }; session?: { id: string } } | null>;
const mutate = (id = sessionId): Promise<Said> =>
  api.post('mutation ($input: ReassignSessionInput!) { answer: reassignSession(input: $input) { __typename } }', {
    input: { sessionId: id, agentId: 'bob' },
  });
const ask = (): Promise<Said> =>
  api.post('query ($id: ID!) { session(id: $id) { id agent { id } handoffs { nodes { id } } } }', { id: sessionId });

async function expectAway(answers: Promise<Said>[], milliseconds: number): Promise<void> {
  const before = performance.now();
  for (const { errors } of await Promise.all(answers)) {
    expect(errors).toMatchObject([
      { extensions: { code: 'UNAVAILABLE' }, message: expect.stringMatching(/try again in a moment/) as string },
    ]);
    if (errors?.[0]?.path?.[0] === 'answer') expect(errors[0].message).toContain('nothing was changed');
  }
  expect(performance.now() - before).toBeLessThan(milliseconds);
}

/** It answers again by itself, is the same process, and the database is as it was. */
async function expectBack(hash: object): Promise<void> {
  await vi.waitFor(async () => expect((await send(`${server.url}/readyz`)).status).toBe(200), { timeout: 60_000 });
  expect((await ask()).data).toMatchObject({ session: { id: sessionId } });
  expect(await hashAllTables(pool)).toEqual(hash);
  const moved = encodeId('session', await session('ada'));
  expect((await mutate(moved)).data).toEqual({ answer: { __typename: 'ReassignSessionPayload' } });
}

/** Holds the session's row, so that a mutation begins and then waits in the middle of its transaction. */
async function holdSession(): Promise<{ release(): void }> {
  const holder = new pg.Client({ connectionString: databaseUrl });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM sessions WHERE id = (SELECT id FROM sessions ORDER BY id LIMIT 1) FOR UPDATE');
  const release = (): void => void holder.end().catch(() => undefined);
  // A failed attempt that kept the lock would fail every later one.
  onTestFinished(release);
  return { release };
}
async function waitingBackend(): Promise<number> {
  return vi.waitFor(async () => {
    const { rows } = await pool.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'baton' AND wait_event_type = 'Lock' AND datname = current_database()`,
    );
    expect(rows).toHaveLength(1);
    return rows[0]!.pid;
  }, 8_000);
}

afterEach(async () => {
  expect(isAlive(server.pid)).toBe(true);
  expect(await brokenInvariants(pool)).toEqual([]);
});

it('a mutation whose connection ends returns UNAVAILABLE at once and writes nothing, and the next request succeeds', async () => {
  const hash = await hashAllTables(pool);
  const held = await holdSession();
  const answer = mutate();
  await pool.query('SELECT pg_terminate_backend($1)', [await waitingBackend()]);
  await expectAway([answer], 5_000);
  held.release();
  await expectBack(hash);
});

it('the server survives the end of all its connections, and serves the next request', async () => {
  await Promise.all(Array.from({ length: 10 }, ask));
  const hash = await hashAllTables(pool);
  const held = await holdSession();
  const answer = mutate();
  await waitingBackend();
  await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'baton%'`);
  await expectAway([answer], 5_000);
  held.release();
  await expectBack(hash);
});

it('a mutation of a locked session returns UNAVAILABLE in bounded time and writes nothing', async () => {
  const hash = await hashAllTables(pool);
  const held = await holdSession();
  // Four attempts of two seconds each.
  await expectAway([mutate()], 12_000);
  held.release();
  await expectBack(hash);
}, 60_000);

it('a frozen PostgreSQL makes mutations and queries return UNAVAILABLE in bounded time, without a write', async () => {
  const hash = await hashAllTables(pool);
  const held = await holdSession();
  const inside = mutate();
  await waitingBackend();
  const pid = postgresPid(postgres.folder);
  signalFamily(pid, 'SIGSTOP');
  try {
    await expectAway([inside, mutate(), ask(), ask()], 9_500);
    expect((await send(`${server.url}/livez`)).status).toBe(200);
  } finally {
    signalFamily(pid, 'SIGCONT');
  }
  held.release();
  await expectBack(hash);
}, 60_000);

it('a stopped PostgreSQL makes mutations and queries return UNAVAILABLE at once, without a write', async () => {
  const hash = await hashAllTables(pool);
  const held = await holdSession();
  const inside = mutate();
  await waitingBackend();
  await postgres.stop();
  await expectAway([inside, mutate(), ask(), mutate(), ask()], 5_000);
  held.release();
  await postgres.startAgain();
  await expectBack(hash);
});
