import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { post } = client(url);
const { agent, session, initiate } = world(db.pool);
for (const id of ['reviewer', 'tester', 'writer']) await agent(id);

interface Shown {
  collaborators: { id: string }[];
  collaborations: { agent: { id: string }; when: string | null; instructions: string | null; carry: unknown }[];
}

async function change(
  mutation: 'registerAgent' | 'updateAgent',
  input: object,
): Promise<[id: string, when: string | null][]> {
  const name = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
  const { data } = await post<Record<string, { agent: Shown; message?: string }>>(
    `mutation ($input: ${name}Input!) { ${mutation}(input: $input) { ... on Error { message } ... on ${name}Payload { agent { collaborators { id } collaborations { agent { id } when instructions carry { messages } } } } } }`,
    { input },
  );
  expect(data[mutation]!.message).toBeUndefined();
  const { collaborators, collaborations } = data[mutation]!.agent;
  expect(collaborations.map((each) => each.agent)).toEqual(collaborators);
  return collaborations.map((each) => [each.agent.id, each.when]);
}

it('collaborations say when to use them, in the order given, and permit the handoff', async () => {
  const collaborations = [{ agentId: 'tester', when: 'when the code is done' }, { agentId: 'reviewer' }];
  expect(await change('registerAgent', { id: 'coder', type: 'CLAUDE', collaborations })).toEqual([
    ['tester', 'when the code is done'],
    ['reviewer', null],
  ]);
  await expect(initiate(await session('coder'), 'tester')).resolves.toBeDefined();
  expect(
    await change('updateAgent', {
      id: 'coder',
      collaborations: [
        { agentId: 'reviewer', when: 'first' },
        { agentId: 'tester', when: null },
      ],
    }),
  ).toEqual([
    ['reviewer', 'first'],
    ['tester', null],
  ]);
  await expect(initiate(await session('coder'), 'writer')).rejects.toMatchObject({ code: 'NOT_A_COLLABORATOR' });
});

it('a list of collaborators keeps the conditions of agents that stay', async () => {
  await change('registerAgent', {
    id: 'planner',
    type: 'CLAUDE',
    collaborations: [
      { agentId: 'tester', when: 'to test' },
      { agentId: 'reviewer', when: 'to review' },
    ],
  });
  expect(await change('updateAgent', { id: 'planner', collaborators: ['writer', 'reviewer'] })).toEqual([
    ['writer', null],
    ['reviewer', 'to review'],
  ]);
  expect(await change('updateAgent', { id: 'planner', name: 'Planner' })).toEqual([
    ['writer', null],
    ['reviewer', 'to review'],
  ]);
  expect(await change('updateAgent', { id: 'planner', collaborations: [] })).toEqual([]);
});
