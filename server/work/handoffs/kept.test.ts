import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { agentCaller, world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { acceptHandoff, rejectHandoff, timeOutHandoff } from './changeHandoff.ts';

const database = await testDatabase();
const { pool, prisma } = database;
const { url } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } });
const { agent, session, pipeline, advance, initiate, reassign, run } = world(pool);

const handoffOf = async (id: string | null) =>
  prisma.handoff.findUniqueOrThrow({
    where: { id: id! },
    select: {
      sourceAgentId: true,
      targetAgentId: true,
      reason: true,
      metadata: true,
      leftEntry: { select: { outcome: true, payload: true } },
    },
  });

let round = 0;
/** A Session that waits for its review to be accepted. */
async function waiting() {
  const [slug, writer, reviewer, other] = ['line', 'writer', 'reviewer', 'other'].map((name) => `${name}-${round}`);
  round += 1;
  await agent(writer!, { role: `${slug} write` });
  await agent(reviewer!, { role: `${slug} review` });
  await pipeline(slug!, ['write DONE review', 'review DONE end'], {
    write: { role: `${slug} write` },
    review: { role: `${slug} review`, escalateTo: { agentId: null, role: null, operators: true } },
  });
  const id = await session(null, { pipeline: slug! });
  const { handoffId } = await advance(
    id,
    'DONE',
    { payload: { diff: 1 }, reason: 'ready' },
    { caller: agentCaller(writer!) },
  );
  return { id, writer: writer!, other: other!, role: `${slug} review`, handoffId: handoffId! };
}

/** A Session whose review escalated to the operators: the reviewer did not accept in time. */
async function escalated() {
  const { handoffId, role, ...team } = await waiting();
  await run(timeOutHandoff, { handoffId });
  await agent(team.other, { role });
  expect(await prisma.queueEntry.findUniqueOrThrow({ where: { sessionId: team.id } })).toMatchObject({
    escalated: true,
  });
  return team;
}

describe('a reassign of a Session that waits', () => {
  it('after an escalation keeps source, reason, outcome and payload, and a rejection goes back to the source', async () => {
    const { id, writer, other } = await escalated();
    const { handoffId } = await reassign(id, { agentId: other });
    expect(await handoffOf(handoffId)).toEqual({
      sourceAgentId: writer,
      targetAgentId: other,
      reason: 'ready',
      metadata: null,
      leftEntry: { outcome: 'DONE', payload: { diff: 1 } },
    });
    const { contextVariables } = (await prisma.handoff.findUniqueOrThrow({ where: { id: handoffId! } }))
      .context as unknown as { contextVariables: { name: string; value: unknown }[] };
    expect(Object.fromEntries(contextVariables.map(({ name, value }) => [name, value]))).toMatchObject({
      _handoff_from: writer,
      _handoff_payload: { diff: 1 },
    });
    await run(rejectHandoff, { handoffId: handoffId!, reason: 'no' });
    expect(await prisma.session.findUniqueOrThrow({ where: { id } })).toMatchObject({
      agentId: writer,
      stage: 'write',
    });
  });

  it.each([true, false])(
    'out of the pipeline keeps source, reason and payload, in its prompt too (escalated: %s)',
    async (isEscalated) => {
      const { id, writer, other } = isEscalated ? await escalated() : await waiting();
      const outsider = `outsider-${other}`;
      await agent(outsider, { role: 'none' });
      const { handoffId } = await reassign(id, { agentId: outsider, leavePipeline: true });
      expect(await handoffOf(handoffId)).toMatchObject({
        sourceAgentId: writer,
        reason: 'ready',
        leftEntry: { outcome: 'DONE', payload: { diff: 1 } },
      });
      const { text } = (
        await client(url, { key: await secretFor(pool, 'AGENT', outsider) }).post<{
          handoff: { payload: unknown; stage: string | null; contextPrompt: { text: string } };
        }>('query ($id: ID!) { handoff(id: $id) { stage payload contextPrompt { text } } }', {
          id: encodeId('handoff', handoffId!),
        })
      ).data.handoff.contextPrompt;
      expect(text).toContain(`- write DONE, attempt 1 by ${writer}: {"diff": 1} Reason: ready`);
      expect(text).not.toContain('Your stage of the pipeline');
      await run(rejectHandoff, { handoffId: handoffId!, reason: 'no' });
      expect(await prisma.session.findUniqueOrThrow({ where: { id } })).toMatchObject({ agentId: writer, stage: null });
    },
  );

  it('passes on what the operator says instead', async () => {
    const { id, other } = await escalated();
    const { handoffId } = await reassign(id, { agentId: other, reason: 'look at this first' });
    expect(await handoffOf(handoffId)).toMatchObject({
      reason: 'look at this first',
      leftEntry: { payload: { diff: 1 } },
    });
  });

  it('in the queue keeps source, reason and metadata, also in the queue again; to the source itself it has no source', async () => {
    await agent('ada');
    await agent('bob');
    const id = await session('ada');
    await reassign(id, { agentType: 'GEMINI', queue: true, reason: 'needs a look', metadata: { ticket: 7 } });
    await reassign(id, { agentType: 'LLAMA', queue: true });
    const { handoffId } = await reassign(id, { agentId: 'bob' });
    const given = { reason: 'needs a look', metadata: { ticket: 7 } };
    expect(await handoffOf(handoffId)).toMatchObject({ sourceAgentId: 'ada', ...given });
    const other = await session('ada');
    await reassign(other, { agentType: 'GEMINI', queue: true, reason: 'needs a look', metadata: { ticket: 7 } });
    expect(await handoffOf((await reassign(other, { agentId: 'ada' })).handoffId)).toMatchObject({
      sourceAgentId: null,
      ...given,
    });
  });

  it('to be accepted keeps source and reason; an accepted Handoff gives none', async () => {
    await agent('cleo');
    await agent('dora');
    await agent('eve', { collaborators: ['cleo'] });
    const id = await session('eve');
    await initiate(id, 'cleo', { reason: 'yours' });
    const { handoffId } = await reassign(id, { agentId: 'dora' });
    expect(await handoffOf(handoffId)).toMatchObject({ sourceAgentId: 'eve', reason: 'yours' });
    await run(acceptHandoff, { handoffId: handoffId! });
    expect(await handoffOf((await reassign(id, { agentId: 'cleo' })).handoffId)).toMatchObject({
      sourceAgentId: 'dora',
      reason: null,
    });
  });
});
