import { beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { archiveAgent } from '../../work/agents/archiveAgent.ts';
import { registerAgent } from '../../work/agents/registerAgent.ts';
import { setAgentStatus } from '../../work/agents/setAgentStatus.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { post } = client(url);
const { agent, session, run } = world(database.pool);

beforeAll(async () => {
  await agent('bob', { maxCapacity: 3 });
  await agent('ada', { maxCapacity: 1, collaborators: ['bob'] });
  const smallest = {
    name: 'Cody',
    description: null,
    instructions: null,
    maxCapacity: 2,
    metadata: { team: 'red' },
    collaborators: ['bob', 'ada'],
  };
  await run(registerAgent, { ...smallest, id: 'cody', type: 'CODEX', role: 'reviewer' });
  for (const id of ['dora', 'olaf', 'arno']) await agent(id);
  await run(setAgentStatus, { id: 'dora', status: 'DRAINING' });
  await run(setAgentStatus, { id: 'olaf', status: 'OFFLINE' });
  await run(archiveAgent, { id: 'arno' });
  await session('ada');
  await session('bob');
});

interface Agents {
  agents: { nodes: Record<string, unknown>[]; totalCount: number };
}

async function idsWhere(where: string, orderBy = '{ field: ID, direction: ASC }'): Promise<unknown[]> {
  const { data, errors } = await post<Agents>(
    `{ agents(where: ${where}, orderBy: ${orderBy}) { nodes { id } totalCount } }`,
  );
  expect(errors).toBeUndefined();
  expect(data.agents.totalCount).toBe(data.agents.nodes.length);
  return data.agents.nodes.map(({ id }) => id);
}

describe('the list of agents', () => {
  test.each([
    ['by nothing: agents that are not archived', '{}', ['ada', 'bob', 'cody', 'dora', 'olaf']],
    [
      'by includeArchived: also archived agents',
      '{ includeArchived: true }',
      ['ada', 'arno', 'bob', 'cody', 'dora', 'olaf'],
    ],
    ['by type', '{ type: "CODEX" }', ['cody']],
    ['by role', '{ role: "reviewer" }', ['cody']],
    ['by AVAILABLE: agents with a free place', '{ status: AVAILABLE }', ['bob', 'cody']],
    ['by BUSY: full agents', '{ status: BUSY }', ['ada']],
    ['by DRAINING', '{ status: DRAINING }', ['dora']],
    ['by OFFLINE', '{ status: OFFLINE }', ['olaf']],
    ['by hasCapacity true', '{ hasCapacity: true }', ['bob', 'cody']],
    ['by hasCapacity false', '{ hasCapacity: false }', ['ada', 'dora', 'olaf']],
    [
      'by hasCapacity false, also archived agents',
      '{ hasCapacity: false, includeArchived: true }',
      ['ada', 'arno', 'dora', 'olaf'],
    ],
    ['by several fields together', '{ type: "CLAUDE", hasCapacity: true }', ['bob']],
  ])('filters %s', async (_name, where, ids) => {
    expect(await idsWhere(where)).toEqual(ids);
  });

  test('sorts by registration, newest first, by id, by load and by time', async () => {
    expect(await idsWhere('{}', 'null')).toEqual(['olaf', 'dora', 'cody', 'ada', 'bob']);
    expect(await idsWhere('{}', '{ field: LOAD }')).toEqual(['bob', 'ada', 'olaf', 'dora', 'cody']);
    expect(await idsWhere('{}', '{ field: REGISTERED_AT, direction: ASC }')).toEqual([
      'bob',
      'ada',
      'cody',
      'dora',
      'olaf',
    ]);
  });
});

test('an AVAILABLE agent is BUSY while it is full, and keeps its administrative status', async () => {
  const { data } = await post<Record<string, object>>(`{
    ada: agent(id: "ada") { status administrativeStatus currentLoad maxCapacity freePlaces totalAssigned collaborators { id } metadata role archivedAt }
    cody: agent(id: "cody") { status freePlaces collaborators { id status } metadata role name }
    arno: agent(id: "arno") { status archivedAt }
    nobody: agent(id: "nobody") { id }
  }`);
  expect(data).toEqual({
    ada: {
      status: 'BUSY',
      administrativeStatus: 'AVAILABLE',
      currentLoad: 1,
      maxCapacity: 1,
      freePlaces: 0,
      totalAssigned: 1,
      collaborators: [{ id: 'bob' }],
      metadata: null,
      role: null,
      archivedAt: null,
    },
    cody: {
      status: 'AVAILABLE',
      freePlaces: 2,
      collaborators: [
        { id: 'bob', status: 'AVAILABLE' },
        { id: 'ada', status: 'BUSY' },
      ],
      metadata: { team: 'red' },
      role: 'reviewer',
      name: 'Cody',
    },
    arno: {
      status: 'OFFLINE',
      archivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    },
    nobody: null,
  });
});

test('the viewer of a server without keys is an ADMIN without a key', async () => {
  const { data } = await post('{ viewer { role agent { id } key { id name role } } }');
  expect(data).toEqual({ viewer: { role: 'ADMIN', agent: null, key: null } });
});
