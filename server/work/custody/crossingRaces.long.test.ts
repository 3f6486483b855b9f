import pg from 'pg';
import { expect, it } from 'vitest';
import { crowd, tally, type Caller } from '../../../test/crowd.ts';
import { testDatabase } from '../../../test/database.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import type { Said } from '../../../test/refusals.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';

// With two server processes on one database (rule: no deadlock).
const db = await testDatabase();
const { agent, session } = world(db.pool);
const { caller, servers } = await crowd(db);

it('of two concurrent reassigns the second supersedes the first, or gets CONFLICT when it names a version, or ALREADY_ASSIGNED when it names the same agent', async () => {
  for (const id of ['here', 'left', 'right']) await agent(id, { maxCapacity: 100 });
  const [one, two] = [caller(), caller()];
  for (let round = 0; round < 30; round += 1) {
    const id = await session('here');
    const sessionId = encodeId('session', id);
    const both = await Promise.all([
      one('reassignSession', { sessionId, agentId: 'left' }),
      two('reassignSession', { sessionId, agentId: 'right' }),
    ]);
    expect(tally(both)).toEqual({ ReassignSessionPayload: 2 });
    const [first, second] = await db.prisma.handoff.findMany({ where: { sessionId: id }, orderBy: { depth: 'asc' } });
    expect(first).toMatchObject({ status: 'CANCELLED', cancelReason: 'superseded', sourceAgentId: 'here' });
    expect(second).toMatchObject({
      status: 'INITIATED',
      sourceAgentId: 'here',
      targetAgentId: first?.targetAgentId === 'left' ? 'right' : 'left',
    });
    expect(await db.prisma.session.findUniqueOrThrow({ where: { id } })).toMatchObject({
      agentId: second?.targetAgentId,
      version: 3,
    });
    expect(await one('cancelSession', { sessionId })).toMatchObject({ __typename: 'CancelSessionPayload' });

    const versioned = { sessionId: encodeId('session', await session('here')), expectedVersion: 1 };
    const rivals = await Promise.all([
      one('reassignSession', { ...versioned, agentId: 'left' }),
      two('reassignSession', { ...versioned, agentId: 'right' }),
    ]);
    expect(tally(rivals)).toEqual({ ReassignSessionPayload: 1, CONFLICT: 1 });
    expect(rivals.find(({ code }) => code === 'CONFLICT')).toMatchObject({ expectedVersion: 1, actualVersion: 2 });
    await one('cancelSession', { sessionId: versioned.sessionId });

    const same = { sessionId: encodeId('session', await session('here')), agentId: 'left' };
    expect(tally(await Promise.all([one('reassignSession', same), two('reassignSession', same)]))).toEqual({
      ReassignSessionPayload: 1,
      ALREADY_ASSIGNED: 1,
    });
    await one('cancelSession', { sessionId: same.sessionId });
  }
  expect(await brokenInvariants(db.pool)).toEqual([]);
}, 60_000);

it('50 turns, 25 decisions and 25 lists of tasks written concurrently to one session are all stored and numbered without gaps', async () => {
  await agent('writer');
  const id = await session('writer');
  const sessionId = encodeId('session', id);
  const answers = await Promise.all(
    Array.from({ length: 100 }, caller).map((ask, n) => {
      if (n % 2 === 0)
        return ask('appendTurn', {
          sessionId,
          messages: [{ role: 'ASSISTANT', content: `Turn ${n}` }],
          toolCalls: [{ callId: 'c', name: 'Read' }],
        });
      return n % 4 === 1
        ? ask('recordDecision', { sessionId, text: `Decision ${n}` })
        : ask('setTasks', { sessionId, tasks: [{ content: `Task ${n}`, status: 'PENDING' }] });
    }),
  );
  expect(tally(answers)).toEqual({ AppendTurnPayload: 50, RecordDecisionPayload: 25, SetTasksPayload: 25 });
  expect(await db.prisma.task.count({ where: { sessionId: id } })).toBe(1);
  expect(await db.prisma.session.findUniqueOrThrow({ where: { id } })).toMatchObject({
    turnCount: 50,
    messageCount: 50,
    toolCallCount: 50,
    eventCount: 101,
    version: 1,
  });
  expect(await brokenInvariants(db.pool)).toEqual([]);
});

/** How many deadlocks PostgreSQL has broken in this database; it counts when a connection has been idle for a while, or ends. */
async function deadlocks(): Promise<number> {
  const { rows } = await db.pool.query<{ deadlocks: string }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(rows[0]?.deadlocks);
}

it('1,000 pairs of opposite reassigns between two agents cause no deadlock and keep every load exact', async () => {
  await agent('a', { maxCapacity: 1_000 });
  await agent('b', { maxCapacity: 1_000 });
  const lanes = 4;
  const rounds = 250;
  const lane = async (one: Caller, two: Caller): Promise<Said[]> => {
    const [forth, back] = [encodeId('session', await session('a')), encodeId('session', await session('b'))];
    const answers: Said[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const [forward, backward] = round % 2 === 0 ? ['b', 'a'] : ['a', 'b'];
      // Four rounds make a figure: moved with a handoff, taken back, moved without, and with one that supersedes nothing.
      const skipHandoff = round % 4 === 2;
      answers.push(
        ...(await Promise.all([
          one('reassignSession', { sessionId: forth, agentId: forward, skipHandoff }),
          two('reassignSession', { sessionId: back, agentId: backward, skipHandoff }),
        ])),
      );
    }
    return answers;
  };
  const callers = Array.from({ length: lanes * 2 }, caller);
  const answers = await Promise.all(
    Array.from({ length: lanes }, (_, n) => lane(callers[2 * n]!, callers[2 * n + 1]!)),
  );
  expect(tally(answers.flat())).toEqual({ ReassignSessionPayload: 2 * lanes * rounds });

  expect(await brokenInvariants(db.pool)).toEqual([]);
  const agents = await db.prisma.agent.findMany({ where: { id: { in: ['a', 'b'] } }, orderBy: { id: 'asc' } });
  // Every move is an assignment of one of the two, and an even number of them leaves each session where it was.
  expect(agents.map(({ currentLoad }) => currentLoad)).toEqual([lanes, lanes]);
  expect(agents.map(({ totalAssigned }) => totalAssigned)).toEqual([lanes * (rounds + 1), lanes * (rounds + 1)]);

  // The servers' connections end, and with that they have told what they counted.
  await Promise.all(servers.map((server) => server.kill()));
  expect(await deadlocks()).toBe(0);
}, 120_000);

it('the counter of deadlocks counts a deadlock', async () => {
  const before = await deadlocks();
  const clients = [1, 2].map(() => new pg.Client({ connectionString: db.url }));
  for (const client of clients) {
    await client.connect();
    await client.query('BEGIN');
  }
  const [one, two] = clients;
  const lock = (client: pg.Client | undefined, id: string) =>
    client?.query('SELECT FROM agents WHERE id = $1 FOR UPDATE', [id]);
  await lock(one, 'a');
  await lock(two, 'b');
  const ends = await Promise.allSettled([lock(one, 'b'), lock(two, 'a')]);
  expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  for (const client of clients) await client.end();
  expect((await deadlocks()) - before).toBe(1);
});
