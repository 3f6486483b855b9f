import { beforeAll, expect, it } from 'vitest';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { recordQueries } from '../../../test/queries.ts';
import { startApp } from '../../../test/server.ts';
import { agentCaller, world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { silentLog } from '../../infra/log.ts';
import { Presence } from './presence.ts';

const db = await testDatabase();
const { sent } = recordQueries(db.pool);
const pace = { heartbeatMs: 3_600_000, presence: { renewMs: 300 } };
const { url, streams } = await startApp(db, { pace });
const { agent, session } = world(db.pool);
const api = client(url);
const soon = { timeout: 10_000, interval: 50 };

beforeAll(async () => {
  for (const id of ['ada', 'bob', 'eve', 'kim']) await agent(id, { maxCapacity: 10 });
});

async function seen(id: string): Promise<{ connected: boolean; lastSeenAt: string | null }> {
  const { data } = await api.post<{ agent: { connected: boolean; lastSeenAt: string | null } }>(
    'query ($id: ID!) { agent(id: $id) { connected lastSeenAt } }',
    { id },
  );
  return data.agent;
}
const connected = (id: string) => async () => (await seen(id)).connected;

it('an agent is connected while a stream of its inbox or with its key is open', async () => {
  expect(await seen('ada')).toEqual({ connected: false, lastSeenAt: null });
  const inbox = await streams.open({
    key: { kind: 'inbox', agentId: 'ada' },
    caller: agentCaller('ada'),
    after: null,
    accepts: () => true,
  });
  const all = await streams.open({
    key: { kind: 'all' },
    caller: agentCaller('ada'),
    after: null,
    accepts: () => true,
  });
  await expect.poll(connected('ada'), soon).toBe(true);
  const { lastSeenAt } = await seen('ada');
  expect(Math.abs(Date.now() - new Date(lastSeenAt!).getTime())).toBeLessThan(30_000);
  await inbox.return();
  await expect.poll(async () => streams.presence.size, soon).toBe(1);
  expect(await connected('ada')()).toBe(true);
  await all.return();
  await expect.poll(connected('ada'), soon).toBe(false);
  expect((await seen('ada')).lastSeenAt).not.toBeNull();
});

it('an agent is seen when it writes, and once a minute at most', async () => {
  const sessionId = await session('bob');
  const say = () =>
    api.post(
      'mutation ($id: ID!) { appendTurn(input: { sessionId: $id, agentId: "bob", messages: [{ role: ASSISTANT, content: "Hello" }] }) { __typename } }',
      { id: encodeId('session', sessionId) },
    );
  await say();
  await expect.poll(async () => (await seen('bob')).lastSeenAt, soon).not.toBeNull();
  const first = await seen('bob');
  expect(first.connected).toBe(false);
  await say();
  streams.presence.seen('eve');
  await expect.poll(async () => (await seen('eve')).lastSeenAt, soon).not.toBeNull();
  expect(await seen('bob')).toEqual(first);
});

it('a process that stays silent for three renewals loses its connections, and writes them again when it wakes', async () => {
  const other = new Presence({ pool: db.pool, log: silentLog, renewMs: 3_600_000 });
  atEnd(() => other.stop());
  other.connected(['kim', 'unknown']);
  await expect.poll(connected('kim'), soon).toBe(true);
  await db.pool.query(
    `UPDATE server_processes SET alive_until = now() - interval '2 minutes' WHERE id IN (SELECT process_id FROM agent_connections WHERE agent_id = 'kim')`,
  );
  expect(await connected('kim')()).toBe(false);
  const stream = await streams.open({
    key: { kind: 'inbox', agentId: 'eve' },
    caller: agentCaller('eve'),
    after: null,
    accepts: () => true,
  });
  await expect
    .poll(async () => (await db.pool.query(`SELECT FROM agent_connections WHERE agent_id = 'kim'`)).rowCount, soon)
    .toBe(0);
  other.connected(['ada']);
  await expect.poll(connected('kim'), soon).toBe(true);
  expect(await connected('ada')()).toBe(true);
  await stream.return();
});

it('an ended server leaves no connection', async () => {
  const other = await startApp(db, { pace });
  await other.streams.open({
    key: { kind: 'inbox', agentId: 'bob' },
    caller: agentCaller('bob'),
    after: null,
    accepts: () => true,
  });
  await expect.poll(connected('bob'), soon).toBe(true);
  await other.stop();
  expect(await connected('bob')()).toBe(false);
});

it('reads both fields of all agents of a list in one statement', async () => {
  sent.length = 0;
  await api.post('{ agents(first: 10) { nodes { id connected lastSeenAt } } }');
  expect(sent.filter(({ text }) => text.includes('agent_presence p'))).toHaveLength(1);
});
