import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { world } from '../../../test/world.ts';

const db = await testDatabase();
const { agent, session, reassign } = world(db.pool);
let count = 0;
/** A Session that `given` of a type of its own has handed to an agent of another type, which has not answered. */
async function waiting() {
  const type = `TYPE_${(count += 1)}`;
  const id = (name: string) => `${name}-${count}`;
  await agent(id('given'), { type, maxCapacity: 100 });
  await agent(id('asked'), { maxCapacity: 100 });
  const sessionId = await session(id('given'));
  await reassign(sessionId, { agentId: id('asked') });
  return { type, id, sessionId };
}

it('prefers an agent with a higher load to the source of the waiting handoff', async () => {
  const { type, id, sessionId } = await waiting();
  await agent(id('busy'), { type, maxCapacity: 2 });
  await session(id('busy'));
  expect(await reassign(sessionId, { agentType: type })).toMatchObject({
    assignedAgentId: id('busy'),
    handoffCreated: true,
  });
});

it('gives the session back to the source of the waiting handoff when no other agent of the type has room', async () => {
  const { type, id, sessionId } = await waiting();
  await agent(id('full'), { type, maxCapacity: 1 });
  await session(id('full'));
  expect(await reassign(sessionId, { agentType: type })).toMatchObject({
    assignedAgentId: id('given'),
    handoffCreated: false,
  });
});

it('chooses by load alone when no handoff waits', async () => {
  const { type, id, sessionId } = await waiting();
  await agent(id('busy'), { type, maxCapacity: 2 });
  await session(id('busy'));
  await agent(id('third'), { maxCapacity: 100 });
  await reassign(sessionId, { agentId: id('third'), skipHandoff: true });
  expect(await reassign(sessionId, { agentType: type })).toMatchObject({
    assignedAgentId: id('given'),
    handoffCreated: true,
  });
});

it('finds an agent with room beyond the first candidates', async () => {
  const { type, id, sessionId } = await waiting();
  for (let n = 0; n < 9; n += 1) {
    await agent(id(`other-${n}`), { type, maxCapacity: 1 });
    if (n < 8) await session(id(`other-${n}`));
  }
  expect(await reassign(sessionId, { agentType: type })).toMatchObject({
    assignedAgentId: id('other-8'),
    handoffCreated: true,
  });
});
