import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { connect, type Model } from '../../../test/mcp.ts';
import { startApp } from '../../../test/server.ts';
import { toolCall, world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { updateAgent } from '../../work/agents/updateAgent.ts';
import { asCarry } from '../../work/context/carry.ts';
import { recordDecision, setTasks } from '../../work/log/addToLog.ts';

const database = await testDatabase();
const { pool } = database;
const { url } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } });
const { agent, session, turn, run } = world(pool);

const little = asCarry({
  messages: 'LAST',
  lastMessages: 1,
  toolCalls: 'NONE',
  files: false,
  tasks: false,
  decisions: false,
  variables: ['shared'],
});

/** Everything that a model can get of a session by its tools, resources and prompts. */
async function readAll(model: Model, sessionId: string, handoffId: string): Promise<string> {
  const texts: unknown[] = [];
  for (const [name, given] of [
    ['baton_inbox', { maxTokens: 20_000 }],
    ['baton_read', { handoff: handoffId }],
    ['baton_read', { session: sessionId }],
    ['baton_read', { session: sessionId, from: 0 }],
    ['baton_read', { session: sessionId, from: 1, to: 3 }],
  ] as const) {
    const called = await model.call(name, given);
    expect([name, called.isError]).toEqual([name, false]);
    texts.push(called);
  }
  for (const stem of [
    'request',
    'compaction',
    'last-message',
    'decision',
    'task',
    'question',
    'reason',
    'workspace',
    'summary',
    'metadata',
    'instructions',
    'check',
    'attempt',
    'file',
    'message',
    'tool',
    'call',
    'variable',
  ]) {
    for (const number of [1, 2])
      texts.push(await model.call('baton_read', { handoff: handoffId, item: `${stem}-${number}` }));
  }
  for (const uri of [`baton://handoffs/${handoffId}`, `baton://sessions/${sessionId}`])
    texts.push(await model.client.readResource({ uri }));
  texts.push(
    await model.client.listResources(),
    await model.client.getPrompt({ name: 'take_over', arguments: { handoff: handoffId } }),
  );
  return JSON.stringify(texts);
}

it('what a Carry withholds reaches the target by no tool, resource or prompt, also through the key of an operator', async () => {
  for (const id of ['bob', 'cid']) await agent(id);
  await agent('ada');
  await run(updateAgent, { id: 'ada', collaborations: [{ agentId: 'bob', when: null, carry: little }] });
  await run(updateAgent, { id: 'bob', collaborators: ['cid'] });
  const id = await session('ada', {
    title: 'The work',
    contextVariables: { shared: 'GIVEN variable', secret: 'HIDDEN variable' },
  });
  await turn(id, {
    messages: [
      { role: 'USER', content: 'HIDDEN request' },
      { role: 'ASSISTANT', content: 'HIDDEN answer. Shall I do the HIDDEN?' },
    ],
    toolCalls: [
      {
        ...toolCall('c', 'Bash', { arguments: { command: 'npm test HIDDEN' }, filesModified: ['HIDDEN.ts'] }),
        result: 'HIDDEN result',
      },
      toolCall('d', 'Bash', { arguments: { command: 'npm run HIDDEN' }, error: 'HIDDEN error' }),
    ],
  });
  await run(recordDecision, { sessionId: id, text: 'HIDDEN decision' });
  await run(setTasks, { sessionId: id, tasks: [{ content: 'HIDDEN task', status: 'PENDING' }] });
  const sessionId = encodeId('session', id);
  const ada = await connect(url, '', { key: await secretFor(pool, 'AGENT', 'ada') });
  await ada.call('baton_note', { text: 'GIVEN last words' });
  const { data } = await ada.call('transfer_to_bob', { reason: 'GIVEN reason', variables: { other: 'HIDDEN other' } });

  const bob = await connect(url, '/bob', { key: await secretFor(pool, 'AGENT', 'bob') });
  const operator = await connect(url, '/bob', { key: await secretFor(pool, 'OPERATOR') });
  for (const model of [operator, bob]) {
    const all = await readAll(model, sessionId, data.handoff);
    for (const mark of ['GIVEN last words', 'GIVEN reason', 'GIVEN variable'])
      expect([mark, all.includes(mark)]).toEqual([mark, true]);
    expect(all).not.toContain('HIDDEN');
  }

  const accepted = await bob.call('baton_accept', { maxTokens: 20_000 });
  expect(accepted.texts[1]).toContain('GIVEN last words');
  expect(JSON.stringify(accepted)).not.toContain('HIDDEN');

  // What bob hands on is at most what it may read.
  await bob.call('baton_note', { text: 'LATER words' });
  const onward = await bob.call('baton_handoff', { target: 'cid', reason: 'ONWARD' });
  const cid = await readAll(
    await connect(url, '/cid', { key: await secretFor(pool, 'AGENT', 'cid') }),
    sessionId,
    onward.data.handoff,
  );
  expect(cid).toContain('LATER words');
  expect(cid).not.toContain('HIDDEN');
  expect(JSON.stringify(await ada.call('baton_read', { session: sessionId }))).toContain('HIDDEN answer');
});
