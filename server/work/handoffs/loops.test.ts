import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { acceptHandoff, cancelHandoff, failHandoff, rejectHandoff, timeOutHandoff } from './changeHandoff.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { post } = client(url);
const { agent, session, initiate, reassign, run } = world(db.pool);
await agent('b', { maxCapacity: 100 });
await agent('a', { maxCapacity: 100, collaborators: ['b'] });

interface Step {
  from: string | null;
  to: string;
  at: string;
  status: string;
}
const refusalOf = async (sessionId: string, targetAgentId = 'b'): Promise<{ __typename: string; chain: Step[] }> => {
  const { data, errors } = await post<{ answer: { __typename: string; chain: Step[] } }>(
    `mutation ($input: InitiateHandoffInput!) { answer: initiateHandoff(input: $input) { __typename
       ... on HandoffLoopError { chain { from to at status } } ... on MaxHandoffsReachedError { chain { from to at status } } } }`,
    { input: { sessionId: encodeId('session', sessionId), targetAgentId } },
  );
  expect(errors).toBeUndefined();
  return data.answer;
};

it.each([
  ['was rejected', rejectHandoff],
  ['timed out', timeOutHandoff],
  ['was cancelled', cancelHandoff],
  ['failed before it was accepted', failHandoff],
])('allows an equal attempt after the first %s', async (_what, end) => {
  const id = await session('a');
  const { handoffId } = await initiate(id, 'b');
  await run(end, { handoffId, reason: 'not now' });
  await expect(initiate(id, 'b')).resolves.toMatchObject({ sessionId: id });
});

it('HANDOFF_LOOP lists the chain since the last act of an operator, oldest first', async () => {
  const id = await session(null);
  await reassign(id, { agentId: 'b', skipHandoff: true });
  const byOperator = await reassign(id, { agentId: 'a' });
  await run(acceptHandoff, { handoffId: byOperator.handoffId! });
  await run(acceptHandoff, { handoffId: (await initiate(id, 'b')).handoffId });
  const { __typename, chain } = await refusalOf(id, 'a');
  expect(__typename).toBe('HandoffLoopError');
  expect(chain).toMatchObject([
    { from: 'b', to: 'a', status: 'COMPLETED' },
    { from: 'a', to: 'b', status: 'ACCEPTED' },
  ]);
  const { initiatedAt } = await db.prisma.handoff.findUniqueOrThrow({ where: { id: byOperator.handoffId! } });
  expect(chain[0]?.at).toBe(initiatedAt.toISOString());
});

it('MAX_HANDOFFS_REACHED lists the chain with declined attempts', async () => {
  const id = await session('a', { maxHandoffs: 1 });
  await run(rejectHandoff, { handoffId: (await initiate(id, 'b')).handoffId, reason: 'no' });
  expect(await refusalOf(id)).toMatchObject({
    __typename: 'MaxHandoffsReachedError',
    chain: [{ from: 'a', to: 'b', status: 'REJECTED' }],
  });
});
