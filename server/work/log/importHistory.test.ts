import { describe, expect, it } from 'vitest';
import { hashAllTables } from '../../../test/hash.ts';
import { imports, type How } from '../../../test/imports.ts';
import { agentCaller } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { acceptHandoff } from '../handoffs/changeHandoff.ts';
import { completeSession, pauseSession } from '../sessions/changeSession.ts';
import { batonPrompt } from './transcripts/batonPrompt.ts';
import { piecesOf } from './transcripts/lines.ts';

const { db, here, another, load, loadFixture, messages, turns, lastTenure, session, reassign, run } = await imports();

describe('an import', () => {
  it('accepts and completes no handoff, and changes no earlier context', async () => {
    const bob = await another();
    await reassign(here.id, { agentId: bob });
    const handoff = () => db.prisma.handoff.findFirstOrThrow({ where: { sessionId: here.id } });
    const waiting = await handoff();
    await loadFixture('claude-tasks');
    expect(await handoff()).toEqual(waiting);
    expect((await lastTenure(bob)).state).toBe('PENDING');
    await run(acceptHandoff, { handoffId: waiting.id });
    const accepted = await handoff();
    await loadFixture('claude-compaction');
    expect(await handoff()).toEqual(accepted);
    const { version } = await db.prisma.session.findUniqueOrThrow({ where: { id: here.id } });
    expect(version).toBe(3);
  });

  it("gives its turns to the tenure of the named agent, else to the holder's", async () => {
    const bob = await another();
    await reassign(here.id, { agentId: bob });
    await loadFixture('claude-failed-write');
    await loadFixture('claude-compaction', { agentId: here.holder });
    expect((await turns()).map(({ agentSessionId }) => agentSessionId)).toEqual([
      (await lastTenure(bob)).id,
      (await lastTenure(here.holder)).id,
    ]);
    expect(
      (await db.prisma.message.findFirstOrThrow({ where: { sessionId: here.id, content: 'I dig.' } })).agentSessionId,
    ).toBe((await lastTenure(here.holder)).id);
  });

  it('gives its turns to no agent in an unassigned session', async () => {
    here.id = await session(null);
    await loadFixture('claude-failed-write');
    expect(await turns()).toMatchObject([{ agentSessionId: null }]);
  });

  it('by an operator is accepted in a paused session and while a handoff waits', async () => {
    await run(pauseSession, { sessionId: here.id, expectedVersion: null });
    expect(await loadFixture('claude-failed-write')).toMatchObject({ turnsAdded: 1 });
    await reassign(here.id, { agentId: await another() });
    expect(await loadFixture('claude-compaction')).toMatchObject({ turnsAdded: 1 });
  });

  it.each<[string, (bob: string) => Promise<How>, object]>([
    [
      'into a finished session',
      async () => (
        await run(completeSession, { sessionId: here.id, expectedVersion: null, result: null, summary: null }),
        {}
      ),
      { code: 'INVALID_STATE', state: 'COMPLETED' },
    ],
    ['for an agent that does not exist', async () => ({ agentId: 'nobody' }), { code: 'NOT_FOUND', id: 'nobody' }],
    [
      'for an agent that never had the session',
      async (bob) => ({ agentId: bob }),
      { code: 'INVALID_STATE', allowed: ['ACTIVE'] },
    ],
    ['by an agent that never had it', async (bob) => ({ caller: agentCaller(bob) }), { code: 'NOT_FOUND' }],
    [
      'by an agent that does not hold it any more',
      async (bob) => (
        await reassign(here.id, { agentId: bob, skipHandoff: true }),
        { caller: agentCaller(here.holder) }
      ),
      { code: 'INVALID_STATE' },
    ],
    [
      'by an agent for another',
      async () => ({ caller: agentCaller(here.holder), agentId: await another() }),
      { code: 'FORBIDDEN' },
    ],
    [
      'by an agent that has not accepted',
      async (bob) => (await reassign(here.id, { agentId: bob }), { caller: agentCaller(bob) }),
      { code: 'INVALID_STATE', state: 'PENDING' },
    ],
    [
      'by an agent whose session is paused',
      async () => (
        await run(pauseSession, { sessionId: here.id, expectedVersion: null }),
        { caller: agentCaller(here.holder) }
      ),
      { code: 'INVALID_STATE', state: 'PAUSED' },
    ],
    [
      'into a session that does not exist',
      async () => ({ sessionId: '01990000-0000-7000-8000-000000000000' }),
      { code: 'NOT_FOUND' },
    ],
  ])('is refused %s, and changes nothing', async (_when, given, refusal) => {
    const how = await given(await another());
    const before = await hashAllTables(db.pool);
    await expect(loadFixture('claude-failed-write', how)).rejects.toMatchObject(refusal);
    expect(await hashAllTables(db.pool)).toEqual(before);
  });

  it('by an agent is accepted in a session that it holds', async () => {
    expect(
      await loadFixture('claude-failed-write', { caller: agentCaller(here.holder), agentId: here.holder }),
    ).toMatchObject({ turnsAdded: 1 });
  });

  it('by an agent goes on with the turn in which it lost the session, until the session is handed off again', async () => {
    const [bob, carol] = [await another(), await another()];
    const own: How = { caller: agentCaller(here.holder), agentId: here.holder };
    await loadFixture('claude-incremental-1', own);
    await reassign(here.id, { agentId: bob });
    const { contentHash } = await db.prisma.handoff.findFirstOrThrow({ where: { sessionId: here.id } });
    await expect(loadFixture('claude-failed-write', own)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    const { messagesAdded } = await loadFixture('claude-incremental-2', own);
    expect(messagesAdded).toBeGreaterThan(0);
    expect(new Set((await turns()).map(({ agentSessionId }) => agentSessionId))).toEqual(
      new Set([(await lastTenure(here.holder)).id]),
    );
    expect(await db.prisma.handoff.findFirstOrThrow({ where: { sessionId: here.id } })).toMatchObject({
      contentHash,
      status: 'INITIATED',
    });
    await reassign(here.id, { agentId: carol });
    await expect(loadFixture('claude-incremental-2', own)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });

  it('by an agent is accepted after it handed off when it begins with the prompt of its handoff, until the session is handed off again', async () => {
    const [bob, carol] = [await another(), await another()];
    const { handoffId } = await reassign(here.id, { agentId: bob });
    await run(acceptHandoff, { handoffId: handoffId! });
    const own: How = { caller: agentCaller(bob), agentId: bob };
    const transcript = (handoff: string, answer: string) =>
      piecesOf(
        [
          {
            type: 'user',
            uuid: `u ${answer}`,
            message: {
              role: 'user',
              content: `${batonPrompt(bob, encodeId('session', here.id), encodeId('handoff', handoff))} Do the work.`,
            },
          },
          {
            type: 'assistant',
            uuid: `a ${answer}`,
            message: { role: 'assistant', id: answer, content: [{ type: 'text', text: answer }] },
          },
        ]
          .map((line) => `${JSON.stringify(line)}\n`)
          .join(''),
      );
    const { handoffId: next } = await reassign(here.id, { agentId: carol });
    await expect(load(transcript(next!, 'Of the next'), own)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(
      load(transcript(handoffId!, 'By another'), { ...own, caller: agentCaller(here.holder) }),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await load(transcript(handoffId!, 'Handed over'), own)).toMatchObject({ messagesAdded: 2 });
    expect((await turns()).map(({ agentSessionId }) => agentSessionId)).toEqual([(await lastTenure(bob)).id]);
    await reassign(here.id, { agentId: here.holder });
    await expect(load(transcript(handoffId!, 'Too late'), own)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });

  it('of one file by two concurrent callers adds its lines once', async () => {
    const reports = await Promise.all([loadFixture('claude-incremental-2'), loadFixture('claude-incremental-2')]);
    expect(reports.map(({ messagesAdded }) => messagesAdded).sort()).toEqual([0, 4]);
    expect(await messages()).toHaveLength(4);
  });
});
