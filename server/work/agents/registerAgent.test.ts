import { describe, expect, it } from 'vitest';
import { house, testRefusals, type Refusal } from '../../../test/refusals.ts';

const home = await house();

const cases: Refusal[] = [
  {
    mutation: 'registerAgent',
    error: 'BadUserInputError',
    when: 'the agent is its own collaborator',
    given: ({ unique }) => {
      const id = unique('vain');
      return { input: { id, type: 'CLAUDE', collaborators: [id] }, data: { path: ['input', 'collaborators'] } };
    },
    says: /leave it out/,
  },
  {
    mutation: 'registerAgent',
    error: 'BadUserInputError',
    when: 'both collaborators and collaborations are given',
    given: ({ unique }) => ({
      input: { id: unique('both'), type: 'CLAUDE', collaborators: [], collaborations: [] },
      data: { path: ['input', 'collaborations'] },
    }),
    says: /give one of the two/,
  },
  {
    mutation: 'registerAgent',
    error: 'NotFoundError',
    when: 'the agent of a collaboration does not exist',
    given: ({ unique }) => ({
      input: { id: unique('lonely'), type: 'CLAUDE', collaborations: [{ agentId: 'nobody', when: 'never' }] },
      data: { id: 'nobody' },
    }),
    says: /no agent 'nobody': check the id/,
  },
  {
    mutation: 'registerAgent',
    error: 'NotFoundError',
    when: 'a collaborator does not exist',
    given: ({ unique }) => ({
      input: { id: unique('lonely'), type: 'CLAUDE', collaborators: ['nobody'] },
      data: { id: 'nobody' },
    }),
    says: /no agent 'nobody': check the id/,
  },
  {
    mutation: 'registerAgent',
    error: 'ConflictError',
    when: 'the id is taken',
    given: async ({ unique, agent }) => {
      const id = unique('twin');
      await agent(id);
      return { input: { id, type: 'CODEX' }, data: { expectedVersion: null, actualVersion: null } };
    },
    says: /choose another id/,
  },
  {
    mutation: 'registerAgent',
    error: 'ConflictError',
    when: 'the id belonged to an archived agent',
    given: async ({ archivedAgent }) => ({ input: { id: await archivedAgent(), type: 'CLAUDE' } }),
    says: /or was/,
  },
];

testRefusals(home, ['registerAgent'], cases);

describe('registerAgent', () => {
  const stored = (id: string) =>
    home.db.prisma.agent.findUniqueOrThrow({
      where: { id },
      include: { collaborators: { orderBy: { position: 'asc' } } },
    });

  it('stores the given fields and the collaborators in their order', async () => {
    const { unique, agent, send } = home;
    const [first, second, id] = [unique('first'), unique('second'), unique('ada')];
    await agent(first);
    await agent(second);
    const fields = {
      type: 'CODEX',
      name: 'Ada',
      role: 'reviewer',
      description: 'Reads code',
      instructions: 'Be brief',
      maxCapacity: 2,
      metadata: { team: 'red' },
    };
    const answer = await send('registerAgent', { id, ...fields, collaborators: [second, first, second] });
    expect(answer).toMatchObject({ __typename: 'RegisterAgentPayload', agent: { id } });
    const agentNow = await stored(id);
    expect(agentNow).toMatchObject({
      ...fields,
      administrativeStatus: 'AVAILABLE',
      currentLoad: 0,
      totalAssigned: 0,
      archivedAt: null,
    });
    expect(agentNow.collaborators.map(({ collaboratorId }) => collaboratorId)).toEqual([second, first]);
  });

  it('uses the id as the name and 5 as the capacity when neither is given', async () => {
    const id = home.unique('plain');
    await home.send('registerAgent', { id, type: 'CLAUDE' });
    expect(await stored(id)).toMatchObject({
      name: id,
      maxCapacity: 5,
      role: null,
      description: null,
      instructions: null,
      metadata: null,
      collaborators: [],
    });
  });

  it('registers one agent when the same id is sent twice at once', async () => {
    const id = home.unique('twin');
    const answers = await Promise.all(['CLAUDE', 'CODEX'].map((type) => home.send('registerAgent', { id, type })));
    expect(answers.map(({ __typename }) => __typename).sort()).toEqual(['ConflictError', 'RegisterAgentPayload']);
  });
});
