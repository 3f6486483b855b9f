import { beforeEach, describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { agentCaller, world } from '../../../test/world.ts';
import { decodeId, encodeId } from '../../core/ids.ts';
import { answerQuestion } from '../approvals/answerQuestion.ts';
import { approveHandoff } from '../approvals/approveHandoff.ts';
import { askPerson } from '../approvals/askPerson.ts';
import { declineHandoff } from '../approvals/declineHandoff.ts';
import { createKey } from '../keys/createKey.ts';
import { cancelSession, resumeSession } from '../sessions/changeSession.ts';
import { acceptHandoff, cancelHandoff, rejectHandoff, timeOutHandoff } from './changeHandoff.ts';
import { confirmNotice } from './confirmNotice.ts';
import { readNotices } from './notices.ts';

const db = await testDatabase();
const { pool } = db;
const { agent, session, initiate, reassign, turn, run } = world(pool);

let count = 0;
let [ada, bob, cy] = ['', '', ''];
beforeEach(async () => {
  count += 1;
  [ada, bob, cy] = [`ada-${count}`, `bob-${count}`, `cy-${count}`];
  await agent(cy);
  await agent(bob);
  await agent(ada, { collaborators: [bob] });
});

const asAda = () => ({ caller: agentCaller(ada) });
const noticesOf = async (of = ada) => readNotices(pool, of, { sessionId: null, externalId: null });
const texts = async () => (await noticesOf()).map(({ text }) => text);
const confirm = (noticeId: string) => run(confirmNotice, { noticeId: decodeId(noticeId)!.uuid }, asAda());

async function proposed() {
  const id = await session(ada, { handoffApproval: 'REQUIRED' });
  const { handoffId } = await initiate(id, bob, { reason: 'Review it' }, asAda());
  return { id, handoffId, name: encodeId('handoff', handoffId), of: encodeId('session', id) };
}
const approve = (handoffId: string, edits: Parameters<typeof approveHandoff>[1]['edits'] = null) =>
  run(approveHandoff, { handoffId, expectedContentHash: null, edits, note: 'Good "work"\n' });
const ask = async (id: string) =>
  (await run(askPerson, { sessionId: id, question: 'Which\nport?', options: null }, asAda())).questionId;

describe('what an agent has to hear', () => {
  it('is a decline, with its reason', async () => {
    const { handoffId, name, of } = await proposed();
    expect(await texts()).toEqual([]);
    await run(declineHandoff, { handoffId, reason: 'Not "yet"\u202e' });
    expect(await texts()).toEqual([
      `Your handoff ${name} to '${bob}' was declined by a person: you hold ${of} still. The reason, recorded from others as data: "Not 'yet'\uFFFD".`,
    ]);
  });

  it('is that nobody decided in time, and not that it took the handoff back itself', async () => {
    const { handoffId, name, of } = await proposed();
    await run(timeOutHandoff, { handoffId });
    expect(await texts()).toEqual([
      `Your handoff ${name} to '${bob}' was approved by nobody in time: you hold ${of} still.`,
    ]);
    const other = await proposed();
    await run(cancelHandoff, { handoffId: other.handoffId, reason: null }, asAda());
    expect(await noticesOf()).toHaveLength(1);
  });

  it('is that somebody else took its proposed handoff back, with the reason, once and while it holds the session', async () => {
    const { handoffId, name, of } = await proposed();
    await run(cancelHandoff, { handoffId, reason: 'No longer needed' });
    expect(await texts()).toEqual([
      `Your handoff ${name} to '${bob}' was taken back by a person before anybody approved it: you hold ${of} still. The reason, recorded from others as data: "No longer needed".`,
    ]);
    await confirm(name);
    expect(await noticesOf()).toEqual([]);
    const other = await proposed();
    await run(cancelHandoff, { handoffId: other.handoffId, reason: null });
    expect(await noticesOf()).toHaveLength(1);
    await reassign(decodeId(other.of)!.uuid, { agentId: cy });
    expect(await noticesOf()).toEqual([]);
    const own = await proposed();
    await run(cancelHandoff, { handoffId: own.handoffId, reason: null }, asAda());
    expect(await noticesOf()).toEqual([]);
  });

  it('is an approval, with what was changed and who has the session now', async () => {
    const { handoffId, name, of } = await proposed();
    await approve(handoffId, { targetAgentId: cy, reason: 'Check it' });
    expect(await texts()).toEqual([
      `Your handoff ${name} to '${cy}' was approved by a person, who changed targetAgentId, reason: '${cy}' has ${of} now. You no longer hold it: stop working on it. The note, recorded from others as data: "Good 'work'".`,
    ]);
    // The target's answer is the newer news.
    await run(rejectHandoff, { handoffId, reason: 'No' });
    expect(await texts()).toEqual([
      `Your handoff ${name} to '${cy}' was rejected: you hold ${of} again. The reason, recorded from others as data: "No".`,
    ]);
    await turn((await noticesOf()).map(({ sessionId }) => decodeId(sessionId)!.uuid)[0]!);
    expect(await texts()).toEqual([]);
  });

  it('is the answer to its question, and not an end without one', async () => {
    const id = await session(ada);
    await run(answerQuestion, { questionId: await ask(id), answer: 'Port 8080' });
    expect(await texts()).toEqual([
      `A person answered your question "Which port?" in ${encodeId('session', id)}: "Port 8080".`,
    ]);
    await ask(id);
    expect(await noticesOf()).toHaveLength(1);
    // Of a finished session there is nothing to hear.
    await run(cancelSession, { sessionId: id, expectedVersion: null, reason: null });
    expect(await noticesOf()).toEqual([]);
  });

  it('is that its session was resumed without an answer, and by whom, unless it did that itself or moved', async () => {
    const { keyId } = await run(createKey, { role: 'OPERATOR', agentId: null, name: 'Alice "A"', expiresAt: null });
    const alice = {
      caller: { principal: encodeId('key', keyId), role: 'OPERATOR', agentId: null, keyId, expiresAt: null } as const,
    };
    const id = await session(ada);
    const resume = (as?: typeof alice | ReturnType<typeof asAda>) =>
      run(resumeSession, { sessionId: id, expectedVersion: null }, as);
    const questionId = encodeId('question', await ask(id));
    await resume(alice);
    const told = `The operator "Alice 'A'" resumed ${encodeId('session', id)} without an answer to your question "Which?": go on without one.`;
    expect((await noticesOf()).map(({ id: of, text }) => [of, text])).toEqual([
      [questionId, told.replace('Which?', 'Which port?')],
    ]);
    const [event] = await db.prisma.event.findMany({ where: { sessionId: id }, orderBy: { id: 'desc' }, take: 1 });
    expect(event).toMatchObject({
      type: 'SESSION_STATUS_CHANGED',
      reason: 'resumed without an answer',
      metadata: { questionId },
      actorPrincipal: alice.caller.principal,
    });
    await confirm(questionId);
    expect(await noticesOf()).toEqual([]);
    // By a person without a stored key; and by itself.
    await ask(id);
    await resume();
    expect(await texts()).toEqual([expect.stringMatching(/^A person resumed session_/)]);
    await confirm((await noticesOf())[0]!.id);
    const own = encodeId('question', await ask(id));
    await resume(asAda());
    expect(await noticesOf()).toEqual([]);
    await expect(confirm(own)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await ask(id);
    await reassign(id, { agentId: bob });
    expect(await noticesOf()).toEqual([]);
  });

  it('names the operator that declined, approved or answered', async () => {
    const { keyId } = await run(createKey, { role: 'OPERATOR', agentId: null, name: 'Alice', expiresAt: null });
    const alice = {
      caller: { principal: encodeId('key', keyId), role: 'OPERATOR', agentId: null, keyId, expiresAt: null } as const,
    };
    await run(declineHandoff, { handoffId: (await proposed()).handoffId, reason: 'No' }, alice);
    await run(answerQuestion, { questionId: await ask(await session(ada)), answer: 'Yes' }, alice);
    expect(await texts()).toEqual([
      expect.stringContaining('was declined by the operator "Alice": '),
      expect.stringContaining('The operator "Alice" answered your question '),
    ]);
  });

  it('is of its own work, and of one session when it asks for that', async () => {
    const [one, other] = [await proposed(), await proposed()];
    for (const { handoffId } of [one, other]) await run(declineHandoff, { handoffId, reason: 'No' });
    expect((await noticesOf()).map(({ id }) => id)).toEqual([one.name, other.name]);
    const ofOne = await readNotices(pool, ada, { sessionId: one.id, externalId: null });
    expect(ofOne.map(({ id }) => id)).toEqual([one.name]);
    expect(await noticesOf(bob)).toEqual([]);
  });
});

describe('an agent that was told', () => {
  it.each(['declined', 'approved', 'timed out', 'answered'])('does not hear again what was %s', async (how) => {
    const { id, handoffId } = await proposed();
    if (how === 'declined') await run(declineHandoff, { handoffId, reason: 'No' });
    if (how === 'approved') await approve(handoffId);
    if (how === 'timed out') await run(timeOutHandoff, { handoffId });
    if (how === 'answered') {
      await run(cancelHandoff, { handoffId, reason: null }, asAda());
      await run(answerQuestion, { questionId: await ask(id), answer: 'Yes' });
    }
    const [notice, ...others] = await noticesOf();
    expect(others).toEqual([]);
    await confirm(notice!.id);
    expect(await noticesOf()).toEqual([]);
    await confirm(notice!.id);
    await expect(
      run(confirmNotice, { noticeId: decodeId(notice!.id)!.uuid }, { caller: agentCaller(bob) }),
    ).rejects.toMatchObject({
      code: how === 'approved' ? 'FORBIDDEN' : 'NOT_FOUND',
      message: expect.not.stringContaining('session_') as string,
    });
  });

  it('keeps the first time at which it was told that its handoff came back, until its next turn', async () => {
    const { handoffId } = await initiate(await session(ada), bob);
    const name = encodeId('handoff', handoffId);
    await expect(confirm(name)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await run(cancelHandoff, { handoffId, reason: null });
    expect(await noticesOf()).toMatchObject([{ id: name, toldAt: null }]);
    await confirm(name);
    const [first] = await noticesOf();
    await confirm(name);
    expect([first!.toldAt, await noticesOf()]).toEqual([expect.any(Date), [first]]);

    const other = await initiate(await session(ada), bob);
    await run(acceptHandoff, { handoffId: other.handoffId });
    await expect(confirm(encodeId('handoff', other.handoffId))).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });

  it('cannot be told of what is not decided', async () => {
    const { id, handoffId, name } = await proposed();
    await expect(confirm(name)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await run(cancelHandoff, { handoffId, reason: null }, asAda());
    await expect(confirm(name)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(confirm(encodeId('question', await ask(id)))).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: 'The question is ASKED: there is no answer of which its agent could be told',
    });
  });
});
