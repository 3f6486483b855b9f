import { describe, expect, it } from 'vitest';
import { house, testRefusals, type Refusal } from '../../../test/refusals.ts';
import { hashOf } from './secret.ts';

const home = await house();

const cases: Refusal[] = [
  {
    mutation: 'createKey',
    error: 'BadUserInputError',
    when: 'role AGENT comes without an agent',
    given: () => ({ input: { role: 'AGENT', name: 'ci' }, data: { path: ['input', 'agentId'] } }),
    says: /name it$/,
  },
  {
    mutation: 'createKey',
    error: 'BadUserInputError',
    when: 'another role comes with an agent',
    given: () => ({ input: { role: 'OPERATOR', name: 'ci', agentId: 'ada' }, data: { path: ['input', 'agentId'] } }),
    says: /leave agentId out/,
  },
  {
    mutation: 'createKey',
    error: 'BadUserInputError',
    when: 'the agent is archived',
    given: async ({ archivedAgent }) => ({
      input: { role: 'AGENT', name: 'ci', agentId: await archivedAgent() },
      data: { path: ['input', 'agentId'] },
    }),
    says: /archived: name another/,
  },
  {
    mutation: 'createKey',
    error: 'BadUserInputError',
    when: 'expiresAt is in the past',
    given: () => ({
      input: { role: 'ANALYST', name: 'ci', expiresAt: new Date(Date.now() - 1_000).toISOString() },
      data: { path: ['input', 'expiresAt'] },
    }),
    says: /in the future/,
  },
  {
    mutation: 'createKey',
    error: 'NotFoundError',
    when: 'the agent does not exist',
    given: () => ({ input: { role: 'AGENT', name: 'ci', agentId: 'nobody' }, data: { id: 'nobody' } }),
    says: /no agent 'nobody'/,
  },
];

testRefusals(home, ['createKey'], cases);

describe('createKey', () => {
  const { unique, agent, send, db } = home;

  it('returns the secret once and stores only its hash', async () => {
    const id = unique('ada');
    await agent(id);
    const answer = await send('createKey', {
      role: 'AGENT',
      agentId: id,
      name: 'ci',
      expiresAt: '2999-01-01T00:00:00Z',
    });
    const secret = answer['secret'] as string;
    expect(answer).toMatchObject({
      __typename: 'CreateKeyPayload',
      secret: expect.stringMatching(/^baton_/) as string,
    });
    const [key, ...others] = await db.prisma.key.findMany({ where: { agentId: id } });
    expect(others).toEqual([]);
    expect(key).toMatchObject({
      role: 'AGENT',
      name: 'ci',
      createdBy: 'loopback',
      expiresAt: new Date('2999-01-01T00:00:00Z'),
      revokedAt: null,
      secretHash: hashOf(secret),
    });
    expect(JSON.stringify(key)).not.toContain(secret);
  });

  it('creates another key when it is repeated', async () => {
    const input = { role: 'ANALYST', name: unique('dashboard') };
    const answers = [await send('createKey', input), await send('createKey', input)];
    expect(new Set(answers.map((answer) => answer['secret'])).size).toBe(2);
    expect(await db.prisma.key.count({ where: { name: input.name } })).toBe(2);
  });
});
