import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { movableClock } from '../../../test/clock.ts';
import { testDatabase } from '../../../test/database.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { house, testRefusals, unknownId } from '../../../test/refusals.ts';
import { agentCaller } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { acceptHandoff } from '../handoffs/changeHandoff.ts';
import { claimTenure } from './claimTenure.ts';
import { refusalOfClaim } from './rules.ts';

const db = await testDatabase();
const clock = await movableClock(db);
const home = await house(db);
const { agent, session, reassign, run, unique } = home;
await agent('a', { maxCapacity: 100 });
await agent('b', { maxCapacity: 100 });

const tenureOf = async (sessionId: string): Promise<string> =>
  (await db.prisma.session.findUniqueOrThrow({ where: { id: sessionId } })).lastAgentSessionId!;
const open = async (): Promise<string> => tenureOf(await session('a'));
const claim = (agentSessionId: string, runnerId: string, release = false) =>
  run(claimTenure, { agentSessionId, runnerId, release });
const look = (id: string) =>
  db.prisma.agentSession.findUniqueOrThrow({ where: { id }, select: { runnerId: true, claimEndsAt: true } });
const refused = { code: 'TENURE_CLAIMED', runnerId: 'first' };

describe('claimTenure', () => {
  it('gives a tenure to one of 40 runners that claim it at once, and tells the others whose it is', async () => {
    const id = await open();
    const names = Array.from({ length: 40 }, (_, n) => `runner-${n}`);
    const answers = await Promise.allSettled(names.map((name) => claim(id, name)));
    const winners = names.filter((_, n) => answers[n]!.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    const { claimEndsAt } = await look(id);
    for (const answer of answers)
      if (answer.status === 'rejected')
        expect(answer.reason).toMatchObject({ code: 'TENURE_CLAIMED', runnerId: winners[0], until: claimEndsAt });
  });

  it('is renewed by its runner, lapses 30 seconds after the last call, and goes to another runner then', async () => {
    const id = await open();
    await claim(id, 'first');
    await clock.move('20 seconds');
    await claim(id, 'first');
    await clock.move('20 seconds');
    await expect(claim(id, 'second')).rejects.toMatchObject(refused);
    await clock.move('11 seconds');
    await claim(id, 'second');
    await expect(claim(id, 'first')).rejects.toMatchObject({ code: 'TENURE_CLAIMED', runnerId: 'second' });
  });

  it('is released by its runner alone, and a second release changes nothing', async () => {
    const id = await open();
    await claim(id, 'first');
    await expect(claim(id, 'second', true)).rejects.toMatchObject(refused);
    expect(await look(id)).toMatchObject({ runnerId: 'first' });
    await claim(id, 'first', true);
    await claim(id, 'first', true);
    expect(await look(id)).toEqual({ runnerId: null, claimEndsAt: null });
    await claim(id, 'second');
  });

  it('needs no acceptance, writes no event and no version, and ends with the tenure', async () => {
    const sessionId = await session('a');
    const first = await tenureOf(sessionId);
    await claim(first, 'first');
    const { handoffId } = await reassign(sessionId, { agentId: 'b' });
    const before = await db.prisma.session.findUniqueOrThrow({ where: { id: sessionId } });
    const pending = await tenureOf(sessionId);
    await claim(pending, 'first');
    expect(await db.prisma.session.findUniqueOrThrow({ where: { id: sessionId } })).toEqual(before);
    await run(acceptHandoff, { handoffId: handoffId! });
    await expect(claim(pending, 'second')).rejects.toMatchObject(refused);
    await expect(claim(first, 'first')).rejects.toMatchObject({ code: 'INVALID_STATE', state: 'HANDED_OFF' });
    await claim(first, 'first', true);
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it("is its agent's and an operator's", async () => {
    const sessionId = await session('a');
    const id = await tenureOf(sessionId);
    const as = (agentId: string) =>
      run(claimTenure, { agentSessionId: id, runnerId: 'first', release: false }, { caller: agentCaller(agentId) });
    await expect(as('b')).rejects.toMatchObject({ code: 'NOT_FOUND', id: encodeId('agentsession', id) });
    await as('a');
    await reassign(sessionId, { agentId: 'b', skipHandoff: true });
    await expect(as('b')).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: "Only the agent of the tenure ('a') or an operator may do this",
    });
  });

  it('never lets two runners work in a tenure, whatever they do and how long they are silent', () => {
    const act = fc.record({
      runnerId: fc.constantFrom('x', 'y', 'z'),
      release: fc.boolean(),
      after: fc.integer({ min: 0, max: 45 }),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
        const tenure = { state: 'ACTIVE' as const, runnerId: null as string | null, claimEndsAt: null as Date | null };
        const believes = new Map<string, number>();
        let now = 0;
        for (const { runnerId, release, after } of acts) {
          now += after * 1_000;
          if (refusalOfClaim(tenure, { runnerId, release }, new Date(now)) !== null) continue;
          believes.delete(runnerId);
          if (release) {
            if (tenure.runnerId === runnerId) Object.assign(tenure, { runnerId: null, claimEndsAt: null });
          } else {
            Object.assign(tenure, { runnerId, claimEndsAt: new Date(now + 30_000) });
            believes.set(runnerId, now + 30_000);
          }
          expect([...believes.values()].filter((until) => until > now).length).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

const mutation = 'claimTenure';
const runnerId = 'runner';
testRefusals(
  home,
  ['claimTenure'],
  [
    {
      mutation,
      error: 'BadUserInputError',
      when: 'the id is that of a session',
      given: () => ({
        input: { agentSessionId: unknownId('session'), runnerId },
        data: { path: ['input', 'agentSessionId'] },
      }),
      says: /id of a session: give the id of an agent session/,
    },
    {
      mutation,
      error: 'NotFoundError',
      when: 'the tenure does not exist',
      given: () => {
        const id = unknownId('agentsession');
        return { input: { agentSessionId: id, runnerId }, data: { id } };
      },
      says: /There is no agent session/,
    },
    {
      mutation,
      error: 'InvalidStateError',
      when: 'the tenure has ended',
      given: async () => {
        const sessionId = await session('a');
        const id = await tenureOf(sessionId);
        await reassign(sessionId, { agentId: 'b', skipHandoff: true });
        return {
          input: { agentSessionId: encodeId('agentsession', id), runnerId },
          data: { state: 'HANDED_OFF', allowed: ['PENDING', 'ACTIVE', 'PAUSED'] },
        };
      },
      says: /only an open one can be claimed/,
    },
    {
      mutation,
      error: 'TenureClaimedError',
      when: 'another runner works in it',
      given: async () => {
        const id = await open();
        const other = unique('runner');
        await claim(id, other);
        return {
          input: { agentSessionId: encodeId('agentsession', id), runnerId },
          data: { runnerId: other, until: (await look(id)).claimEndsAt!.toISOString() },
        };
      },
      says: /works in this tenure until .*: wait until its claim lapses/,
    },
  ],
);
