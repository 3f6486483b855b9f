import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { agentCaller, world } from '../../../test/world.ts';
import { acceptHandoff } from '../handoffs/changeHandoff.ts';

const { pool, prisma } = await testDatabase();
const { agent, session, pipeline, advance, run, turn } = world(pool);

/** What one agent leaves a stage with in a round. */
interface Step {
  reason?: string | null;
  payload?: unknown;
  /** Words that the agent records before. */
  says?: string;
}

let unique = 0;

async function tenRounds(review: (round: number) => Step, answer: (round: number) => Step): Promise<void> {
  const slug = `story-${(unique += 1)}`;
  const story = JSON.parse(await readFile('server/work/pipelines/story/story.json', 'utf8')) as {
    stages: { name: string; role: string; payloadSchema: object }[];
    transitions: { from: string; outcome: string; to?: string | null }[];
  };
  const roleOf = (role: string): string => `${slug}-${role}`;
  for (const { role } of story.stages) await agent(roleOf(role), { role: roleOf(role) });
  await pipeline(
    slug,
    story.transitions.map(({ from, outcome, to = null }) => `${from} ${outcome} ${to ?? 'end'}`),
    Object.fromEntries(
      story.stages.map(({ name, role, payloadSchema }) => [name, { role: roleOf(role), payloadSchema }]),
    ),
  );
  const id = await session(null, { pipeline: slug, maxHandoffs: null });
  const step = async (outcome: string, { says, ...given }: Step = {}): Promise<void> => {
    const { agentId } = await prisma.session.findUniqueOrThrow({ where: { id } });
    const caller = agentCaller(agentId!);
    if (says !== undefined) await turn(id, { messages: [{ role: 'ASSISTANT', content: says }] });
    const { handoffId } = await advance(id, outcome, given, { caller });
    if (handoffId === null) return;
    const { targetAgentId } = await prisma.handoff.findUniqueOrThrow({ where: { id: handoffId } });
    await run(acceptHandoff, { handoffId }, { caller: agentCaller(targetAgentId) });
  };
  for (const outcome of ['DONE', 'DONE', 'DONE']) await step(outcome);
  for (let round = 1; round <= 10; round += 1) {
    expect((await prisma.session.findUniqueOrThrow({ where: { id } })).stage).toBe('reviewer');
    await step('REJECT', review(round));
    await step('DONE', answer(round));
  }
  const { outcome } = story.transitions.find(({ from, outcome: way }) => from === 'reviewer' && way !== 'REJECT')!;
  for (const way of [outcome, 'DONE', 'DONE']) await step(way);
  expect(await prisma.session.findUniqueOrThrow({ where: { id } })).toMatchObject({ status: 'COMPLETED', stage: null });
}

describe('the six-role pipeline that is shipped survives ten rounds of review by its agents', () => {
  it.each<[string, (round: number) => Step, (round: number) => Step]>([
    ['that only give reasons', (n) => ({ reason: `Round ${n}` }), (n) => ({ reason: `Answer ${n}.` })],
    ['of which the reviewer alone says something new', (n) => ({ reason: `Round ${n}` }), () => ({})],
    [
      'of which the reviewer alone finds something new',
      (n) => ({ payload: { findings: [{ text: `Finding ${n}` }] } }),
      () => ({ payload: { files: ['a.ts'] } }),
    ],
    ['of which one alone records words, the same each time', () => ({}), () => ({ says: 'Done.' })],
  ])('%s', (_name, review, answer) => tenRounds(review, answer));
});
