import { beforeAll, describe, expect, it } from 'vitest';
import { askersOf } from '../../../test/askers.ts';
import { recordQueries } from '../../../test/queries.ts';
import { encodeId } from '../../core/ids.ts';
import { archiveAgent } from '../../work/agents/archiveAgent.ts';
import { archiveHandoffTool, createHandoffTool, type ToolFields } from '../../work/tools/changeTool.ts';

// Each of ada, bob and eve may hand off to the others.
const { db, askers, agent, run } = await askersOf();
const { sent } = recordQueries(db.pool);
const tool = (name: string, fields: Partial<ToolFields> = {}) =>
  run(createHandoffTool, {
    name,
    targetAgentId: 'eve',
    agentIds: ['ada'],
    description: `It is ${name}.`,
    variables: [],
    instructions: null,
    ...fields,
  });

beforeAll(async () => {
  await tool('escalate', {
    agentIds: ['ada', 'bob'],
    instructions: 'Be quick.',
    variables: [
      { name: 'severity', type: 'INTEGER', required: false, description: 'From 1.', enum: [1, 2], default: 1 },
    ],
  });
  await tool('ask_bob', { agentIds: ['eve'], targetAgentId: 'bob' });
  const { toolId } = await tool('gone');
  await run(archiveHandoffTool, { toolId });
  await agent('rob', { collaborators: ['ada'] });
  await run(archiveAgent, { id: 'rob' });
});

interface Listed {
  handoffTools: {
    nodes: Record<string, unknown>[];
    totalCount: number;
    pageInfo: { endCursor: string; startCursor: string; hasNextPage: boolean; hasPreviousPage: boolean };
  };
}
const list = async (where: string, asker: keyof typeof askers = 'OPERATOR', fields = 'name agents { id }') => {
  const { data, errors } = await askers[asker].post<Listed>(
    `{ handoffTools(where: ${where}) { totalCount nodes { ${fields} } } }`,
  );
  expect(errors).toBeUndefined();
  expect(data.handoffTools.totalCount).toBe(data.handoffTools.nodes.length);
  return data.handoffTools.nodes;
};
const names = async (where: string, asker?: keyof typeof askers) =>
  (await list(where, asker)).map(
    ({ name, agents }) => `${(agents as { id: string }[]).map(({ id }) => id).join()}: ${name as string}`,
  );

describe('handoffTools', () => {
  it.each([
    [
      'all that are offered, by name',
      '{}',
      [
        'eve: ask_bob',
        'ada,bob: escalate',
        'bob: transfer_to_ada',
        'eve: transfer_to_ada',
        'ada: transfer_to_bob',
        'eve: transfer_to_bob',
        'ada: transfer_to_eve',
        'bob: transfer_to_eve',
      ],
    ],
    ['of an agent', '{ agentId: "ada" }', ['ada,bob: escalate', 'ada: transfer_to_bob', 'ada: transfer_to_eve']],
    ['to an agent', '{ targetAgentId: "bob" }', ['eve: ask_bob', 'ada: transfer_to_bob', 'eve: transfer_to_bob']],
    ['defined ones', '{ generated: false }', ['eve: ask_bob', 'ada,bob: escalate']],
    [
      'generated ones of an agent',
      '{ generated: true, agentId: "ada" }',
      ['ada: transfer_to_bob', 'ada: transfer_to_eve'],
    ],
    [
      'archived ones too',
      '{ agentId: "ada", generated: false, includeArchived: true }',
      ['ada,bob: escalate', 'ada: gone'],
    ],
    ['of an archived agent', '{ agentId: "rob" }', []],
    ['of an archived agent, if asked for', '{ agentId: "rob", includeArchived: true }', ['rob: transfer_to_ada']],
  ])('%s', async (_name, where, expected) => {
    // Tools of one name have no order that means anything.
    expect((await names(where)).sort()).toEqual([...expected].sort());
  });

  it('returns to an agent the tools offered to it, and no other agents that they are offered to', async () => {
    expect(await names('{}', 'AGENT')).toEqual(['ada: escalate', 'ada: transfer_to_bob', 'ada: transfer_to_eve']);
    expect(await names('{ agentId: "bob" }', 'AGENT')).toEqual([]);
    expect(await names('{ targetAgentId: "bob" }', 'AGENT')).toEqual(['ada: transfer_to_bob']);
  });

  it('returns every field of a tool', async () => {
    const fields =
      'id name description targetAgent { id } agents { id } variables { name type required description enum default } instructions generated enabled createdAt archivedAt';
    const [escalate, , toEve] = await list('{ agentId: "ada" }', 'ANALYST', fields);
    expect(escalate).toEqual({
      id: expect.stringMatching(/^tool_/) as string,
      name: 'escalate',
      description: 'It is escalate.',
      targetAgent: { id: 'eve' },
      agents: [{ id: 'ada' }, { id: 'bob' }],
      variables: [
        { name: 'severity', type: 'INTEGER', required: false, description: 'From 1.', enum: [1, 2], default: 1 },
      ],
      instructions: 'Be quick.',
      generated: false,
      enabled: true,
      createdAt: expect.any(String) as string,
      archivedAt: null,
    });
    expect(toEve).toMatchObject({
      name: 'transfer_to_eve',
      description: "Hands this session off to the agent 'eve'.",
      variables: [],
      instructions: null,
      generated: true,
      enabled: true,
      createdAt: null,
    });
  });

  const page = async (args: string, at: string | null): Promise<Listed['handoffTools']> =>
    (
      await askers.ADMIN.post<Listed>(
        `query ($at: String) { handoffTools(${args}) { nodes { id } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }`,
        { at },
      )
    ).data.handoffTools;

  it('pages in both directions, with every tool once', async () => {
    const all = (await list('{}', 'OPERATOR', 'id')).map(({ id }) => id);
    for (const [size, cursor, way] of [
      ['first', 'after', 1],
      ['last', 'before', -1],
    ] as const) {
      const seen: unknown[] = [];
      let at: string | null = null;
      for (let more = true; more;) {
        const { nodes, pageInfo } = await page(`${size}: 3, ${cursor}: $at`, at);
        seen.push(...(way > 0 ? nodes : nodes.reverse()).map(({ id }) => id));
        [at, more] =
          way > 0 ? [pageInfo.endCursor, pageInfo.hasNextPage] : [pageInfo.startCursor, pageInfo.hasPreviousPage];
      }
      expect(way > 0 ? seen : seen.reverse()).toEqual(all);
    }
  });

  it('sends three statements for one tool and for all: the tools, and the agents of its two places', async () => {
    for (const first of [1, 100]) {
      sent.length = 0;
      await askers.OPERATOR.post(
        `{ handoffTools(first: ${first}) { nodes { id name targetAgent { id name } agents { id name } } } }`,
      );
      expect(sent).toHaveLength(3);
    }
  });
});

describe('node', () => {
  const find = async (asker: keyof typeof askers, ids: unknown[]) =>
    (
      await askers[asker].post<{ nodes: unknown[] }>(
        'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on HandoffTool { name } } }',
        { ids },
      )
    ).data.nodes;

  it('finds a defined and a generated tool by its id', async () => {
    const tools = await list('{ agentId: "ada" }', 'OPERATOR', 'id name');
    expect(
      await find(
        'OPERATOR',
        tools.map(({ id }) => id),
      ),
    ).toEqual(tools);
    expect(
      await find(
        'AGENT',
        tools.map(({ id }) => id),
      ),
    ).toEqual(tools);
  });

  it('finds no tool of another agent for an agent', async () => {
    const foreign = (await list('{ agentId: "eve" }', 'OPERATOR', 'id')).map(({ id }) => id);
    expect(await find('AGENT', foreign)).toEqual(foreign.map(() => null));
    expect(await find('AGENT', [encodeId('tool', '01900000-0000-7000-8000-000000000000')])).toEqual([null]);
  });
});
