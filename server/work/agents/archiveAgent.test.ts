import { describe, expect, it } from 'vitest';
import { hashAllTables } from '../../../test/hash.ts';
import { house, testRefusals, unknownId, type Refusal } from '../../../test/refusals.ts';
import { createKey } from '../keys/createKey.ts';

const home = await house();

const cases: Refusal[] = [
  {
    mutation: 'archiveAgent',
    error: 'BadUserInputError',
    when: 'the id is that of a session',
    given: () => ({ input: { id: unknownId('session') }, data: { path: ['input', 'id'] } }),
    says: /id of a session: give the id of an agent/,
  },
  {
    mutation: 'archiveAgent',
    error: 'NotFoundError',
    when: 'the agent does not exist',
    given: () => ({ input: { id: 'nobody' }, data: { id: 'nobody' } }),
    says: /check the id/,
  },
  {
    mutation: 'archiveAgent',
    error: 'InvalidStateError',
    when: 'the agent holds sessions',
    given: async ({ unique, agent, session }) => {
      const id = unique('busy');
      await agent(id);
      await session(id);
      await session(id);
      return { input: { id }, data: { state: 'LOAD 2', allowed: ['LOAD 0'] } };
    },
    says: /holds 2 sessions: reassign or end them first/,
  },
  {
    mutation: 'archiveAgent',
    error: 'InvalidStateError',
    when: 'another principal has archived the agent',
    given: async ({ archivedAgent }) => ({
      input: { id: await archivedAgent() },
      data: { state: 'ARCHIVED', allowed: ['AVAILABLE', 'DRAINING', 'OFFLINE'] },
    }),
    says: /final/,
  },
];

testRefusals(home, ['archiveAgent'], cases);

describe('archiveAgent', () => {
  const { unique, agent, session, reassign, run, send, db } = home;
  const archive = (id: string) => send('archiveAgent', { id });

  it('makes the agent OFFLINE and keeps its record and its handoffs', async () => {
    const [id, target] = [unique('leaving'), unique('target')];
    await agent(id);
    await agent(target);
    const { handoffId } = await reassign(await session(id), { agentId: target });
    expect(await archive(id)).toMatchObject({ __typename: 'ArchiveAgentPayload', agent: { id } });
    const archived = await db.prisma.agent.findUniqueOrThrow({ where: { id } });
    expect(archived).toMatchObject({ administrativeStatus: 'OFFLINE', currentLoad: 0 });
    expect(archived.archivedAt).toBeInstanceOf(Date);
    expect(await db.prisma.handoff.findUniqueOrThrow({ where: { id: handoffId! } })).toMatchObject({
      sourceAgentId: id,
    });
  });

  it('revokes the keys of the agent and no others', async () => {
    const [id, other] = [unique('leaving'), unique('staying')];
    await agent(id);
    await agent(other);
    const key = (agentId: string) => run(createKey, { role: 'AGENT', agentId, name: 'ci', expiresAt: null });
    await key(id);
    await key(id);
    await key(other);
    await archive(id);
    const valid = await db.prisma.key.findMany({ where: { agentId: { in: [id, other] }, revokedAt: null } });
    expect(valid.map(({ agentId }) => agentId)).toEqual([other]);
  });

  it('changes nothing when the same principal repeats it', async () => {
    const id = unique('leaving');
    await agent(id);
    const first = await archive(id);
    const before = await hashAllTables(db.pool);
    expect(await archive(id)).toEqual(first);
    expect(await hashAllTables(db.pool)).toEqual(before);
  });

  it('leaves no key valid when a key is created for the agent at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = unique('racer');
      await agent(id);
      await Promise.allSettled([
        archive(id),
        run(createKey, { role: 'AGENT', agentId: id, name: 'late', expiresAt: null }),
      ]);
      expect(await db.prisma.key.count({ where: { agentId: id, revokedAt: null } })).toBe(0);
    }
  });
});
