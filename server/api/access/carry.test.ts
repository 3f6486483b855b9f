import { expect, it } from 'vitest';
import { agentReads } from '../../../test/agentReads.ts';
import { crawler } from '../../../test/crawl.ts';
import { testDatabase } from '../../../test/database.ts';
import { adminKey } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { agentCaller, toolCall, world } from '../../../test/world.ts';
import { updateAgent } from '../../work/agents/updateAgent.ts';
import { asCarry } from '../../work/context/carry.ts';
import { acceptHandoff, rejectHandoff } from '../../work/handoffs/changeHandoff.ts';
import { recordDecision, setTasks } from '../../work/log/addToLog.ts';
import { updateSession } from '../../work/sessions/updateSession.ts';
import { executeCall, type ExecuteInput } from '../../work/tools/executeCall.ts';
import { findToolCall } from '../../work/tools/findToolCall.ts';
import { readerOf } from '../tools/schema.ts';

const database = await testDatabase();
const { prisma, pool } = database;
const { url } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } });
const { agent, session, initiate, reassign, turn, run } = world(pool);
const { contextFor, now, readAll } = agentReads(database, url);
const crawl = crawler(contextFor, []);

const little = asCarry({
  messages: 'LAST',
  lastMessages: 1,
  toolCalls: 'NONE',
  files: false,
  tasks: false,
  decisions: false,
  variables: ['shared'],
});

/** Everything in it that the carry of ada's collaboration with bob withholds has the mark HIDDEN. */
async function handedToBob(): Promise<{ sessionId: string; handoffId: string }> {
  const sessionId = await session('ada', {
    title: 'The work',
    contextVariables: { shared: 'GIVEN variable', secret: 'HIDDEN variable' },
    maxHandoffs: 100,
  });
  // Sent to eve and back before, so that there is an earlier handoff.
  for (const [to, from] of [
    ['eve', 'ada'],
    ['ada', 'eve'],
  ] as const) {
    const { handoffId } = await initiate(sessionId, to, {
      reason: `HIDDEN reason of ${from}`,
      summary: `HIDDEN summary of ${from}`,
      contextVariables: { [`of ${from}`]: 'HIDDEN' },
      metadata: { note: 'HIDDEN metadata' },
    });
    await run(acceptHandoff, { handoffId });
    await turn(sessionId, {
      messages: [
        { role: 'USER', content: `HIDDEN request to ${to}` },
        { role: 'ASSISTANT', content: `HIDDEN answer of ${to}. Shall I do the HIDDEN?` },
        { role: 'TOOL', content: 'HIDDEN tool' },
      ],
      toolCalls: [
        {
          ...toolCall(`c-${to}`, 'Bash', { arguments: { command: 'npm test HIDDEN' }, filesModified: ['HIDDEN.ts'] }),
          result: `HIDDEN ${'result '.repeat(100)}`,
        },
        toolCall(`d-${to}`, 'Bash', { arguments: { command: 'npm run HIDDEN' }, error: 'HIDDEN error' }),
      ],
      workspace: { folder: null, branch: null, commit: null },
    });
  }
  await run(recordDecision, { sessionId, text: 'HIDDEN decision' });
  await run(setTasks, { sessionId, tasks: [{ content: 'HIDDEN task', status: 'PENDING' }] });
  await turn(sessionId, { messages: [{ role: 'ASSISTANT', content: 'GIVEN last words' }] });
  const call = await findToolCall(readerOf({ pool }), 'ada', {
    toolName: 'transfer_to_bob',
    arguments: { reason: 'GIVEN reason', variables: { other: 'HIDDEN other', shared: 'GIVEN variable' } },
    callId: 'handing-over',
  });
  const { handoffId } = await run((work, input: ExecuteInput, settings) => executeCall(work, input, call, settings), {
    sessionId,
    agentId: null,
  });
  return { sessionId, handoffId };
}

it('what a Carry withholds is nowhere for the target, nor for those to whom it hands off, and whole for everybody else', async () => {
  for (const id of ['bob', 'cid', 'eve']) await agent(id, { maxCapacity: 100 });
  await agent('ada', { maxCapacity: 100, instructions: 'Branch $BRANCH' });
  await run(updateAgent, {
    id: 'ada',
    collaborations: [
      { agentId: 'bob', when: null, carry: little },
      { agentId: 'eve', when: null },
    ],
  });
  await run(updateAgent, { id: 'bob', collaborators: ['cid'], instructions: 'Branch $BRANCH' });
  const since = await now();
  const { sessionId, handoffId } = await handedToBob();
  const read = (agentId: string) => readAll(agentId, sessionId, since);

  const waiting = await read('bob');
  expect(waiting).toContain('GIVEN last words');
  expect(waiting).toContain('GIVEN reason');
  expect(waiting).toContain('GIVEN variable');
  expect(waiting).not.toContain('HIDDEN');

  // What is recorded from then on, bob reads.
  await run(acceptHandoff, { handoffId });
  await turn(sessionId, {
    messages: [
      { role: 'USER', content: 'LATER request' },
      { role: 'ASSISTANT', content: 'LATER words' },
    ],
    toolCalls: [toolCall('later', 'Read', { arguments: { path: 'LATER path' } })],
  });
  await run(recordDecision, { sessionId, text: 'LATER decision' });
  await run(updateSession, { sessionId, contextVariables: { new: 'LATER variable' }, expectedVersion: null });
  const working = await read('bob');
  for (const mark of [
    'LATER request',
    'LATER words',
    'LATER path',
    'LATER decision',
    'LATER variable',
    'GIVEN last words',
  ])
    expect([mark, working.includes(mark)]).toEqual([mark, true]);
  expect(working).not.toContain('HIDDEN');

  // Bob passes on all that it may see, and no more.
  const onward = await initiate(sessionId, 'cid', { reason: 'ONWARD' }, { caller: agentCaller('bob') });
  const passed = await prisma.handoff.findUniqueOrThrow({ where: { id: onward.handoffId } });
  const context = JSON.stringify([passed.summary, passed.context]);
  for (const mark of [
    'LATER request',
    'LATER words',
    'LATER decision',
    'LATER variable',
    'GIVEN last words',
    'GIVEN variable',
  ])
    expect([mark, context.includes(mark)]).toEqual([mark, true]);
  const cid = await read('cid');
  expect(cid).toContain('LATER words');
  expect(cid).not.toContain('HIDDEN');

  // A return gives no more than before.
  await run(rejectHandoff, { handoffId: onward.handoffId, reason: 'no' });
  expect(await read('bob')).not.toContain('HIDDEN');

  // An operator's move carries everything, and bob, whose tenure it ends, does not read that record.
  const { handoffId: toEve } = await reassign(sessionId, { agentId: 'eve' });
  expect(await read('bob')).not.toContain('HIDDEN');
  expect((await crawl(agentCaller('bob'))).texts).not.toContain('HIDDEN');
  const [ada, eve] = [await read('ada'), await read('eve')];
  for (const mark of [
    'HIDDEN request',
    'HIDDEN answer',
    'HIDDEN decision',
    'HIDDEN summary',
    'HIDDEN variable',
    'LATER words',
  ])
    expect([mark, ada.includes(mark), eve.includes(mark)]).toEqual([mark, true, true]);
  // An agent reads the union of its tenures.
  await run(acceptHandoff, { handoffId: toEve! });
  await reassign(sessionId, { agentId: 'bob' });
  expect(await read('bob')).toContain('HIDDEN answer');
}, 300_000);
