import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { acceptHandoff, rejectHandoff } from './changeHandoff.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { post } = client(url);
const { agent, session, pipeline, advance, reassign, run } = world(db.pool);
for (const id of ['dev', 'reviewer', 'writer']) await agent(id, { maxCapacity: 100 });

const to = async (sessionId: string, agentId: string): Promise<string> =>
  (await reassign(sessionId, { agentId })).handoffId!;
const accepted = async (sessionId: string, agentId: string): Promise<string> => {
  const handoffId = await to(sessionId, agentId);
  await run(acceptHandoff, { handoffId });
  return handoffId;
};
const sentBack = async (handoffId: string): Promise<boolean> =>
  (await post<{ handoff: { sentBack: boolean } }>(`{ handoff(id: "${encodeId('handoff', handoffId)}") { sentBack } }`))
    .data.handoff.sentBack;
const returnOf = async (handoffId: string): Promise<{ id: string; status: string } | null> => {
  const { data, errors } = await post<{ handoff: { returnOf: { id: string; status: string } | null } }>(
    `{ handoff(id: "${encodeId('handoff', handoffId)}") { returnOf { id status targetAgent { id } } } }`,
  );
  expect(errors).toBeUndefined();
  return data.handoff.returnOf;
};

it('a handoff back to the agent that handed the session off names that handoff, before and after an accept', async () => {
  const id = await session('dev');
  const given = await accepted(id, 'reviewer');
  expect(await returnOf(given)).toBeNull();
  const back = await to(id, 'dev');
  const expected = { id: encodeId('handoff', given), status: 'COMPLETED', targetAgent: { id: 'reviewer' } };
  expect(await returnOf(back)).toEqual(expected);
  await run(acceptHandoff, { handoffId: back });
  expect(await returnOf(back)).toEqual(expected);
  // The next review is sent by who was sent the work back: that is a return as well.
  const again = await to(id, 'reviewer');
  expect(await returnOf(again)).toMatchObject({ id: encodeId('handoff', back) });
});

it('a handoff to a third agent is no return', async () => {
  const id = await session('dev');
  await accepted(id, 'reviewer');
  expect(await returnOf(await to(id, 'writer'))).toBeNull();
});

it('a superseding handoff is a return when its source had the session from its target', async () => {
  const id = await session('dev');
  const given = await accepted(id, 'reviewer');
  await to(id, 'writer');
  expect(await returnOf(await to(id, 'dev'))).toMatchObject({ id: encodeId('handoff', given) });
});

it('a handoff after a decline or after a move without a handoff is no return', async () => {
  const id = await session('dev');
  await accepted(id, 'reviewer');
  await run(rejectHandoff, { handoffId: await to(id, 'dev'), reason: 'busy' });
  expect(await returnOf(await to(id, 'dev'))).toBeNull();

  const moved = await session('dev');
  await reassign(moved, { agentId: 'reviewer', skipHandoff: true });
  expect(await returnOf(await to(moved, 'dev'))).toBeNull();
});

it('in a pipeline only the handoff to an earlier stage sends work back, not the second delivery', async () => {
  await pipeline('p', ['write DONE review', 'review REJECT write', 'review APPROVE end'], {
    write: { role: 'write' },
    review: { role: 'review' },
  });
  await agent('w', { role: 'write' });
  await agent('r', { role: 'review' });
  const id = await session(null, { pipeline: 'p' });
  const found: boolean[] = [];
  for (const outcome of ['DONE', 'REJECT', 'DONE', 'REJECT']) {
    const { handoffId } = await advance(id, outcome, { reason: `${outcome} ${found.length}` });
    await run(acceptHandoff, { handoffId: handoffId! });
    found.push(await sentBack(handoffId!));
  }
  expect(found).toEqual([false, true, false, true]);
});

it('outside of pipelines a return sends work back', async () => {
  const id = await session('dev');
  expect(await sentBack(await accepted(id, 'reviewer'))).toBe(false);
  expect(await sentBack(await to(id, 'dev'))).toBe(true);
});
