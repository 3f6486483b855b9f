import { newId } from '../core/ids.ts';
import { archiveAgent } from '../agents/archiveAgent.ts';
import { house, testRefusals, unknownId, type Refusal } from '../../test/refusals.ts';

const home = await house();

const cases: Refusal[] = [
  {
    mutation: 'createKey',
    error: 'BadUserInputError',
    when: 'it is for an agent that nobody names',
    given: () => ({ input: { role: 'AGENT', name: 'ci' }, data: { path: ['input', 'agentId'] } }),
    says: /name it$/,
  },
  {
    mutation: 'createKey',
    error: 'BadUserInputError',
    when: 'it names an agent for a role that has none',
    given: () => ({ input: { role: 'OPERATOR', name: 'ci', agentId: 'ada' }, data: { path: ['input', 'agentId'] } }),
    says: /leave agentId out/,
  },
  {
    mutation: 'createKey',
    error: 'BadUserInputError',
    when: 'the agent is archived',
    given: async ({ unique, agent, run }) => {
      const id = unique('retired');
      await agent(id);
      await run(archiveAgent, { id });
      return { input: { role: 'AGENT', name: 'ci', agentId: id }, data: { path: ['input', 'agentId'] } };
    },
    says: /archived: name another/,
  },
  {
    mutation: 'createKey',
    error: 'BadUserInputError',
    when: 'it would have expired already',
    given: () => ({ input: { role: 'ANALYST', name: 'ci', expiresAt: new Date(Date.now() - 1_000).toISOString() }, data: { path: ['input', 'expiresAt'] } }),
    says: /in the future/,
  },
  {
    mutation: 'createKey',
    error: 'NotFoundError',
    when: 'the agent does not exist',
    given: () => ({ input: { role: 'AGENT', name: 'ci', agentId: 'nobody' }, data: { id: 'nobody' } }),
    says: /no agent 'nobody'/,
  },
  {
    mutation: 'revokeKey',
    error: 'BadUserInputError',
    when: 'it names no key',
    given: () => ({ input: { keyId: newId() }, data: { path: ['input', 'keyId'] } }),
    says: /the id of a key/,
  },
  {
    mutation: 'revokeKey',
    error: 'NotFoundError',
    when: 'there is no such key',
    given: () => {
      const keyId = unknownId('key');
      return { input: { keyId }, data: { id: keyId } };
    },
    says: /check the id/,
  },
];

testRefusals(home, ['createKey', 'revokeKey'], cases);
