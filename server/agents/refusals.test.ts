import { house, somebodyElse, testRefusals, unknownId, type House, type Refusal } from '../../test/refusals.ts';
import { createHandoffTool } from '../tools/changeTool.ts';
import { archiveAgent } from './archiveAgent.ts';

const home = await house();

async function archived({ unique, agent, run }: House): Promise<string> {
  const id = unique('retired');
  await agent(id);
  await run(archiveAgent, { id }, { caller: somebodyElse });
  return id;
}

async function busy({ unique, agent, session }: House): Promise<string> {
  const id = unique('busy');
  await agent(id);
  await session(id);
  await session(id);
  return id;
}

const final = ['AVAILABLE', 'DRAINING', 'OFFLINE'];

const cases: Refusal[] = [
  {
    mutation: 'registerAgent',
    error: 'BadUserInputError',
    when: 'it is to hand off to itself',
    given: ({ unique }) => {
      const id = unique('vain');
      return { input: { id, type: 'CLAUDE', collaborators: [id] }, data: { path: ['input', 'collaborators'] } };
    },
    says: /leave it out/,
  },
  {
    mutation: 'registerAgent',
    error: 'NotFoundError',
    when: 'a collaborator does not exist',
    given: ({ unique }) => ({ input: { id: unique('lonely'), type: 'CLAUDE', collaborators: ['nobody'] }, data: { id: 'nobody' } }),
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
    when: 'the id was that of an agent that is archived',
    given: async (h) => ({ input: { id: await archived(h), type: 'CLAUDE' } }),
    says: /or was/,
  },
  {
    mutation: 'updateAgent',
    error: 'BadUserInputError',
    when: 'it is to hand off to itself',
    given: async ({ unique, agent }) => {
      const id = unique('vain');
      await agent(id);
      return { input: { id, collaborators: [id] }, data: { path: ['input', 'collaborators'] } };
    },
    says: /leave it out/,
  },
  {
    mutation: 'registerAgent',
    error: 'BadUserInputError',
    when: 'collaborators and collaborations are given',
    given: ({ unique }) => ({ input: { id: unique('both'), type: 'CLAUDE', collaborators: [], collaborations: [] }, data: { path: ['input', 'collaborations'] } }),
    says: /give one of the two/,
  },
  {
    mutation: 'registerAgent',
    error: 'NotFoundError',
    when: 'the agent of a collaboration does not exist',
    given: ({ unique }) => ({ input: { id: unique('lonely'), type: 'CLAUDE', collaborations: [{ agentId: 'nobody', when: 'never' }] }, data: { id: 'nobody' } }),
    says: /no agent 'nobody': check the id/,
  },
  {
    mutation: 'updateAgent',
    error: 'BadUserInputError',
    when: 'a collaboration is with itself',
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
    when: 'there is no such agent',
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
    error: 'InvalidStateError',
    when: 'its capacity would fall below its load',
    given: async (h) => ({ input: { id: await busy(h), maxCapacity: 1 }, data: { state: 'LOAD 2', allowed: ['LOAD 1 or less'] } }),
    says: /holds 2 sessions/,
  },
  {
    mutation: 'updateAgent',
    error: 'InvalidStateError',
    when: 'it is archived',
    given: async (h) => ({ input: { id: await archived(h), name: 'Back' }, data: { state: 'ARCHIVED', allowed: final } }),
    says: /archived/,
  },
  {
    mutation: 'updateAgent',
    error: 'ConflictError',
    when: 'the tool of a collaborator would have the name of a handoff tool',
    given: async ({ unique, agent, run }) => {
      const [id, other] = [unique('from'), unique('to')];
      for (const one of [id, other]) await agent(one);
      await run(createHandoffTool, { name: `Transfer_to_${other}`, targetAgentId: other, agentIds: [id], description: 'Hands off.', variables: [], instructions: null });
      return { input: { id, collaborators: [other] } };
    },
    says: /has a handoff tool 'Transfer_to_to-\d+'.*archive the tool or rename it first/,
  },
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
    when: 'there is no such agent',
    given: () => ({ input: { id: 'nobody' }, data: { id: 'nobody' } }),
    says: /check the id/,
  },
  {
    mutation: 'archiveAgent',
    error: 'InvalidStateError',
    when: 'it holds sessions',
    given: async (h) => ({ input: { id: await busy(h) }, data: { state: 'LOAD 2', allowed: ['LOAD 0'] } }),
    says: /holds 2 sessions: reassign or end them first/,
  },
  {
    mutation: 'archiveAgent',
    error: 'InvalidStateError',
    when: 'somebody else has archived it',
    given: async (h) => ({ input: { id: await archived(h) }, data: { state: 'ARCHIVED', allowed: final } }),
    says: /final/,
  },
  {
    mutation: 'setAgentStatus',
    error: 'BadUserInputError',
    when: 'the agent is archived',
    given: async (h) => ({ input: { id: await archived(h), status: 'AVAILABLE' }, data: { path: ['input', 'id'] } }),
    says: /register another/,
  },
  {
    mutation: 'setAgentStatus',
    error: 'NotFoundError',
    when: 'there is no such agent',
    given: () => ({ input: { id: 'nobody', status: 'OFFLINE' }, data: { id: 'nobody' } }),
    says: /check the id/,
  },
];

testRefusals(home, ['registerAgent', 'updateAgent', 'archiveAgent', 'setAgentStatus'], cases);
