import { beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';
import { archiveAgent } from './archiveAgent.ts';
import { registerAgent } from './registerAgent.ts';
import { setAgentStatus } from './setAgentStatus.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { post } = client(url);
const { agent, session, run } = world(database.pool);

beforeAll(async () => {
  await agent('bob', { maxCapacity: 3 });
  await agent('ada', { maxCapacity: 1, collaborators: ['bob'] });
  const smallest = { name: 'Cody', description: null, instructions: null, maxCapacity: 2, metadata: { team: 'red' }, collaborators: ['bob', 'ada'] };
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
  const { data, errors } = await post<Agents>(`{ agents(where: ${where}, orderBy: ${orderBy}) { nodes { id } totalCount } }`);
  expect(errors).toBeUndefined();
  expect(data.agents.totalCount).toBe(data.agents.nodes.length);
  return data.agents.nodes.map(({ id }) => id);
}

describe('agents', () => {
  test.each([
    ['all that are in the pool', '{}', ['ada', 'bob', 'cody', 'dora', 'olaf']],
    ['archived ones too', '{ includeArchived: true }', ['ada', 'arno', 'bob', 'cody', 'dora', 'olaf']],
    ['of a type', '{ type: "CODEX" }', ['cody']],
    ['with a role', '{ role: "reviewer" }', ['cody']],
    ['AVAILABLE: with a free place', '{ status: AVAILABLE }', ['bob', 'cody']],
    ['BUSY: full', '{ status: BUSY }', ['ada']],
    ['DRAINING', '{ status: DRAINING }', ['dora']],
    ['OFFLINE', '{ status: OFFLINE }', ['olaf']],
    ['that can take work', '{ hasCapacity: true }', ['bob', 'cody']],
    ['that cannot', '{ hasCapacity: false }', ['ada', 'dora', 'olaf']],
    ['that cannot, archived ones too', '{ hasCapacity: false, includeArchived: true }', ['ada', 'arno', 'dora', 'olaf']],
    ['that meet all that is given', '{ type: "CLAUDE", hasCapacity: true }', ['bob']],
  ])('%s', async (_name, where, ids) => {
    expect(await idsWhere(where)).toEqual(ids);
  });

  test('by registration, the last first, and by load', async () => {
    expect(await idsWhere('{}', 'null')).toEqual(['olaf', 'dora', 'cody', 'ada', 'bob']);
    expect(await idsWhere('{}', '{ field: LOAD }')).toEqual(['bob', 'ada', 'olaf', 'dora', 'cody']);
    expect(await idsWhere('{}', '{ field: REGISTERED_AT, direction: ASC }')).toEqual(['bob', 'ada', 'cody', 'dora', 'olaf']);
  });
});

test('an Agent is BUSY when it would take work and is full; what an operator decided stays to be seen', async () => {
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
    cody: { status: 'AVAILABLE', freePlaces: 2, collaborators: [{ id: 'bob', status: 'AVAILABLE' }, { id: 'ada', status: 'BUSY' }], metadata: { team: 'red' }, role: 'reviewer', name: 'Cody' },
    arno: { status: 'OFFLINE', archivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string },
    nobody: null,
  });
});

test('on a server without keys the viewer is an admin without a key', async () => {
  const { data } = await post('{ viewer { role agent { id } key { id name role } } }');
  expect(data).toEqual({ viewer: { role: 'ADMIN', agent: null, key: null } });
});
