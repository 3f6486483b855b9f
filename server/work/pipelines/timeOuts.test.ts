import { afterEach, describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { brokenInvariants, waitInVain } from '../../../test/invariants.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { silentLog } from '../../infra/log.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { updateAgent } from '../agents/updateAgent.ts';
import type { Stage } from '../custody/pipeline.ts';
import { acceptHandoff, rejectHandoff, timeOutHandoff } from '../handoffs/changeHandoff.ts';
import { sweep } from '../handoffs/sweep.ts';
import { touchHandoff } from '../handoffs/touchHandoff.ts';
import { assignQueued } from '../queue/assign.ts';
import { cancelSession, completeSession, pauseSession, resumeSession } from '../sessions/changeSession.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { post } = client(url);
const { agent, session, pipeline, advance, reassign, run } = world(db.pool);
const publicId = (id: string): string => encodeId('session', id);

const look = (id: string) =>
  db.prisma.session.findUniqueOrThrow({ where: { id }, include: { queueEntry: true, lastHandoff: true } });
const handoffOf = async (id: string): Promise<string> => (await look(id)).lastHandoffId!;
const timeOut = async (id: string) => run(timeOutHandoff, { handoffId: await handoffOf(id) });
const accept = async (id: string) => run(acceptHandoff, { handoffId: await handoffOf(id) });
const reject = async (id: string) => run(rejectHandoff, { handoffId: await handoffOf(id), reason: 'no' });
const end = (sessionId: string) => run(cancelSession, { sessionId, expectedVersion: null, reason: null });
const assign = () => assignQueued({ pool: db.pool, log: silentLog });
const steps = async (sessionId: string, after = 0): Promise<string[]> =>
  (
    await db.prisma.event.findMany({
      where: { sessionId, sessionSequence: { gt: after } },
      orderBy: { sessionSequence: 'asc' },
    })
  ).map(({ type }) => type);

let stories = 0;
/** A Session that waits for the first of the reviewers, each with one place. `busy` of the others have a Session already. */
async function waiting(reviewers: number, { busy = 0, ...review }: Partial<Stage> & { busy?: number } = {}) {
  const slug = `story-${(stories += 1)}`;
  const name = (n: number): string => `${slug}-r${n}`;
  await agent(`${slug}-w`, { role: `write ${slug}` });
  for (let n = 1; n <= reviewers; n += 1) await agent(name(n), { role: `review ${slug}`, maxCapacity: 1 });
  await pipeline(slug, ['write DONE review', 'review APPROVE end'], {
    write: { role: `write ${slug}` },
    review: { role: `review ${slug}`, ...review },
  });
  const id = await session(null, { pipeline: slug });
  await advance(id, 'DONE', { payload: { files: 3 }, reason: 'Ready.' });
  const held: string[] = [];
  for (let n = reviewers; n > reviewers - busy; n -= 1) held.push(await session(name(n)));
  return { id, slug, writer: `${slug}-w`, name, held };
}
const to = (fields: Partial<NonNullable<Stage['escalateTo']>>): Pick<Stage, 'escalateTo'> => ({
  escalateTo: { agentId: null, role: null, operators: false, ...fields },
});

afterEach(async () => {
  await assign();
  expect(await brokenInvariants(db.pool)).toEqual([]);
  expect(await waitInVain(db.pool)).toEqual([]);
});

describe('a time-out while all other agents of the stage are full', () => {
  it('queues the session for an agent that did not have it, from the same source', async () => {
    const { id, writer, name, held } = await waiting(4, { busy: 2 });
    await timeOut(id);
    expect(await look(id)).toMatchObject({ agentId: name(2) });
    await timeOut(id);
    expect(await look(id)).toMatchObject({
      agentId: null,
      status: 'PAUSED',
      queueEntry: { sourceAgentId: writer, escalated: false, suspended: false, reason: 'Ready.' },
    });
    // The reviewers that did not accept are free now.
    await assign();
    const { data } = await post(
      `{ session(id: "${publicId(id)}") { pipeline { stage currentAgent { id } queuePosition stages { name state agent { id } attempts } } } }`,
    );
    expect(data).toMatchObject({
      session: {
        pipeline: {
          stage: 'review',
          currentAgent: null,
          queuePosition: 1,
          stages: [{ state: 'DONE' }, { state: 'QUEUED', agent: null, attempts: 1 }],
        },
      },
    });

    await run(completeSession, { sessionId: held[0]!, expectedVersion: null, result: null, summary: null });
    expect(await look(id)).toMatchObject({
      agentId: name(4),
      status: 'RUNNING',
      lastHandoff: { sourceAgentId: writer, via: 'PIPELINE', reason: 'Ready.' },
    });
    const { data: given } = await post(
      `{ handoff(id: "${encodeId('handoff', await handoffOf(id))}") { stage outcome payload contextVariables { name value } } }`,
    );
    expect(given).toMatchObject({
      handoff: {
        stage: 'review',
        outcome: 'DONE',
        payload: { files: 3 },
        contextVariables: expect.arrayContaining([{ name: '_handoff_payload', value: { files: 3 } }]) as unknown,
      },
    });
    // The last one is still full.
    await timeOut(id);
    expect(await look(id)).toMatchObject({ agentId: null, queueEntry: { sourceAgentId: writer } });
    await run(completeSession, { sessionId: held[1]!, expectedVersion: null, result: null, summary: null });
    expect(await look(id)).toMatchObject({ agentId: name(3) });
    await reject(id);
    expect(await look(id)).toMatchObject({ agentId: writer, stage: 'write', status: 'RUNNING' });
  });

  it('goes back to its source and stage when another agent declines at its turn, also after an operator queued it again', async () => {
    const { id, writer, name, held } = await waiting(2, { busy: 1 });
    await timeOut(id);
    await run(setAgentStatus, { id: name(1), status: 'OFFLINE' });
    await reassign(id, { agentType: 'CLAUDE', queue: true });
    await run(completeSession, { sessionId: held[0]!, expectedVersion: null, result: null, summary: null });
    expect(await look(id)).toMatchObject({ agentId: name(2), lastHandoff: { sourceAgentId: writer } });
    await reject(id);
    expect(await look(id)).toMatchObject({ agentId: writer, stage: 'write' });
  });

  it('suspends the place of a paused session', async () => {
    const { id, name, held } = await waiting(2, { busy: 1 });
    await run(pauseSession, { sessionId: id, expectedVersion: null });
    await timeOut(id);
    expect(await look(id)).toMatchObject({ agentId: null, queueEntry: { suspended: true } });
    await run(completeSession, { sessionId: held[0]!, expectedVersion: null, result: null, summary: null });
    expect(await look(id)).toMatchObject({ agentId: null });
    await run(resumeSession, { sessionId: id, expectedVersion: null });
    await assign();
    expect(await look(id)).toMatchObject({ agentId: name(2), status: 'RUNNING' });
  });

  it('gives the next agent the full time of the stage after the deadline was extended', async () => {
    const { id } = await waiting(2, { acceptWithinMinutes: 7 });
    const handoffId = await handoffOf(id);
    await db.pool.query(
      `UPDATE handoffs SET initiated_at = initiated_at - interval '1 hour', deadline_at = deadline_at - interval '1 hour' WHERE id = $1`,
      [handoffId],
    );
    await run(touchHandoff, { handoffId, note: null });
    await timeOut(id);
    const { initiatedAt, deadlineAt, acceptWithinMinutes } = (await look(id)).lastHandoff!;
    expect([deadlineAt.getTime() - initiatedAt.getTime(), acceptWithinMinutes]).toEqual([7 * 60_000, 7]);
  });
});

describe('when the agents for which a session waits since a time-out go away, it escalates', () => {
  const away = (id: string) => run(setAgentStatus, { id, status: 'OFFLINE' });
  const sweepAll = () => sweep({ pool: db.pool, log: silentLog });

  it('to operators, once the last of them went', async () => {
    const { id, writer, name } = await waiting(3, { busy: 2, ...to({ operators: true }) });
    await timeOut(id);
    const { eventCount } = await look(id);
    await away(name(2));
    await sweepAll();
    expect(await look(id)).toMatchObject({ agentId: null, queueEntry: { escalated: false } });
    await run(updateAgent, { id: name(3), role: 'retired' });
    for (let n = 0; n < 2; n += 1) await sweepAll();
    expect(await look(id)).toMatchObject({
      agentId: null,
      status: 'PAUSED',
      stage: 'review',
      queueEntry: { escalated: true, sourceAgentId: writer },
    });
    expect(await steps(id, eventCount)).toEqual(['HANDOFF_ESCALATED']);
    await end(id);
  });

  it('to an agent, from the same source and with the same payload', async () => {
    await agent('deputy');
    const { id, writer, name } = await waiting(2, { busy: 1, ...to({ agentId: 'deputy' }) });
    await timeOut(id);
    const { eventCount } = await look(id);
    await away(name(2));
    await sweepAll();
    expect(await look(id)).toMatchObject({
      agentId: 'deputy',
      status: 'RUNNING',
      queueEntry: null,
      lastHandoff: { sourceAgentId: writer, via: 'PIPELINE', reason: 'Ready.' },
    });
    expect(await steps(id, eventCount)).toEqual(['HANDOFF_ESCALATED', 'HANDOFF_INITIATED', 'SESSION_REASSIGNED']);
    await timeOut(id);
    expect(await look(id)).toMatchObject({ agentId: writer, stage: 'write' });
  });

  it('to a role, and waits for its agents while they are full', async () => {
    await agent('head', { role: 'head', maxCapacity: 1 });
    const other = await session('head');
    const { id, name } = await waiting(2, { busy: 1, ...to({ role: 'head' }) });
    await timeOut(id);
    await away(name(2));
    await sweepAll();
    expect(await look(id)).toMatchObject({
      agentId: null,
      queueEntry: { role: 'head', agentType: null, escalated: false },
    });
    await end(other);
    expect(await look(id)).toMatchObject({ agentId: 'head', lastHandoff: { status: 'INITIATED' } });
  });

  it('but waits on when the stage escalates to nobody, while it is paused, and when no agent had it yet', async () => {
    const [nobody, paused, queued] = [
      await waiting(2, { busy: 1 }),
      await waiting(2, { busy: 1, ...to({ operators: true }) }),
      await waiting(1, to({ operators: true })),
    ];
    await run(pauseSession, { sessionId: paused.id, expectedVersion: null });
    for (const { id } of [nobody, paused]) await timeOut(id);
    const second = await session(null, { pipeline: queued.slug });
    await advance(second);
    const counts = async () =>
      Promise.all([nobody.id, paused.id, second].map(async (id) => (await look(id)).eventCount));
    const before = await counts();
    for (const id of [nobody.name(2), paused.name(2), queued.name(1)]) await away(id);
    await sweepAll();
    expect(await look(second)).toMatchObject({ agentId: null, queueEntry: { escalated: false } });
    expect(await counts()).toEqual(before);
    await run(resumeSession, { sessionId: paused.id, expectedVersion: null });
    await sweepAll();
    expect(await look(paused.id)).toMatchObject({ queueEntry: { escalated: true } });
    for (const id of [nobody.id, paused.id, second]) await end(id);
  });
});

describe('a stage that escalates', () => {
  const escalated = ['HANDOFF_TIMED_OUT', 'HANDOFF_ESCALATED'];

  it('to an agent gives it the session from the same source, and goes back when that agent does not accept either', async () => {
    await agent('lead', { role: 'lead' });
    const { id, writer } = await waiting(1, to({ agentId: 'lead' }));
    const { eventCount } = await look(id);
    await timeOut(id);
    expect(await look(id)).toMatchObject({
      agentId: 'lead',
      stage: 'review',
      lastHandoff: { sourceAgentId: writer, via: 'PIPELINE' },
    });
    expect(await steps(id, eventCount)).toEqual([...escalated, 'HANDOFF_INITIATED', 'SESSION_REASSIGNED']);
    const event = await db.prisma.event.findFirstOrThrow({ where: { sessionId: id, type: 'HANDOFF_ESCALATED' } });
    expect(event.metadata).toEqual({ stage: 'review', escalateTo: { agentId: 'lead', role: null, operators: false } });
    await timeOut(id);
    expect(await look(id)).toMatchObject({ agentId: writer, stage: 'write', status: 'RUNNING' });
    expect(await steps(id, eventCount + 4)).toEqual(['HANDOFF_TIMED_OUT', 'SESSION_RETURNED', 'SESSION_STAGE_CHANGED']);
  });

  it('to an agent that has no free place goes back, without HANDOFF_ESCALATED', async () => {
    await agent('busy-lead', { role: 'lead', maxCapacity: 1 });
    const other = await session('busy-lead');
    const { id, writer } = await waiting(1, to({ agentId: 'busy-lead' }));
    await timeOut(id);
    expect(await look(id)).toMatchObject({ agentId: writer, stage: 'write' });
    expect(await steps(id)).not.toContain('HANDOFF_ESCALATED');
    await end(other);
  });

  it('to a role tries each of its agents, waits for those that are full, then goes back', async () => {
    for (const n of [1, 2, 3]) await agent(`chief-${n}`, { role: 'chief', maxCapacity: 1 });
    const { id, writer } = await waiting(1, to({ role: 'chief' }));
    const others = [await session('chief-2'), await session('chief-3')];
    await timeOut(id);
    expect(await look(id)).toMatchObject({ agentId: 'chief-1' });
    await timeOut(id);
    expect(await look(id)).toMatchObject({
      agentId: null,
      stage: 'review',
      queueEntry: { role: 'chief', escalated: false, sourceAgentId: writer },
    });
    await assign();
    await end(others[0]!);
    expect(await look(id)).toMatchObject({ agentId: 'chief-2', lastHandoff: { sourceAgentId: writer } });
    await run(setAgentStatus, { id: 'chief-3', status: 'OFFLINE' });
    await timeOut(id);
    expect(await look(id)).toMatchObject({ agentId: writer, stage: 'write' });
    await end(others[1]!);
  });

  it('to operators leaves the session unassigned in the queue of operators until one of them assigns it', async () => {
    const { id, slug, writer, name } = await waiting(1, to({ operators: true }));
    const { eventCount } = await look(id);
    await timeOut(id);
    expect(await look(id)).toMatchObject({
      agentId: null,
      status: 'PAUSED',
      stage: 'review',
      queueEntry: { escalated: true, sourceAgentId: writer },
    });
    expect(await steps(id, eventCount)).toEqual([...escalated, 'SESSION_QUEUED']);
    // No agent gets it, not even a new one of the stage.
    await agent(`${slug}-new`, { role: `review ${slug}` });
    await assign();
    expect((await look(id)).agentId).toBeNull();
    const { data } = await post(
      '{ queue(where: { escalated: true }) { nodes { escalated position role sourceAgent { id } session { id status pipeline { stage queuePosition queuedSince } } } } }',
    );
    expect(data).toEqual({
      queue: {
        nodes: [
          {
            escalated: true,
            position: null,
            role: `review ${slug}`,
            sourceAgent: { id: writer },
            session: {
              id: publicId(id),
              status: 'PAUSED',
              pipeline: { stage: 'review', queuePosition: null, queuedSince: expect.any(String) as string },
            },
          },
        ],
      },
    });
    await reassign(id, { agentId: name(1) });
    await accept(id);
    expect(await look(id)).toMatchObject({ agentId: name(1), status: 'RUNNING', queueEntry: null });
    expect(await advance(id, 'APPROVE')).toEqual({ sessionId: id, handoffId: null });
  });

  it('to operators leaves the queue of operators when one of them queues it for a type, or ends it', async () => {
    const [first, second] = [await waiting(1, to({ operators: true })), await waiting(1, to({ operators: true }))];
    for (const { id } of [first, second]) await timeOut(id);
    await run(setAgentStatus, { id: first.name(1), status: 'OFFLINE' });
    await reassign(first.id, { agentType: 'CLAUDE', queue: true });
    expect(await look(first.id)).toMatchObject({ queueEntry: { escalated: false, sourceAgentId: first.writer } });
    await run(setAgentStatus, { id: first.name(1), status: 'AVAILABLE' });
    await end(second.id);
    expect(await look(second.id)).toMatchObject({ status: 'CANCELLED', queueEntry: null });
  });

  it('is not reached by a rejection', async () => {
    const { id, writer } = await waiting(1, to({ operators: true }));
    await reject(id);
    expect(await look(id)).toMatchObject({ agentId: writer, stage: 'write' });
  });
});
