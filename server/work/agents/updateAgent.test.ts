import { describe, expect, it } from 'vitest';
import { house, testRefusals, type House, type Refusal } from '../../../test/refusals.ts';
import { createHandoffTool } from '../tools/changeTool.ts';

const home = await house();

async function busy({ unique, agent, session }: House): Promise<string> {
  const id = unique('busy');
  await agent(id);
  await session(id);
  await session(id);
  return id;
}

const cases: Refusal[] = [
  {
    mutation: 'updateAgent',
    error: 'BadUserInputError',
    when: 'the agent is its own collaborator',
    given: async ({ unique, agent }) => {
      const id = unique('vain');
      await agent(id);
      return { input: { id, collaborators: [id] }, data: { path: ['input', 'collaborators'] } };
    },
    says: /leave it out/,
  },
  {
    mutation: 'updateAgent',
    error: 'BadUserInputError',
    when: 'the agent is its own collaborator in collaborations',
    given: async ({ unique, agent }) => {
      const id = unique('vain');
      await agent(id);
      return { input: { id, collaborations: [{ agentId: id }] }, data: { path: ['input', 'collaborations'] } };
    },
    says: /leave it out/,
  },
  {
    mutation: 'updateAgent',
    error: 'NotFoundError',
    when: 'the agent does not exist',
    given: () => ({ input: { id: 'nobody', name: 'Nobody' }, data: { id: 'nobody' } }),
    says: /check the id/,
  },
  {
    mutation: 'updateAgent',
    error: 'NotFoundError',
    when: 'a collaborator does not exist',
    given: async ({ unique, agent }) => {
      const id = unique('lonely');
      await agent(id);
      return { input: { id, name: 'Changed', collaborators: ['nobody'] }, data: { id: 'nobody' } };
    },
    says: /check the id/,
  },
  {
    mutation: 'updateAgent',
    error: 'ConflictError',
    when: 'the tool of a collaborator would have the name of a handoff tool',
    given: async ({ unique, agent, run }) => {
      const [id, other] = [unique('from'), unique('to')];
      for (const one of [id, other]) await agent(one);
      await run(createHandoffTool, {
        name: `Transfer_to_${other}`,
        targetAgentId: other,
        agentIds: [id],
        description: 'Hands off.',
        variables: [],
        instructions: null,
      });
      return { input: { id, collaborators: [other] } };
    },
    says: /has a handoff tool 'Transfer_to_to-\d+'.*archive the tool or rename it first/,
  },
  {
    mutation: 'updateAgent',
    error: 'InvalidStateError',
    when: 'the capacity would be below the load',
    given: async (h) => ({
      input: { id: await busy(h), maxCapacity: 1 },
      data: { state: 'LOAD 2', allowed: ['LOAD 1 or less'] },
    }),
    says: /holds 2 sessions/,
  },
  {
    mutation: 'updateAgent',
    error: 'InvalidStateError',
    when: 'the agent is archived',
    given: async ({ archivedAgent }) => ({
      input: { id: await archivedAgent(), name: 'Back' },
      data: { state: 'ARCHIVED', allowed: ['AVAILABLE', 'DRAINING', 'OFFLINE'] },
    }),
    says: /archived/,
  },
];

testRefusals(home, ['updateAgent'], cases);

describe('updateAgent', () => {
  const { unique, agent, send, db } = home;
  const fields = {
    type: 'CODEX',
    name: 'Ada',
    role: 'reviewer',
    description: 'Reads code',
    instructions: 'Be brief',
    maxCapacity: 2,
    metadata: { team: 'red' },
  };
  const registered = async () => {
    const [id, first, second] = [unique('ada'), unique('first'), unique('second')];
    await agent(first);
    await agent(second);
    await send('registerAgent', { id, ...fields, collaborators: [first, second] });
    return { id, first, second };
  };
  const update = async (id: string, changes: object) => {
    expect(await send('updateAgent', { id, ...changes })).toMatchObject({
      __typename: 'UpdateAgentPayload',
      agent: { id },
    });
    const { collaborators, ...now } = await db.prisma.agent.findUniqueOrThrow({
      where: { id },
      include: { collaborators: { orderBy: { position: 'asc' } } },
    });
    return { ...now, collaborators: collaborators.map(({ collaboratorId }) => collaboratorId) };
  };

  it('changes the given fields and keeps the others', async () => {
    const { id, first, second } = await registered();
    expect(await update(id, { name: 'Ada L.', maxCapacity: 7 })).toMatchObject({
      ...fields,
      name: 'Ada L.',
      maxCapacity: 7,
      collaborators: [first, second],
    });
  });

  it('clears the fields that may be null, and keeps the others when they are null', async () => {
    const { id, first, second } = await registered();
    const cleared = { role: null, description: null, instructions: null, metadata: null };
    expect(
      await update(id, { ...cleared, type: null, name: null, maxCapacity: null, collaborators: null }),
    ).toMatchObject({ ...fields, ...cleared, collaborators: [first, second] });
  });

  it('replaces the list of collaborators', async () => {
    const { id, second } = await registered();
    const third = unique('third');
    await agent(third);
    expect((await update(id, { collaborators: [third, second] })).collaborators).toEqual([third, second]);
    expect((await update(id, { collaborators: [] })).collaborators).toEqual([]);
  });

  it('accepts a capacity equal to the load', async () => {
    const id = await busy(home);
    expect(await update(id, { maxCapacity: 2 })).toMatchObject({ maxCapacity: 2, currentLoad: 2 });
  });

  it('raises the capacity of an agent over capacity, also to less than its load', async () => {
    const id = await busy(home);
    await db.prisma.agent.update({ where: { id }, data: { maxCapacity: 2 } });
    for (let n = 0; n < 3; n += 1) await home.session(id, { recording: true });
    expect(await update(id, { maxCapacity: 3 })).toMatchObject({ maxCapacity: 3, currentLoad: 5 });
    expect(await home.send('updateAgent', { id, maxCapacity: 2 })).toMatchObject({ __typename: 'InvalidStateError' });
  });

  it('lets an existing handoff keep the type of its time', async () => {
    const { id } = await registered();
    const { handoffId } = await home.reassign(await home.session(null), { agentId: id });
    await update(id, { type: 'GEMINI' });
    expect(await db.prisma.handoff.findUniqueOrThrow({ where: { id: handoffId! } })).toMatchObject({
      targetAgentType: 'CODEX',
    });
  });
});
