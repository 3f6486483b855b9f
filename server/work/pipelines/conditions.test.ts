import { describe, expect, it } from 'vitest';
import { house } from '../../../test/refusals.ts';
import { encodeId } from '../../core/ids.ts';
import { acceptHandoff } from '../handoffs/changeHandoff.ts';
import type { Condition } from './rules.ts';

const home = await house();
const publicId = (id: string): string => encodeId('session', id);

/** A Session in `review`, whose outcome DONE goes back to `write` under a condition, else ends. */
async function inReview(
  when: Condition,
  contextVariables: Record<string, unknown> | null = null,
  payload: unknown = null,
) {
  const slug = home.unique('pipeline');
  await home.agent(`w-${slug}`, { role: `w ${slug}` });
  await home.agent(`r-${slug}`, { role: `r ${slug}` });
  const again = 'review DONE write';
  await home.pipeline(
    slug,
    ['write DONE review', again, 'review DONE end'],
    { write: { role: `w ${slug}` }, review: { role: `r ${slug}` } },
    { [again]: { when } },
  );
  const id = await home.session(null, { pipeline: slug, contextVariables });
  const { handoffId } = await home.advance(id, 'DONE', { payload });
  await home.run(acceptHandoff, { handoffId: handoffId! });
  return id;
}
const advance = (id: string, fields: object = {}) =>
  home.send('advancePipeline', { sessionId: publicId(id), outcome: 'DONE', ...fields });
const look = (id: string) =>
  home.db.prisma.session.findUniqueOrThrow({
    where: { id },
    select: { status: true, stage: true, contextVariables: true },
  });

describe('a condition of advancePipeline', () => {
  it.each<[string, Condition, unknown]>([
    ['the text "3" LT 5', { variable: 'score', op: 'LT', value: 5 }, '3'],
    ['the text "3" EQ 3', { variable: 'score', op: 'EQ', value: 3 }, '3'],
    ['the number 3 NE "3"', { variable: 'score', op: 'NE', value: '3' }, 3],
    ['the text "true" EQ true', { variable: 'score', op: 'EQ', value: true }, 'true'],
    ['the text "3" IN numbers', { variable: 'score', op: 'IN', value: [1, 2, 3] }, '3'],
    ['a list GT a number', { variable: 'score', op: 'GT', value: 1 }, [2]],
  ])('refuses %s with the reason, ends nothing, and goes on when the kind is right', async (_name, when, score) => {
    const id = await inReview(when, { score });
    const refused = await advance(id);
    expect(refused).toMatchObject({ code: 'TRANSITION_NOT_ALLOWED', outcome: 'DONE', stage: 'review' });
    expect(refused.message).toMatch(
      /^Outcome DONE cannot be decided: 'score' is .* and is compared with .*contextVariables/,
    );
    expect(await look(id)).toMatchObject({ status: 'RUNNING', stage: 'review' });
    const wanted: unknown = Array.isArray(when.value)
      ? (when.value[0] as unknown)
      : when.op === 'LT'
        ? 3
        : when.op === 'GT'
          ? 2
          : when.op === 'NE'
            ? 'x'
            : when.value;
    expect(await advance(id, { contextVariables: { score: wanted } })).toMatchObject({
      __typename: 'AdvancePipelinePayload',
    });
    expect(await look(id)).toMatchObject({ stage: 'write', contextVariables: { score: { value: wanted } } });
  });

  it('reads the payload of the outcome', async () => {
    const when: Condition = { variable: 'payload.findings.length', op: 'GT', value: 0 };
    const some = await inReview(when);
    await advance(some, { payload: { findings: ['a test is missing'] } });
    expect(await look(some)).toMatchObject({ stage: 'write' });
    const none = await inReview(when);
    await advance(none, { payload: { findings: [] } });
    expect(await look(none)).toMatchObject({ status: 'COMPLETED' });
  });

  it('reads the newest payload of a stage before', async () => {
    const when: Condition = { variable: 'stages.write.draft', op: 'EQ', value: true };
    const id = await inReview(when, null, { draft: true });
    const { handoff } = (await advance(id)) as unknown as { handoff: { id: string } };
    expect(await look(id)).toMatchObject({ stage: 'write' });
    await home.send('acceptHandoff', { handoffId: handoff.id });
    const again = (await advance(id, { payload: { draft: false } })) as unknown as { handoff: { id: string } };
    await home.send('acceptHandoff', { handoffId: again.handoff.id });
    await advance(id);
    expect(await look(id)).toMatchObject({ status: 'COMPLETED' });
  });

  it.each<[string, (id: string, targetAgentId: string, contextVariables: object) => Promise<object>]>([
    [
      'initiateHandoff',
      (id, targetAgentId, contextVariables) =>
        home.send('initiateHandoff', { sessionId: publicId(id), targetAgentId, contextVariables }),
    ],
    [
      'a handoff tool',
      (id, target, variables) =>
        home.send('executeHandoffTool', {
          sessionId: publicId(id),
          toolName: `transfer_to_${target}`,
          arguments: { reason: 'because', variables },
        }),
    ],
  ])('reads the variables of the call, also of %s', async (_name, handOff) => {
    const id = await inReview({ variable: 'review.ok', op: 'EQ', value: false });
    const { pipeline } = await home.db.prisma.session.findUniqueOrThrow({ where: { id }, include: { pipeline: true } });
    const writer = `w-${pipeline!.slug}`;
    expect(await handOff(id, writer, { review: { ok: true } })).toMatchObject({ code: 'TRANSITION_NOT_ALLOWED' });
    expect(await handOff(id, writer, { review: { ok: false } })).not.toHaveProperty('code');
    expect(await look(id)).toMatchObject({ stage: 'write', contextVariables: { review: { value: { ok: false } } } });
  });

  it('refuses a handoff to an agent when the payload decides the way', async () => {
    const id = await inReview({ variable: 'payload.ok', op: 'EQ', value: false });
    const { pipeline } = await home.db.prisma.session.findUniqueOrThrow({ where: { id }, include: { pipeline: true } });
    expect(
      await home.send('initiateHandoff', { sessionId: publicId(id), targetAgentId: `w-${pipeline!.slug}` }),
    ).toMatchObject({ code: 'TRANSITION_NOT_ALLOWED' });
  });

  it('refuses a definition that compares a text with a number, by the schema of its payload', async () => {
    const stages = [{ name: 'a', payloadSchema: { type: 'object', properties: { score: { type: 'string' } } } }];
    const when = { variable: 'payload.score', op: 'LT', value: 5 };
    const transitions = [
      { from: 'a', outcome: 'DONE', to: 'a', when },
      { from: 'a', outcome: 'DONE' },
    ];
    const refused = await home.send('definePipeline', {
      slug: home.unique('p'),
      name: 'P',
      start: 'a',
      stages,
      transitions,
    });
    expect(refused).toMatchObject({
      code: 'BAD_USER_INPUT',
      path: ['input', 'transitions', '0', 'when', 'value'],
    });
    expect(refused.message).toMatch(/'payload.score' is a text and is compared with a number/);
  });
});
