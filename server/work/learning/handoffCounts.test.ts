import { beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { silentLog } from '../../infra/log.ts';
import { foldPaths } from './foldPaths.ts';

const { pool, ...db } = await testDatabase();
const { url } = await startApp({ pool, ...db });
const { post } = client(url);
const { agent } = world(pool);
const agents = ['ada', 'bob', 'cyd'];
const days = ['2026-03-01', '2026-03-02', '2026-03-04'];

interface Counted {
  day: string;
  source: { id: string };
  target: { id: string };
  count: number;
  byStatus: { status: string; count: number }[];
  successRate: number | null;
  bouncedBack: number;
}
interface Answer {
  handoffCounts: {
    totalCount: number;
    nodes: Counted[];
    pageInfo: { endCursor: string | null; startCursor: string | null; hasNextPage: boolean };
  };
}
const query = `query ($where: HandoffCountFilter, $first: Int, $after: String, $last: Int, $before: String) { handoffCounts(where: $where, first: $first, after: $after, last: $last, before: $before) {
  totalCount nodes { day source { id } target { id } count byStatus { status count } successRate bouncedBack } pageInfo { startCursor endCursor hasNextPage } } }`;

/** Each change as the triggers append it; half of them are folded. */
const all: { day: string; source: string; target: string; completed: number; rejected: number }[] = [];
beforeAll(async () => {
  for (const id of agents) await agent(id);
  for (const [at, day] of days.entries()) {
    for (const source of agents)
      for (const target of agents)
        if (source !== target && (at + source.length + target.charCodeAt(0)) % 4 !== 0)
          all.push({ day, source, target, completed: at + 1, rejected: target.charCodeAt(0) % 3 });
  }
  const append = (outcome: string, key: 'completed' | 'rejected', share: 0 | 1) =>
    pool.query(
      `INSERT INTO handoff_path_changes (source_agent_id, target_agent_id, day, outcome, count) SELECT source, target, day::date, $2, count FROM json_to_recordset($1) AS r(source text, target text, day text, count int)`,
      [
        JSON.stringify(
          all.map((each, n) => ({ ...each, count: n % 2 === share ? each[key] : 0 })).filter(({ count }) => count > 0),
        ),
        outcome,
      ],
    );
  for (const share of [0, 1] as const) {
    await append('COMPLETED', 'completed', share);
    await append('REJECTED', 'rejected', share);
    if (share === 0) await foldPaths({ pool, log: silentLog });
  }
  await pool.query(
    `INSERT INTO handoff_path_changes (source_agent_id, target_agent_id, day, outcome, count) VALUES ($1, $2, $3, 'BOUNCED_BACK', 1)`,
    [all[0]!.source, all[0]!.target, all[0]!.day],
  );
});

const expected = (filter: (each: (typeof all)[number]) => boolean) =>
  all
    .filter(filter)
    .sort((a, b) => (`${a.day} ${a.source} ${a.target}` < `${b.day} ${b.source} ${b.target}` ? 1 : -1))
    .map((each) => ({
      day: `${each.day}T00:00:00.000Z`,
      source: { id: each.source },
      target: { id: each.target },
      count: each.completed + each.rejected,
      byStatus: [
        { status: 'COMPLETED', count: each.completed },
        ...(each.rejected === 0 ? [] : [{ status: 'REJECTED', count: each.rejected }]),
      ],
      successRate: each.completed / (each.completed + each.rejected),
      bouncedBack: each === all[0] ? 1 : 0,
    }));

describe('handoffCounts', () => {
  it.each<[string, object, (each: (typeof all)[number]) => boolean]>([
    ['everything', {}, () => true],
    ['an agent', { agentId: 'bob' }, ({ source, target }) => source === 'bob' || target === 'bob'],
    ['a source', { sourceAgentId: 'ada' }, ({ source }) => source === 'ada'],
    [
      'a target of an agent',
      { agentId: 'ada', targetAgentId: 'cyd' },
      ({ source, target }) => source === 'ada' && target === 'cyd',
    ],
    ['days', { from: '2026-03-02T23:59:59Z', until: '2026-03-04T00:00:00Z' }, ({ day }) => day > '2026-03-01'],
    ['one day', { from: '2026-03-02T10:00:00Z', until: '2026-03-02T09:00:00Z' }, ({ day }) => day === '2026-03-02'],
  ])('counts each day and pair of %s, folded or not, in pages of any size', async (_name, where, filter) => {
    const whole = expected(filter);
    for (const first of [2, 5, 100]) {
      const pages: Counted[] = [];
      let page: Answer['handoffCounts'] | undefined;
      do {
        const answer = await post<Answer>(query, { where, first, after: page?.pageInfo.endCursor ?? null });
        expect(answer.errors).toBeUndefined();
        page = answer.data.handoffCounts;
        expect(page.totalCount).toBe(whole.length);
        pages.push(...page.nodes);
      } while (page.pageInfo.hasNextPage);
      expect(pages).toEqual(whole);
    }
    const { data } = await post<Answer>(query, { where, last: 2 });
    expect(data.handoffCounts.nodes).toEqual(whole.slice(-2));
  });

  it('refuses a cursor of another list', async () => {
    const cursor = Buffer.from(JSON.stringify(['session createdAt desc', 1, 'x'])).toString('base64url');
    expect((await post(query, { after: cursor })).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});
