import { afterEach, expect, it } from 'vitest';
import { crowd, persistent, tally, type Caller } from '../../../test/crowd.ts';
import { testDatabase } from '../../../test/database.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';

// With two server processes on one database (rule: never over capacity).
const db = await testDatabase();
const { agent, session } = world(db.pool);
const together = await crowd(db);
// UNAVAILABLE changed nothing, so each asks until there is an answer.
const all = (count: number, ask: (caller: Caller, n: number) => ReturnType<Caller>) =>
  together.all(count, (caller, n) => ask(persistent(caller), n));

const holders = Array.from({ length: 10 }, (_, n) => `holder-${n}`);
for (const id of holders) await agent(id, { type: 'HOLDER', maxCapacity: 1_000 });
const sessions = async (count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(encodeId('session', await session(holders[n % holders.length]!)));
  return ids;
};
const loads = async (type: string) => {
  const agents = await db.prisma.agent.findMany({ where: { type }, orderBy: { id: 'asc' } });
  return agents.map(({ currentLoad, totalAssigned }) => [currentLoad, totalAssigned]);
};

afterEach(async () => {
  expect(await brokenInvariants(db.pool)).toEqual([]);
});

it.each([false, true])(
  'of 100 concurrent reassigns to an agent with 10 free places, 10 succeed and 90 get AGENT_AT_CAPACITY (skipHandoff %s)',
  async (skipHandoff) => {
    const id = `ten-${skipHandoff}`;
    await agent(id, { type: `TEN_${skipHandoff}`.toUpperCase(), maxCapacity: 10 });
    const moved = await sessions(100);
    const answers = await all(100, (ask, n) =>
      ask('reassignSession', { sessionId: moved[n], agentId: id, skipHandoff }),
    );
    expect(tally(answers)).toEqual({ ReassignSessionPayload: 10, AGENT_AT_CAPACITY: 90 });
    for (const said of answers.filter(({ code }) => code !== undefined))
      expect(said).toMatchObject({ agentId: id, currentLoad: 10, maxCapacity: 10 });
    expect(await loads(`TEN_${skipHandoff}`.toUpperCase())).toEqual([[10, 10]]);
  },
);

it('of 100 concurrent reassigns by type to three agents with 10 free places each, 30 succeed and 70 get NO_AGENT_AVAILABLE', async () => {
  for (const n of [1, 2, 3]) await agent(`three-${n}`, { type: 'THREE', maxCapacity: 10 });
  const moved = await sessions(100);
  const answers = await all(100, (ask, n) => ask('reassignSession', { sessionId: moved[n], agentType: 'THREE' }));
  expect(tally(answers)).toEqual({ ReassignSessionPayload: 30, NO_AGENT_AVAILABLE: 70 });
  expect(await loads('THREE')).toEqual([
    [10, 10],
    [10, 10],
    [10, 10],
  ]);
});

it('40 concurrent reassigns by type to 40 agents with one place each all succeed', async () => {
  for (let n = 10; n < 50; n += 1) await agent(`many-${n}`, { type: 'MANY', maxCapacity: 1 });
  const moved = await sessions(40);
  const answers = await all(40, (ask, n) => ask('reassignSession', { sessionId: moved[n], agentType: 'MANY' }));
  expect(tally(answers)).toEqual({ ReassignSessionPayload: 40 });
  const created = await all(1, (ask) => ask('createSession', { title: 'One too many', agentType: 'MANY' }));
  expect(tally(created)).toEqual({ NO_AGENT_AVAILABLE: 1 });
});

it('of 100 concurrent createSession calls for an agent with 10 free places, 10 succeed and 90 write nothing', async () => {
  await agent('new', { type: 'NEW', maxCapacity: 10 });
  const before = await db.prisma.session.count();
  const answers = await all(100, (ask, n) =>
    ask('createSession', { title: `Work ${n}`, ...(n % 2 === 0 ? { agentId: 'new' } : { agentType: 'NEW' }) }),
  );
  const { CreateSessionPayload, AGENT_AT_CAPACITY = 0, NO_AGENT_AVAILABLE = 0, ...rest } = tally(answers);
  expect([CreateSessionPayload, AGENT_AT_CAPACITY + NO_AGENT_AVAILABLE, rest]).toEqual([10, 90, {}]);
  expect(await db.prisma.session.count()).toBe(before + 10);
});

it('a place that is freed during reassigns is given once', async () => {
  await agent('swap', { type: 'SWAP', maxCapacity: 10 });
  const held = await Promise.all(Array.from({ length: 10 }, async () => encodeId('session', await session('swap'))));
  const coming = await sessions(40);
  const answers = await all(50, (ask, n) =>
    n % 5 === 0
      ? ask('completeSession', { sessionId: held[n / 5] })
      : ask('reassignSession', { sessionId: coming[n - Math.ceil(n / 5)], agentId: 'swap' }),
  );
  const { CompleteSessionPayload, ReassignSessionPayload = 0, AGENT_AT_CAPACITY = 0 } = tally(answers);
  expect([CompleteSessionPayload, ReassignSessionPayload + AGENT_AT_CAPACITY]).toEqual([10, 40]);
  expect(ReassignSessionPayload).toBeLessThanOrEqual(10);
  expect(await loads('SWAP')).toEqual([[ReassignSessionPayload, 10 + ReassignSessionPayload]]);
});
