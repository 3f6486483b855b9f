import { beforeAll, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { agentCaller, world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { updateAgent } from '../agents/updateAgent.ts';
import { askPerson } from '../approvals/askPerson.ts';
import { acceptHandoff, rejectHandoff } from '../handoffs/changeHandoff.ts';
import { pauseSession } from './changeSession.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { post } = client(url);
const { agent, session, initiate, reassign, turn, run } = world(db.pool);

interface Item {
  kind: string;
  since: string;
  text: string;
  session: { title: string } | null;
  agent: { id: string } | null;
  handoff: { status: string } | null;
  webhook: { url: string } | null;
}
interface Page {
  attention: { totalCount: number; nodes: Item[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
}

async function attention(where: object, first = 50): Promise<Item[]> {
  const found: Item[] = [];
  for (let after: string | null = null; ;) {
    const { data, errors }: Awaited<ReturnType<typeof post<Page>>> = await post<Page>(
      `query ($where: AttentionFilter, $first: Int, $after: String) { attention(where: $where, first: $first, after: $after) {
        totalCount nodes { kind since text session { title } agent { id } handoff { status } webhook { url } } pageInfo { hasNextPage endCursor } } }`,
      { where, first, after },
    );
    expect(errors).toBeUndefined();
    found.push(...data.attention.nodes);
    if (!data.attention.pageInfo.hasNextPage) {
      expect(found).toHaveLength(data.attention.totalCount);
      return found;
    }
    after = data.attention.pageInfo.endCursor;
  }
}
const nameOf = (item: Item): string => item.session?.title ?? item.webhook!.url;
const names = async (where: object, first?: number): Promise<string[]> => (await attention(where, first)).map(nameOf);
const ago = (table: string, column: string, sessionId: string, minutes: number): Promise<unknown> =>
  db.pool.query(
    `UPDATE ${table} SET ${column} = clock_timestamp() - $2 * interval '1 minute' WHERE ${table === 'sessions' ? 'id' : 'session_id'} = $1`,
    [sessionId, minutes],
  );
const webhook = async (address: string, fields: string, values: string): Promise<string> => {
  const { rows } = await db.pool.query<{ id: string }>(
    `INSERT INTO webhooks (id, url, types, secret_version, key_check, position, created_by, created_at${fields}) VALUES (gen_random_uuid(), $1, '{}', 1, 'x', 0, 'admin', now()${values}) RETURNING id`,
    [address],
  );
  return rows[0]!.id;
};
const failing = (webhookId: string, minutes: number): Promise<unknown> =>
  db.pool.query(
    `INSERT INTO deliveries (id, webhook_id, event_id, position, lane, status, attempts, failing_since, failures, error, created_at)
      SELECT gen_random_uuid(), $1, id, 1, 'x', 'PENDING', 3, now() - $2 * interval '1 minute', 3, 'TIMEOUT', now() FROM events LIMIT 1`,
    [webhookId, minutes],
  );

/** Oldest first. */
const expected: [kind: string, name: string, agent: string | null, handoff: string | null, text: RegExp][] = [
  ['WEBHOOK', 'https://failed.example/', null, null, /^A delivery failed for 24 hours: /],
  ['WEBHOOK', 'https://gone.example/', null, null, /^The receiver answered that it is gone: /],
  ['NOT_ACCEPTED', 'overdue', 'bob', 'INITIATED', /^bob has not accepted .* no sweep has timed it out/],
  ['SILENT', 'silent', 'ada', null, /^ada holds it, and nothing has happened/],
  ['WITHOUT_HOLDER', 'never held', null, null, /^No agent has held it/],
  ['WITHOUT_HOLDER', 'declined', 'bob', 'REJECTED', /^bob did not take it over, and it could not return/],
  ['WITHOUT_HOLDER', 'escalated', null, null, /^It waits for an operator/],
  ['QUEUE', 'waits for long', null, null, /^2 sessions wait for an agent of type CODEX, and none has a free place/],
  ['NOT_ACCEPTED', 'half over', 'bob', 'INITIATED', /^bob has not accepted .* more than half of its time/],
  ['LIMIT_REACHED', 'at its limit', 'bob', 'ACCEPTED', /^bob can hand it off no more/],
  ['HANDOFF_LOOP', 'in a loop', 'ada', 'ACCEPTED', /^A limit refused the last handoff of ada/],
  ['WAITING_FOR_PERSON', 'asks', 'ada', null, /^ada asks a question/],
  ['WAITING_FOR_PERSON', 'proposes', 'ada', 'PROPOSED', /^ada wants to hand it off/],
  ['HOLDER_AWAY', 'away', 'gone', null, /^gone holds it and is offline/],
  ['WEBHOOK', 'https://fails.example/', null, null, /^Its deliveries fail/],
  ['QUEUE', 'waits for nobody', null, null, /^1 session waits for an agent of type GEMINI.* and none is available/],
];

beforeAll(async () => {
  for (const id of ['ada', 'bob', 'gone']) await agent(id, { maxCapacity: 50 });
  await agent('full', { type: 'CODEX', maxCapacity: 1 });
  await run(updateAgent, { id: 'ada', collaborators: ['bob'] });
  await run(updateAgent, { id: 'bob', collaborators: ['ada'] });
  const toBob = async (id: string): Promise<string> =>
    (await initiate(id, 'bob', {}, { caller: agentCaller('ada') })).handoffId;
  const waits = async (title: string, minutes: number): Promise<void> => {
    const id = await session('ada', { title });
    await toBob(id);
    await ago('handoffs', 'initiated_at', id, minutes);
    await db.pool.query(
      `UPDATE handoffs SET deadline_at = initiated_at + interval '30 minutes' WHERE session_id = $1`,
      [id],
    );
  };

  await session('ada', { title: 'works' });
  await run(pauseSession, { sessionId: await session('ada', { title: 'paused' }), expectedVersion: null });
  await waits('not half over', 10);
  await waits('overdue', 60);
  await ago('sessions', 'last_activity_at', await session('ada', { title: 'silent', project: 'shop' }), 50);
  await ago('sessions', 'last_activity_at', await session(null, { title: 'never held', project: 'shop' }), 45);
  const declined = await session('full', { title: 'declined' });
  const { handoffId } = await reassign(declined, { agentId: 'bob' });
  await session('full', { title: 'takes the place' });
  await run(rejectHandoff, { handoffId: handoffId!, reason: 'no' });
  await ago('sessions', 'last_activity_at', declined, 44);
  const queued = (title: string, agentType: string) => session(null, { title, agentType, queue: true });
  const escalated = await queued('escalated', 'GEMINI');
  await db.pool.query('UPDATE queue_entries SET escalated = true WHERE session_id = $1', [escalated]);
  await ago('sessions', 'last_activity_at', escalated, 43);
  await queued('waits beside it', 'CODEX');
  await ago('queue_entries', 'queued_at', await queued('waits for long', 'CODEX'), 40);
  await agent('busy', { type: 'LLAMA', maxCapacity: 1 });
  await session('busy', { title: 'takes the other place' });
  await queued('waits not long', 'LLAMA');
  await waits('half over', 16);
  const limited = await session('ada', { title: 'at its limit', maxHandoffs: 1 });
  await run(acceptHandoff, { handoffId: await toBob(limited) });
  await ago('sessions', 'last_activity_at', limited, 12);

  const loop = await session('ada', { title: 'in a loop' });
  await turn(loop);
  await run(acceptHandoff, { handoffId: await toBob(loop) });
  const back = await initiate(loop, 'ada', {}, { caller: agentCaller('bob') });
  await run(acceptHandoff, { handoffId: back.handoffId });
  const refused = await post<{ answer: { code: string } }>(
    'mutation ($input: InitiateHandoffInput!) { answer: initiateHandoff(input: $input) { ... on Error { code } } }',
    { input: { sessionId: encodeId('session', loop), targetAgentId: 'bob' } },
  );
  expect(refused.data.answer.code).toBe('HANDOFF_LOOP');
  await ago('sessions', 'last_activity_at', loop, 11);

  const asks = await session('ada', { title: 'asks', project: 'shop' });
  await run(askPerson, { sessionId: asks, question: 'Which?', options: null });
  await ago('approvals', 'requested_at', asks, 10);
  const proposes = await session('ada', { title: 'proposes', handoffApproval: 'REQUIRED' });
  await toBob(proposes);
  await ago('approvals', 'requested_at', proposes, 9);
  const away = await session('gone', { title: 'away' });
  await run(setAgentStatus, { id: 'gone', status: 'OFFLINE' });
  await ago('sessions', 'last_activity_at', away, 8);
  await ago('queue_entries', 'queued_at', await queued('waits for nobody', 'GEMINI'), 1);

  const disabled = ', disabled_at, disabled_reason';
  await webhook('https://failed.example/', disabled, `, now() - interval '2 hours', 'FAILING'`);
  await webhook('https://gone.example/', disabled, `, now() - interval '90 minutes', 'GONE'`);
  await webhook('https://off.example/', disabled, `, now() - interval '2 hours', 'ADMIN'`);
  await webhook('https://deleted.example/', `${disabled}, deleted_at`, `, now(), 'GONE', now()`);
  await webhook('https://works.example/', '', '');
  await failing(await webhook('https://fails.example/', '', ''), 6);
  await failing(await webhook('https://failed-once.example/', '', ''), 4);
});

it('lists what needs a person, oldest first, in pages of any size (rule: attention)', async () => {
  const items = await attention({});
  expect(items.map((item) => [item.kind, nameOf(item), item.agent?.id ?? null, item.handoff?.status ?? null])).toEqual(
    expected.map(([kind, name, agentId, handoff]) => [kind, name, agentId, handoff]),
  );
  items.forEach(({ text }, at) => expect(text).toMatch(expected[at]![4]));
  expect(items.map(({ since }) => since).toSorted()).toEqual(items.map(({ since }) => since));
  for (const first of [1, 3]) expect(await names({}, first)).toEqual(expected.map(([, name]) => name));
});

it.each([
  [{ kinds: ['SILENT', 'HOLDER_AWAY'] }, ['silent', 'away']],
  [{ kinds: ['QUEUE'] }, ['waits for long', 'waits for nobody']],
  [{ kinds: ['WEBHOOK'] }, ['https://failed.example/', 'https://gone.example/', 'https://fails.example/']],
  [{ kinds: [] }, []],
  [{ agentId: 'bob' }, ['overdue', 'declined', 'half over', 'at its limit']],
  [{ agentId: 'gone' }, ['away']],
  [{ project: 'shop' }, ['silent', 'never held', 'asks']],
  [{ project: 'shop', agentId: 'ada', kinds: ['WAITING_FOR_PERSON'] }, ['asks']],
  [{ agentId: 'ada', kinds: ['WEBHOOK', 'QUEUE'] }, []],
])('is filtered by %o', async (where, names_) => {
  expect(await names(where)).toEqual(names_);
});

it('is over with the next act', async () => {
  const [before] = await attention({ kinds: ['HANDOFF_LOOP'] });
  expect(before).toBeDefined();
  const { rows } = await db.pool.query<{ id: string; title: string }>(
    `SELECT id, title FROM sessions WHERE title IN ('in a loop', 'silent')`,
  );
  for (const { id } of rows) await turn(id);
  await run(setAgentStatus, { id: 'gone', status: 'AVAILABLE' });
  expect(await names({ kinds: ['HANDOFF_LOOP', 'SILENT', 'HOLDER_AWAY'] })).toEqual([]);
});
