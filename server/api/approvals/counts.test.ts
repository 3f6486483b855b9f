import { beforeAll, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { agentCaller, operator, world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { approveHandoff } from '../../work/approvals/approveHandoff.ts';
import { declineHandoff } from '../../work/approvals/declineHandoff.ts';
import { acceptHandoff, cancelHandoff, timeOutHandoff } from '../../work/handoffs/changeHandoff.ts';
import { handoffGraph } from '../../work/learning/handoffGraph.ts';
import { reasonsOf } from '../../work/sessions/stuck.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { post } = client(url);
const { agent, session, initiate, run } = world(db.pool);

const asAda = { caller: agentCaller('ada') };
const ended: Record<string, (handoffId: string) => Promise<unknown>> = {
  declined: (handoffId) => run(declineHandoff, { handoffId, reason: 'no' }),
  'taken back': (handoffId) => run(cancelHandoff, { handoffId, reason: null }, asAda),
  'not decided in time': (handoffId) => run(timeOutHandoff, { handoffId }),
  waiting: () => Promise.resolve(),
};
const sessions = new Map<string, string>();

/** One Handoff of ada to bob moved its Session; the others never did. */
beforeAll(async () => {
  await agent('bob', { maxCapacity: 50 });
  await agent('ada', { maxCapacity: 50, collaborators: ['bob'] });
  const propose = async (name: string): Promise<string> => {
    const id = await session('ada', { handoffApproval: 'REQUIRED', maxHandoffs: 1 });
    sessions.set(name, id);
    return (await initiate(id, 'bob', {}, asAda)).handoffId;
  };
  const handoffId = await propose('approved');
  await run(approveHandoff, { handoffId, expectedContentHash: null, edits: null, note: null });
  await run(acceptHandoff, { handoffId });
  for (const [name, end] of Object.entries(ended)) await end(await propose(name));
});

it('what was never approved counts as given and received nowhere in the API', async () => {
  const { data, errors } = await post<Record<string, unknown>>(`{
    ada: agent(id: "ada") { handoffsGiven { totalCount nodes { status } } handoffsReceived { totalCount } }
    bob: agent(id: "bob") { handoffsReceived(first: 1) { totalCount nodes { status } pageInfo { hasNextPage } } }
    handoffStats(groupBy: []) { count byStatus { status count } }
    handoffCounts { nodes { count byStatus { status count } } }
    handoffGraph { handoffCount nodes { agent { id } given received } }
  }`);
  expect(errors).toBeUndefined();
  const one = { count: 1, byStatus: [{ status: 'ACCEPTED', count: 1 }] };
  expect(data).toEqual({
    ada: { handoffsGiven: { totalCount: 1, nodes: [{ status: 'ACCEPTED' }] }, handoffsReceived: { totalCount: 0 } },
    bob: {
      handoffsReceived: { totalCount: 1, nodes: [{ status: 'ACCEPTED' }], pageInfo: { hasNextPage: false } },
    },
    handoffStats: [one],
    handoffCounts: { nodes: [one] },
    handoffGraph: {
      handoffCount: 1,
      nodes: [
        { agent: { id: 'ada' }, given: 1, received: 0 },
        { agent: { id: 'bob' }, given: 0, received: 1 },
      ],
    },
  });
});

it('nor in the graph of a session, of a part of a day, or as an agent reads it', async () => {
  const all = { sessionId: null, project: null, agentId: null, initiatedAfter: null, initiatedBefore: null };
  const count = async (filter: object, caller = operator) =>
    (await handoffGraph(db.pool, { ...all, ...filter }, null, caller)).handoffCount;
  const hour = 3_600_000;
  expect(
    await count({ initiatedAfter: new Date(Date.now() - hour), initiatedBefore: new Date(Date.now() + hour) }),
  ).toBe(1);
  for (const name of ['ada', 'bob']) expect(await count({}, agentCaller(name))).toBe(1);
  for (const [name, sessionId] of sessions) expect(await count({ sessionId })).toBe(name === 'approved' ? 1 : 0);
});

it('nor against the limit of handoffs: only the session that moved is stuck', async () => {
  const stuck = await reasonsOf(db.pool, [...sessions.values()]);
  expect([...stuck.keys()]).toEqual([sessions.get('approved')]);
  const { data } = await post<{ sessions: { nodes: { id: string }[] } }>(
    '{ sessions(where: { situation: [LIMIT_REACHED] }) { nodes { id } } }',
  );
  expect(data.sessions.nodes).toEqual([{ id: encodeId('session', sessions.get('approved')!) }]);
});
