import { beforeAll, describe, expect, it } from 'vitest';
import { seed } from '../../../prisma/seed.ts';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { encodeId } from '../../core/ids.ts';
import { silentLog } from '../../infra/log.ts';

const db = await testDatabase();
await seed({ pool: db.pool, log: silentLog });
const { url } = await startApp(db, { variables: { BATON_ADMIN_KEY: adminKey } });
const admin = client(url, { key: adminKey });
const analyst = client(url, { key: await secretFor(db.pool, 'ANALYST') });
const codex = client(url, { key: await secretFor(db.pool, 'AGENT', 'codex-1') });

interface Row {
  id: string;
  type: string;
  at: string;
  actor: { principal: string; agent: { id: string; name: string } | null };
  agent: { id: string } | null;
  session: { id: string; project: string | null } | null;
}
const columns = 'id type at actor { principal agent { id name } } agent { id } session { id project }';
interface Page {
  totalCount: number;
  nodes: Row[];
  pageInfo: { endCursor: string | null; hasNextPage: boolean };
}

async function page(variables: object): Promise<Page> {
  const { data, errors } = await analyst.post<{ events: Page }>(
    `query ($where: EventFilter, $first: Int, $after: String, $orderBy: EventOrder) {
      events(where: $where, first: $first, after: $after, orderBy: $orderBy) { totalCount nodes { ${columns} } pageInfo { endCursor hasNextPage } } }`,
    variables,
  );
  expect(errors).toBeUndefined();
  return data.events;
}

/** All pages of a filter, of `first` Events each. */
async function events(where: object, first = 100, orderBy: object | null = null): Promise<Row[]> {
  const found: Row[] = [];
  let after: string | null = null;
  for (;;) {
    const { nodes, totalCount, pageInfo } = await page({ where, first, after, orderBy });
    found.push(...nodes);
    if (!pageInfo.hasNextPage) {
      expect(found).toHaveLength(totalCount);
      return found;
    }
    after = pageInfo.endCursor;
  }
}

let all: Row[] = [];
let inboxes = new Map<string, Set<string>>();
beforeAll(async () => {
  await db.pool.query(`UPDATE sessions SET project = 'shop' WHERE title LIKE 'A%'`);
  // Events of different times, some of them equal.
  await db.pool.query(`UPDATE events SET at = at + (coalesce(session_sequence, 0) / 2) * interval '1 minute'`);
  await codex.post(
    'mutation { recordDecision(input: { sessionId: "session_01kc000000e00800000000002y", text: "Wait for the cookie" }) { __typename } }',
  );
  all = await events({});
  const { rows } = await db.pool.query<{ agent: string; id: string }>(
    'SELECT agent_id AS agent, event_id AS id FROM inbox_entries',
  );
  inboxes = new Map(
    [...new Set(rows.map(({ agent }) => agent))].map((agent) => [
      agent,
      new Set(rows.filter((row) => row.agent === agent).map(({ id }) => encodeId('event', id))),
    ]),
  );
});

describe('events', () => {
  it('lists the events of all sessions and agents, newest first, in pages of any size and in both directions', async () => {
    const { rows } = await db.pool.query<{ count: number }>('SELECT count(*)::int AS count FROM events');
    expect(all).toHaveLength(rows[0]!.count);
    const sorted = all.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at) || (a.id < b.id ? 1 : -1));
    expect(all.map(({ id }) => id)).toEqual(sorted.map(({ id }) => id));
    for (const first of [1, 7])
      expect(await events({ type: ['HANDOFF_INITIATED'] }, first)).toEqual(
        await events({ type: ['HANDOFF_INITIATED'] }),
      );
    expect(await events({}, 50, { field: 'AT', direction: 'ASC' })).toEqual(all.toReversed());
  });

  it.each<[string, object, (row: Row) => boolean]>([
    ['type', { type: ['HANDOFF_REJECTED', 'HANDOFF_TIMED_OUT'] }, ({ type }) => /REJECTED|TIMED_OUT/.test(type)],
    ['no type', { type: [] }, () => false],
    ['project', { project: 'shop' }, ({ session }) => session?.project === 'shop'],
    [
      'session',
      { sessionId: 'session_01kc000000e008000000000004' },
      ({ session }) => session?.id === 'session_01kc000000e008000000000004',
    ],
    ['principal', { actor: 'demo' }, ({ actor }) => actor.principal === 'demo'],
    ['the agent of a key', { actor: 'codex-1' }, ({ actor }) => actor.agent?.id === 'codex-1'],
    [
      'agent',
      { agentId: 'reviewer-1' },
      ({ id, agent }) => agent?.id === 'reviewer-1' || inboxes.get('reviewer-1')!.has(id),
    ],
    [
      'several together',
      { agentId: 'claude-1', type: ['HANDOFF_INITIATED'], project: 'shop' },
      ({ id, type, agent, session }) =>
        (agent?.id === 'claude-1' || inboxes.get('claude-1')!.has(id)) &&
        type === 'HANDOFF_INITIATED' &&
        session?.project === 'shop',
    ],
  ])('are filtered by %s', async (name, where, matches) => {
    const expected = all.filter(matches);
    expect((await events(where, 5)).map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    if (name !== 'no type') expect(expected.length).toBeGreaterThan(0);
  });

  it('are filtered by time, which excludes the given time', async () => {
    const { at } = all[Math.floor(all.length / 2)]!;
    expect(await events({ after: at })).toEqual(all.filter((row) => Date.parse(row.at) > Date.parse(at)));
    expect(await events({ before: at })).toEqual(all.filter((row) => Date.parse(row.at) < Date.parse(at)));
  });

  it('are refused to an agent, and by a type that is not stored', async () => {
    expect((await codex.post('{ events { totalCount } }')).errors).toMatchObject([
      { extensions: { code: 'FORBIDDEN' } },
    ]);
    expect((await analyst.post('{ events(where: { type: [READY] }) { totalCount } }')).errors).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });

  it('have an actor that resolves to its agent, and for an admin to its key', async () => {
    const [own] = await events({ actor: 'codex-1' });
    expect(own!.actor).toMatchObject({
      principal: expect.stringMatching(/^key_/) as unknown,
      agent: { id: 'codex-1', name: 'codex-1' },
    });
    const document = '{ events(first: 100) { nodes { actor { principal agent { id } key { id agent { id } } } } } }';
    const { data } = await admin.post<{ events: { nodes: { actor: Row['actor'] & { key: object | null } }[] } }>(
      document,
    );
    for (const { actor } of data.events.nodes)
      expect(actor.key).toEqual(actor.agent === null ? null : { id: actor.principal, agent: { id: actor.agent.id } });
    expect((await analyst.post(document)).errors?.[0]).toMatchObject({ extensions: { code: 'FORBIDDEN' } });
  });
});
