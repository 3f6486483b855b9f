import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { agentCaller, world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { updateAgent } from '../agents/updateAgent.ts';
import { acceptHandoff } from '../handoffs/changeHandoff.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { post } = client(url);
const { agent, session, initiate, reassign, run } = world(db.pool);

interface Row {
  title: string;
  stuckBecause: string[];
}
async function stuck(where: object): Promise<Record<string, string[]>> {
  const { data, errors } = await post<{ sessions: { totalCount: number; nodes: Row[] } }>(
    'query ($where: SessionFilter) { sessions(where: $where, first: 100) { totalCount nodes { title stuckBecause } } }',
    { where },
  );
  expect(errors).toBeUndefined();
  expect(data.sessions.totalCount).toBe(data.sessions.nodes.length);
  return Object.fromEntries(data.sessions.nodes.map(({ title, stuckBecause }) => [title, stuckBecause.toSorted()]));
}

it('sessions are stuck that no agent can go on with until a person acts, each for its reasons', async () => {
  for (const id of ['ada', 'bob', 'gone']) await agent(id, { maxCapacity: 9 });
  await agent('rare', { type: 'CODEX', maxCapacity: 1 });
  await run(updateAgent, { id: 'ada', collaborators: ['bob'] });
  await run(updateAgent, { id: 'bob', collaborators: ['ada'] });
  await session('ada', { title: 'runs' });
  await session(null, { title: 'unassigned' });
  await session('gone', { title: 'away' });
  await session('rare', { title: 'takes the place' });
  await session(null, { title: 'waits for a place', agentType: 'CODEX', queue: true });
  await session(null, { title: 'waits for nobody', agentType: 'GEMINI', queue: true });
  await agent('alone', { type: 'LLAMA' });
  const lone = await session('alone', { title: 'waits for another than the one that let it go' });
  await reassign(lone, { agentType: 'LLAMA', queue: true });
  const limited = await session('ada', { title: 'limit', maxHandoffs: 1 });
  const below = await session('ada', { title: 'below the limit', maxHandoffs: 2 });
  const released = await session('ada', { title: 'released', maxHandoffs: 1 });
  for (const id of [limited, below, released]) {
    const { handoffId } = await initiate(id, 'bob', {}, { caller: agentCaller('ada') });
    await run(acceptHandoff, { handoffId });
  }
  await reassign(released, { agentId: 'ada' });
  const escalated = await session(null, { title: 'escalated', agentType: 'GEMINI', queue: true });
  await db.pool.query('UPDATE queue_entries SET escalated = true WHERE session_id = $1', [escalated]);
  await run(setAgentStatus, { id: 'gone', status: 'OFFLINE' });

  const expected = {
    unassigned: ['UNASSIGNED'],
    away: ['HOLDER_AWAY'],
    'waits for nobody': ['NO_AGENT'],
    'waits for another than the one that let it go': ['NO_AGENT'],
    limit: ['MAX_HANDOFFS'],
    escalated: ['ESCALATED'],
  };
  expect(await stuck({ stuck: true })).toEqual(expected);
  expect(await stuck({ stuck: false })).toEqual({
    runs: [],
    'takes the place': [],
    'waits for a place': [],
    'below the limit': [],
    released: [],
  });
  for (const reason of new Set(Object.values(expected).flat()))
    expect(await stuck({ stuckBecause: [reason] })).toEqual(
      Object.fromEntries(Object.entries(expected).filter(([, reasons]) => reasons.includes(reason))),
    );
  expect(Object.keys(await stuck({ stuckBecause: ['NO_AGENT', 'ESCALATED'] }))).toHaveLength(3);
  expect(await stuck({ stuckBecause: [] })).toEqual({});
  expect(await stuck({ stuck: true, agentId: 'bob' })).toEqual({ limit: ['MAX_HANDOFFS'] });

  // The rule refuses exactly the session that is stuck by the limit.
  for (const [id, refused] of [
    [limited, true],
    [below, false],
  ] as const) {
    const { data } = await post<{ simulateHandoff: { wouldSucceed: boolean } }>(
      `{ simulateHandoff(sessionId: "${encodeId('session', id)}", targetAgentId: "ada", asOperator: false) { wouldSucceed } }`,
    );
    expect(data.simulateHandoff.wouldSucceed).toBe(!refused);
  }
});
