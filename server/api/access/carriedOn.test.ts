import { expect, it } from 'vitest';
import { agentReads } from '../../../test/agentReads.ts';
import { testDatabase } from '../../../test/database.ts';
import { adminKey } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { agentCaller, toolCall, world } from '../../../test/world.ts';
import { silentLog } from '../../infra/log.ts';
import { setAgentStatus } from '../../work/agents/setAgentStatus.ts';
import { updateAgent } from '../../work/agents/updateAgent.ts';
import { asCarry } from '../../work/context/carry.ts';
import { acceptHandoff, rejectHandoff, timeOutHandoff } from '../../work/handoffs/changeHandoff.ts';
import { recordDecision, setTasks } from '../../work/log/addToLog.ts';
import { assignQueued } from '../../work/queue/assign.ts';
import { completeSession } from '../../work/sessions/changeSession.ts';

/** What a Carry withholds stays withheld when Baton passes the Session on: after a time-out, from the queue, and after a decline. */

const database = await testDatabase();
const { prisma, pool } = database;
const { url } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } });
const { agent, session, pipeline, advance, initiate, turn, run } = world(pool);
const { now, readAll } = agentReads(database, url);
await agent('cid');

const little = asCarry({
  messages: 'LAST',
  lastMessages: 1,
  toolCalls: 'NONE',
  files: false,
  tasks: false,
  decisions: false,
  variables: ['shared'],
});

const look = (id: string) => prisma.session.findUniqueOrThrow({ where: { id }, include: { lastHandoff: true } });
const holder = async (id: string): Promise<string | null> => (await look(id)).agentId;
const handoffOf = async (id: string): Promise<string> => (await look(id)).lastHandoffId!;
const timeOut = async (id: string) => run(timeOutHandoff, { handoffId: await handoffOf(id) });

/** A Session whose writer hands it to a reviewer with a Carry. Everything that the Carry withholds has the mark HIDDEN. */
async function handedOver(slug: string, others: { maxCapacity?: number } = {}): Promise<string> {
  await agent(`${slug}-writer`, { role: `write ${slug}` });
  for (const n of [1, 2, 3]) {
    await agent(`${slug}-reviewer-${n}`, { role: `review ${slug}`, ...others });
    await agent(`${slug}-publisher-${n}`, { role: `publish ${slug}`, ...others });
  }
  await run(updateAgent, {
    id: `${slug}-writer`,
    collaborations: [{ agentId: `${slug}-reviewer-1`, when: null, carry: little }],
  });
  const role = (name: string) => ({ role: `${name} ${slug}` });
  await pipeline(slug, ['write DONE review', 'review APPROVE publish', 'publish DONE end'], {
    write: role('write'),
    review: role('review'),
    publish: role('publish'),
  });
  const id = await session(null, {
    pipeline: slug,
    contextVariables: { shared: 'GIVEN variable', secret: 'HIDDEN variable' },
  });
  await turn(id, {
    messages: [
      { role: 'USER', content: 'HIDDEN request' },
      { role: 'ASSISTANT', content: 'HIDDEN answer. Shall I do the HIDDEN?' },
    ],
    toolCalls: [
      toolCall('c', 'Bash', {
        arguments: { command: 'npm test HIDDEN' },
        filesModified: ['HIDDEN.ts'],
        error: 'HIDDEN error',
      }),
    ],
  });
  await run(recordDecision, { sessionId: id, text: 'HIDDEN decision' });
  await run(setTasks, { sessionId: id, tasks: [{ content: 'HIDDEN task', status: 'PENDING' }] });
  await turn(id, { messages: [{ role: 'ASSISTANT', content: 'GIVEN last words' }] });
  await initiate(id, `${slug}-reviewer-1`, { reason: 'GIVEN reason' }, { caller: agentCaller(`${slug}-writer`) });
  return id;
}

/** The holder takes it over, works, and advances it. */
async function approve(id: string): Promise<{ handoffId: string | null }> {
  await run(acceptHandoff, { handoffId: await handoffOf(id) });
  await turn(id, { messages: [{ role: 'ASSISTANT', content: 'LATER words' }] });
  return advance(id, 'APPROVE', { reason: 'LATER reason' }, { caller: agentCaller((await holder(id))!) });
}

/** The holder reads these words of the Session, and nothing with the mark HIDDEN. */
async function expectHolderReads(id: string, since: string, ...words: string[]): Promise<void> {
  const text = await readAll((await holder(id))!, id, since);
  for (const each of words) expect([each, text.includes(each)]).toEqual([each, true]);
  expect(text.match(/.{0,200}HIDDEN.*/)?.[0].slice(0, 300)).toBeUndefined();
}

it('a time-out, and one after it, gives the next agent what the Carry of the first handoff passed on', async () => {
  const since = await now();
  const id = await handedOver('late');
  const { contentHash } = (await look(id)).lastHandoff!;
  for (const next of ['late-reviewer-2', 'late-reviewer-3']) {
    await timeOut(id);
    expect(await look(id)).toMatchObject({ agentId: next, lastHandoff: { contentHash } });
    await expectHolderReads(id, since, 'GIVEN last words', 'GIVEN reason', 'GIVEN variable');
  }
  // The next stage, from an agent that does not read everything.
  await approve(id);
  for (const next of ['late-publisher-2', 'late-publisher-3']) {
    await timeOut(id);
    expect(await holder(id)).toBe(next);
    await expectHolderReads(id, since, 'LATER words', 'LATER reason', 'GIVEN last words');
  }
}, 300_000);

it('a time-out while all others are full lets the next agent read what the Carry passed on', async () => {
  const since = await now();
  const id = await handedOver('busy', { maxCapacity: 1 });
  const busy = [];
  for (const n of [2, 3]) busy.push(await session(`busy-reviewer-${n}`));
  await timeOut(id);
  expect(await look(id)).toMatchObject({ agentId: null, stage: 'review' });
  await run(completeSession, { sessionId: busy[0]!, expectedVersion: null, result: null, summary: null });
  expect(await holder(id)).toBe('busy-reviewer-2');
  await expectHolderReads(id, since, 'GIVEN last words', 'GIVEN reason', 'GIVEN variable');
}, 300_000);

it('the queue, a time-out after it, and a stand-in for the source pass on no more than the finisher read', async () => {
  const since = await now();
  const id = await handedOver('full', { maxCapacity: 1 });
  const busy = [];
  for (const n of [1, 2, 3]) busy.push(await session(`full-publisher-${n}`));
  expect(await approve(id)).toMatchObject({ handoffId: null });
  await run(completeSession, { sessionId: busy[0]!, expectedVersion: null, result: null, summary: null });
  expect(await look(id)).toMatchObject({
    agentId: 'full-publisher-1',
    lastHandoff: { actorPrincipal: 'queue', sourceAgentId: 'full-reviewer-1' },
  });
  await expectHolderReads(id, since, 'LATER words', 'LATER reason', 'GIVEN last words');

  await run(completeSession, { sessionId: busy[1]!, expectedVersion: null, result: null, summary: null });
  await timeOut(id);
  expect(await holder(id)).toBe('full-publisher-2');
  await expectHolderReads(id, since, 'LATER words', 'LATER reason', 'GIVEN last words');

  await run(setAgentStatus, { id: 'full-reviewer-1', status: 'OFFLINE' });
  await run(rejectHandoff, { handoffId: await handoffOf(id), reason: 'no' });
  await assignQueued({ pool, log: silentLog });
  expect(await look(id)).toMatchObject({ agentId: 'full-reviewer-2', stage: 'review', status: 'RUNNING' });
  await expectHolderReads(id, since, 'LATER words');
}, 300_000);
