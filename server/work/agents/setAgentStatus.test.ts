import { describe, expect, it } from 'vitest';
import { hashAllTables } from '../../../test/hash.ts';
import { house, testRefusals, type Refusal } from '../../../test/refusals.ts';

const home = await house();

const cases: Refusal[] = [
  {
    mutation: 'setAgentStatus',
    error: 'BadUserInputError',
    when: 'the agent is archived',
    given: async ({ archivedAgent }) => ({
      input: { id: await archivedAgent(), status: 'AVAILABLE' },
      data: { path: ['input', 'id'] },
    }),
    says: /register another/,
  },
  {
    mutation: 'setAgentStatus',
    error: 'NotFoundError',
    when: 'the agent does not exist',
    given: () => ({ input: { id: 'nobody', status: 'OFFLINE' }, data: { id: 'nobody' } }),
    says: /check the id/,
  },
];

testRefusals(home, ['setAgentStatus'], cases);

describe('setAgentStatus', () => {
  const { unique, agent, session, reassign, send, db } = home;

  it.each(['DRAINING', 'OFFLINE'] as const)(
    '%s keeps the sessions of the agent and stops new ones until it is AVAILABLE again',
    async (status) => {
      const id = unique('ada');
      await agent(id);
      const kept = await session(id);
      expect(await send('setAgentStatus', { id, status })).toMatchObject({
        __typename: 'SetAgentStatusPayload',
        agent: { id },
      });
      expect(await db.prisma.agent.findUniqueOrThrow({ where: { id } })).toMatchObject({
        administrativeStatus: status,
        currentLoad: 1,
      });
      expect(await db.prisma.session.findUniqueOrThrow({ where: { id: kept } })).toMatchObject({
        status: 'RUNNING',
        agentId: id,
      });
      const waiting = await session(null);
      await expect(reassign(waiting, { agentId: id })).rejects.toMatchObject({ code: 'AGENT_UNAVAILABLE' });
      await send('setAgentStatus', { id, status: 'AVAILABLE' });
      expect(await reassign(waiting, { agentId: id })).toMatchObject({ sessionId: waiting });
    },
  );

  it('changes nothing when the agent has that status already, whoever set it', async () => {
    const id = unique('ada');
    await agent(id);
    const before = await hashAllTables(db.pool);
    expect(await send('setAgentStatus', { id, status: 'AVAILABLE' })).toMatchObject({
      __typename: 'SetAgentStatusPayload',
      agent: { id },
    });
    expect(await hashAllTables(db.pool)).toEqual(before);
  });
});
