import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { toolCall, world } from '../../../test/world.ts';

const db = await testDatabase();
const { agent, session, reassign, initiate, turn } = world(db.pool);
await agent('b', { maxCapacity: 100 });
await agent('a', { maxCapacity: 100, collaborators: ['b'] });

const madeFrom = async (handoffId: string | null) => {
  const { priorTurnId, triggeringToolCalls } = await db.prisma.handoff.findUniqueOrThrow({
    where: { id: handoffId! },
    include: { triggeringToolCalls: { orderBy: { position: 'asc' }, include: { toolCall: true } } },
  });
  return { priorTurnId, calls: triggeringToolCalls.map(({ toolCall: { callId } }) => callId) };
};
const question = { messages: [{ role: 'USER' as const, content: 'And the tests?' }] };

it('a handoff has the last turn of an agent and its calls, even after a user message (rule: prior turn)', async () => {
  for (const move of [initiate, (id: string, agentId: string) => reassign(id, { agentId })]) {
    const id = await session('a');
    const { turnId } = await turn(id, { toolCalls: [toolCall('c1', 'Edit'), toolCall('c2', 'Bash')] });
    await turn(id, question);
    expect(await madeFrom((await move(id, 'b')).handoffId)).toEqual({ priorTurnId: turnId, calls: ['c1', 'c2'] });
  }
});

it('a handoff has no prior turn and no calls when only users wrote', async () => {
  const id = await session('a');
  await turn(id, question);
  expect(await madeFrom((await reassign(id, { agentId: 'b' })).handoffId)).toEqual({ priorTurnId: null, calls: [] });
});

it('a given turn comes with its own calls, unless calls are given', async () => {
  const id = await session('a');
  const { turnId } = await turn(id, { toolCalls: [toolCall('c1', 'Edit')] });
  await turn(id, { toolCalls: [toolCall('c2', 'Bash')] });
  const { handoffId } = await initiate(id, 'b', { priorTurnId: turnId });
  expect(await madeFrom(handoffId)).toEqual({ priorTurnId: turnId, calls: ['c1'] });

  const other = await session('a');
  await turn(other, { toolCalls: [toolCall('c1', 'Edit')] });
  const [call] = await db.prisma.toolCall.findMany({ where: { sessionId: other } });
  const { turnId: later } = await turn(other, { toolCalls: [toolCall('c2', 'Bash')] });
  const given = await initiate(other, 'b', { priorTurnId: later, triggeringToolCallIds: [call!.id] });
  expect(await madeFrom(given.handoffId)).toEqual({ priorTurnId: later, calls: ['c1'] });
});
