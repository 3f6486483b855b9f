import { beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../test/database.ts';
import { world } from '../../test/world.ts';
import { contexts } from '../api/graphql/context.ts';
import type { EventRow } from '../delivery/live/hub.ts';
import { mayRead, unreadable } from '../delivery/live/readable.ts';
import { silentLog } from '../infra/log.ts';
import { readable } from './rights.ts';
import type { Caller } from './work.ts';

const { pool, prisma } = await testDatabase();
const { agent, session, reassign } = world(pool);
const contextFor = contexts({ prisma, pool, env: { staleAfterMinutes: 30, handoffsEnabled: true }, log: silentLog });
let sessionId = '';

beforeAll(async () => {
  await agent('ada');
  await agent('bob');
  sessionId = await session('ada');
  await reassign(sessionId, { agentId: 'bob' });
});

/** What each way to read lets through: a row, a node, an event, for one Session and one Handoff. */
async function reads(caller: Caller): Promise<boolean[]> {
  const reads = contextFor(caller).prisma;
  const { rowCount } = await pool.query(`SELECT FROM sessions s WHERE ${readable(caller, 'Session', 's')}`);
  const found = [
    await reads.session.findUnique({ where: { id: sessionId } }),
    await reads.session.findFirst({ where: { agentId: 'bob' } }),
    ...(await reads.handoff.findMany({ where: { sessionId } })),
    ...(await reads.agentSession.findMany({ where: { session: { id: sessionId } }, take: 1 })),
  ];
  const event = { sessionId, readers: ['ada', 'bob'], inboxes: [] as string[] } as unknown as EventRow;
  return [
    rowCount === 1,
    found.filter((row) => row !== null).length === 4,
    found.some((row) => row !== null),
    mayRead(caller)(event),
    (await unreadable(pool, caller, [sessionId])).length === 0,
  ];
}
const caller = (role: Caller['role'], agentId: string | null): Caller => ({
  principal: 'x',
  role,
  agentId,
  keyId: null,
  expiresAt: null,
});

test.each([
  ['an agent that had the Session', caller('AGENT', 'ada'), true],
  ['an agent that never had it', caller('AGENT', 'cleo'), false],
  ['an operator', caller('OPERATOR', null), true],
  ['Baton itself', caller(null, null), true],
  ['a caller of role AGENT without an agent', caller('AGENT', null), false],
  ['an OPERATOR with an agent', caller('OPERATOR', 'cleo'), false],
])('all ways to read give the same answer for %s', async (_who, who, may) => {
  expect(await reads(who)).toEqual(Array.from({ length: 5 }, () => may));
});
