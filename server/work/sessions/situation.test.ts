import { beforeAll, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { agentCaller, world } from '../../../test/world.ts';
import { updateAgent } from '../agents/updateAgent.ts';
import { askPerson } from '../approvals/askPerson.ts';
import { declineHandoff } from '../approvals/declineHandoff.ts';
import { acceptHandoff, rejectHandoff } from '../handoffs/changeHandoff.ts';
import { cancelSession, completeSession, failSession, pauseSession, resumeSession } from './changeSession.ts';
import { updateSession } from './updateSession.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { post } = client(url);
const { agent, session, initiate, reassign, turn, run } = world(db.pool);

type Titles = Record<string, string>;
async function situations(where: object): Promise<Titles> {
  const { data, errors } = await post<{
    sessions: { totalCount: number; nodes: { title: string; situation: string }[] };
  }>('query ($where: SessionFilter) { sessions(where: $where, first: 100) { totalCount nodes { title situation } } }', {
    where,
  });
  expect(errors).toBeUndefined();
  expect(data.sessions.totalCount).toBe(data.sessions.nodes.length);
  return Object.fromEntries(data.sessions.nodes.map(({ title, situation }) => [title, situation]));
}
const change = (sessionId: string) => ({
  sessionId,
  expectedVersion: null,
  reason: 'because',
  result: null,
  summary: null,
});
const age = (sessionId: string, ago: string): Promise<unknown> =>
  db.pool.query(`UPDATE sessions SET last_activity_at = clock_timestamp() - $2::interval WHERE id = $1`, [
    sessionId,
    ago,
  ]);
const ids = new Map<string, string>();

const expected: Titles = {
  works: 'WORKING',
  'accepted, and has not worked yet': 'WORKING',
  'has worked 29 minutes ago': 'WORKING',
  'has not worked for 31 minutes': 'SILENT',
  'waits for its target': 'WAITING_FOR_ACCEPTANCE',
  'waits for its target for days': 'WAITING_FOR_ACCEPTANCE',
  'the last handoff waits for its target': 'WAITING_FOR_ACCEPTANCE',
  'was handed off as often as agents may': 'LIMIT_REACHED',
  'its handoff waits for approval': 'WAITING_FOR_PERSON',
  'its handoff waits for approval, paused': 'WAITING_FOR_PERSON',
  'its holder asks': 'WAITING_FOR_PERSON',
  'its handoff was declined': 'WORKING',
  'its holder paused': 'PAUSED',
  'paused while its target has not accepted': 'PAUSED',
  'paused in the queue': 'PAUSED',
  'paused at its limit': 'PAUSED',
  'waits in the queue': 'QUEUED',
  'never had a holder': 'WITHOUT_HOLDER',
  'its source was full when it was declined': 'WITHOUT_HOLDER',
  'operators have to choose': 'WITHOUT_HOLDER',
  'operators have to choose, paused': 'WITHOUT_HOLDER',
  done: 'COMPLETED',
  'done long ago': 'COMPLETED',
  'went wrong': 'FAILED',
  'is not wanted': 'CANCELLED',
};

beforeAll(async () => {
  for (const id of ['ada', 'bob']) await agent(id, { maxCapacity: 50 });
  await agent('full', { type: 'CODEX', maxCapacity: 1 });
  await run(updateAgent, { id: 'ada', collaborators: ['bob'] });
  const start = async (title: string, fields: object = {}, holder: string | null = 'ada'): Promise<string> => {
    const id = await session(holder, { title, ...fields });
    ids.set(title, id);
    return id;
  };
  const handOff = (id: string) => initiate(id, 'bob', {}, { caller: agentCaller('ada') });
  const accept = async (id: string): Promise<unknown> =>
    run(acceptHandoff, { handoffId: (await handOff(id)).handoffId });
  const queued = { agentType: 'GEMINI', queue: true };

  await start('works');
  await accept(await start('accepted, and has not worked yet'));
  await age(await start('has worked 29 minutes ago'), '29 minutes');
  await age(await start('has not worked for 31 minutes'), '31 minutes');
  await handOff(await start('waits for its target'));
  const days = await start('waits for its target for days');
  await handOff(days);
  await age(days, '3 days');
  await handOff(await start('the last handoff waits for its target', { maxHandoffs: 1 }));
  await accept(await start('was handed off as often as agents may', { maxHandoffs: 1 }));
  const needsApproval = { handoffApproval: 'REQUIRED' };
  await handOff(await start('its handoff waits for approval', needsApproval));
  const proposed = await start('its handoff waits for approval, paused', needsApproval);
  await handOff(proposed);
  await run(pauseSession, change(proposed));
  await run(askPerson, { sessionId: await start('its holder asks'), question: 'Which?', options: null });
  const notApproved = await handOff(await start('its handoff was declined', needsApproval));
  await run(declineHandoff, { handoffId: notApproved.handoffId, reason: 'no' });
  await run(pauseSession, change(await start('its holder paused')));
  const waiting = await start('paused while its target has not accepted');
  await handOff(waiting);
  await run(pauseSession, change(waiting));
  await run(pauseSession, change(await start('paused in the queue', queued, null)));
  const limited = await start('paused at its limit', { maxHandoffs: 1 });
  await accept(limited);
  await run(pauseSession, change(limited));
  await start('waits in the queue', queued, null);
  await start('never had a holder', {}, null);
  const declined = await start('its source was full when it was declined', {}, 'full');
  const { handoffId } = await reassign(declined, { agentId: 'bob' });
  await session('full', { title: 'takes the place' });
  await run(rejectHandoff, { handoffId: handoffId!, reason: 'no' });
  await db.pool.query('UPDATE queue_entries SET escalated = true WHERE session_id = $1', [
    await start('operators have to choose', queued, null),
  ]);
  const both = await start('operators have to choose, paused', queued, null);
  await run(pauseSession, change(both));
  await db.pool.query('UPDATE queue_entries SET escalated = true WHERE session_id = $1', [both]);
  await run(completeSession, change(await start('done')));
  const old = await start('done long ago');
  await handOff(old);
  await run(completeSession, change(old));
  await age(old, '3 days');
  await run(failSession, change(await start('went wrong')));
  await run(cancelSession, change(await start('is not wanted', queued, null)));
});

const whole = { ...expected, 'takes the place': 'WORKING' };

it('every session is in one situation', async () => {
  expect(await situations({})).toEqual(whole);
});

it('the filter finds the sessions of a situation, and of several', async () => {
  for (const situation of new Set(Object.values(whole)))
    expect(await situations({ situation: [situation] })).toEqual(
      Object.fromEntries(Object.entries(whole).filter(([, its]) => its === situation)),
    );
  const some = ['QUEUED', 'COMPLETED', 'LIMIT_REACHED', 'QUEUED'];
  expect(await situations({ situation: some })).toEqual(
    Object.fromEntries(Object.entries(whole).filter(([, its]) => some.includes(its))),
  );
  expect(await situations({ situation: [] })).toEqual({});
  expect(await situations({ situation: ['WORKING', 'SILENT'], agentType: 'CODEX' })).toEqual({
    'takes the place': 'WORKING',
  });
});

it('a silent session works again with the next turn, and a session at its limit when an operator raises it', async () => {
  await turn(ids.get('has not worked for 31 minutes')!);
  const limited = ids.get('was handed off as often as agents may')!;
  await run(updateSession, { sessionId: limited, maxHandoffs: 2, expectedVersion: null });
  await run(resumeSession, change(ids.get('paused in the queue')!));
  expect(await situations({})).toEqual({
    ...whole,
    'has not worked for 31 minutes': 'WORKING',
    'was handed off as often as agents may': 'WORKING',
    'paused in the queue': 'QUEUED',
  });
});
