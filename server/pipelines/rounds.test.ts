import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { acceptHandoff } from '../handoffs/changeHandoff.ts';
import { testDatabase } from '../../test/database.ts';
import { agentCaller, world } from '../../test/world.ts';

const { pool, prisma } = await testDatabase();
const { agent, session, pipeline, advance, run } = world(pool);

it('the six-role pipeline that is shipped survives ten rounds of review by its agents', async () => {
  const story = JSON.parse(await readFile('server/pipelines/story/story.json', 'utf8')) as {
    stages: { name: string; role: string; payloadSchema: object }[];
    transitions: { from: string; outcome: string; to?: string | null }[];
  };
  for (const { role } of story.stages) await agent(role, { role });
  await pipeline(
    'story',
    story.transitions.map(({ from, outcome, to = null }) => `${from} ${outcome} ${to ?? 'end'}`),
    Object.fromEntries(story.stages.map(({ name, role, payloadSchema }) => [name, { role, payloadSchema }])),
  );
  const id = await session(null, { pipeline: 'story', maxHandoffs: null });
  // No turn is recorded and no payload given: a new reason is enough.
  const step = async (outcome: string, reason: string | null = null): Promise<void> => {
    const { agentId } = await prisma.session.findUniqueOrThrow({ where: { id } });
    const caller = agentCaller(agentId!);
    const { handoffId } = await advance(id, outcome, { reason }, { caller });
    if (handoffId === null) return;
    const { targetAgentId } = await prisma.handoff.findUniqueOrThrow({ where: { id: handoffId } });
    await run(acceptHandoff, { handoffId }, { caller: agentCaller(targetAgentId) });
  };
  for (const outcome of ['DONE', 'DONE', 'DONE']) await step(outcome);
  for (let round = 1; round <= 10; round += 1) {
    expect((await prisma.session.findUniqueOrThrow({ where: { id } })).stage).toBe('reviewer');
    await step('REJECT', `Round ${round}: the tests are missing.`);
    await step('DONE', `Answer ${round}.`);
  }
  const { outcome } = story.transitions.find(({ from, outcome: way }) => from === 'reviewer' && way !== 'REJECT')!;
  for (const way of [outcome, 'DONE', 'DONE']) await step(way);
  expect(await prisma.session.findUniqueOrThrow({ where: { id } })).toMatchObject({ status: 'COMPLETED', stage: null });
});
