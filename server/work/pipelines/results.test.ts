import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { updateAgent } from '../agents/updateAgent.ts';
import { asCarry } from '../context/carry.ts';
import { acceptHandoff } from '../handoffs/changeHandoff.ts';
import { completeSession } from '../sessions/changeSession.ts';

const db = await testDatabase();
const { url } = await startApp(db, { variables: { BATON_ADMIN_KEY: adminKey } });
const { agent, session, initiate, reassign, turn, run, pipeline, advance } = world(db.pool);
for (const id of ['ada', 'bob', 'cid']) await agent(id, { role: id, maxCapacity: 9 });
for (const id of ['ada', 'bob', 'cid'])
  await run(updateAgent, { id, collaborators: ['ada', 'bob', 'cid'].filter((each) => each !== id) });

async function results(sessionId: string, key = adminKey): Promise<object[]> {
  const { data, errors } = await client(url, { key }).post<{ session: { results: object[] } }>(
    `{ session(id: "${encodeId('session', sessionId)}") { results { agent { id } agentSession { agent { id } state } text stage attempt isNewest outcome payload endedAt } } }`,
  );
  expect(errors).toBeUndefined();
  return data.session.results;
}
const says = (sessionId: string, content: string) => turn(sessionId, { messages: [{ role: 'ASSISTANT', content }] });
const outside = (id: string, text: string | null, more: object = {}) => ({
  agent: { id },
  agentSession: { agent: { id }, state: expect.stringMatching(/HANDED_OFF|COMPLETED/) as unknown },
  text,
  stage: null,
  attempt: null,
  outcome: null,
  isNewest: false,
  payload: null,
  endedAt: expect.any(String) as unknown,
  ...more,
});

it('a session outside of pipelines has a result for each tenure that ended with work, with its last words', async () => {
  const id = await session('ada', { maxHandoffs: 50 });
  expect(await results(id)).toEqual([]);
  await turn(id, { messages: [{ role: 'USER', content: 'Do it.' }] });
  await says(id, 'First words.');
  await says(id, 'Last words of Ada.');
  expect(await results(id)).toEqual([]);
  await run(acceptHandoff, await initiate(id, 'bob'));
  // Bob does nothing.
  await reassign(id, { agentId: 'cid' });
  const { handoffId } = await reassign(id, { agentId: 'ada' });
  await run(acceptHandoff, { handoffId: handoffId! });
  await turn(id, {
    messages: [],
    toolCalls: [{ callId: 'c', name: 'Bash', arguments: {}, result: 'ok', error: null, filesModified: [] }],
  });
  expect(await results(id)).toEqual([outside('ada', 'Last words of Ada.', { isNewest: true })]);
  await run(acceptHandoff, await initiate(id, 'bob'));
  await says(id, `${'x'.repeat(5_000)} done.`);
  await run(completeSession, { sessionId: id, expectedVersion: null, result: { file: 'a.ts' }, summary: null });
  expect(await results(id)).toEqual([
    outside('ada', 'Last words of Ada.'),
    outside('ada', null),
    outside('bob', `${'x'.repeat(3_994)} done.`, { isNewest: true, payload: { file: 'a.ts' } }),
  ]);
});

it('a session in a pipeline has a result for each stage that was left, with the tenure and its last words', async () => {
  await pipeline('p', ['ada DONE bob', 'bob REJECT ada', 'bob APPROVE end']);
  const id = await session('ada', { pipeline: 'p', maxHandoffs: 50 });
  await says(id, 'Written.');
  for (const [outcome, words] of [
    ['DONE', 'Wrong.'],
    ['REJECT', 'Written again.'],
    ['DONE', 'Right.'],
  ] as const) {
    const { handoffId } = await advance(id, outcome, { payload: { outcome } });
    await run(acceptHandoff, { handoffId: handoffId! });
    await says(id, words);
  }
  await advance(id, 'APPROVE');
  const stage = (name: string, text: string, attempt: number, outcome: string) =>
    outside(name, text, {
      stage: name,
      attempt,
      outcome,
      isNewest: attempt === 2,
      payload: outcome === 'APPROVE' ? null : { outcome },
    });
  expect(await results(id)).toEqual([
    stage('ada', 'Written.', 1, 'DONE'),
    stage('bob', 'Wrong.', 1, 'REJECT'),
    stage('ada', 'Written again.', 2, 'DONE'),
    stage('bob', 'Right.', 2, 'APPROVE'),
  ]);
});

it('an agent with a Carry reads the results of the tenures whose turns it may read', async () => {
  await agent('dan', { maxCapacity: 9 });
  await run(updateAgent, {
    id: 'ada',
    collaborations: [{ agentId: 'dan', when: null, carry: asCarry({ messages: 'NONE', toolCalls: 'NONE' }) }],
  });
  await run(updateAgent, { id: 'dan', collaborators: ['bob'] });
  const id = await session('ada', { maxHandoffs: 50 });
  await says(id, 'Hidden.');
  await run(acceptHandoff, await initiate(id, 'dan'));
  await says(id, 'Seen.');
  await run(acceptHandoff, await initiate(id, 'bob'));
  expect(await results(id, await secretFor(db.pool, 'AGENT', 'dan'))).toEqual([
    outside('dan', 'Seen.', { isNewest: true }),
  ]);
  expect(await results(id)).toHaveLength(2);
});
