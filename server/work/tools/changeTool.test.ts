import { describe, expect, it } from 'vitest';
import { expectRefusal, house, testRefusals, unknownId, type House, type Refusal } from '../../../test/refusals.ts';
import { readerOf } from '../../api/tools/schema.ts';
import { encodeId } from '../../core/ids.ts';
import { archiveAgent } from '../agents/archiveAgent.ts';
import { updateAgent } from '../agents/updateAgent.ts';
import { archiveHandoffTool, createHandoffTool, updateHandoffTool, type ToolFields } from './changeTool.ts';
import { findTools } from './queries.ts';

const home = await house();

/** Two agents, and a tool of the first that hands off to the second. */
async function offered(
  h: House,
  fields: Partial<ToolFields> = {},
): Promise<{ from: string; to: string; toolId: string; name: string }> {
  const [from, to, name] = [h.unique('from'), h.unique('to'), fields.name ?? h.unique('tool')];
  await h.agent(to);
  await h.agent(from);
  const tool = {
    name,
    targetAgentId: to,
    agentIds: [from],
    description: 'Hands off.',
    variables: [],
    instructions: null,
    ...fields,
  };
  const { toolId } = await h.run(createHandoffTool, tool);
  return { from, to, toolId, name };
}

const plain = { description: 'Hands off.' };
const publicId = (toolId: string): string => encodeId('tool', toolId);
const generatedTool = async (h: House): Promise<{ from: string; to: string; toolId: string }> => {
  const [from, to] = [h.unique('from'), h.unique('to')];
  await h.agent(to);
  await h.agent(from, { collaborators: [to] });
  const [tool] = await findTools(readerOf(h.db), { agentIds: [from], archived: false });
  return { from, to, toolId: tool!.id };
};

const cases: Refusal[] = [
  {
    mutation: 'createHandoffTool',
    error: 'BadUserInputError',
    when: 'it is offered to its target',
    given: async (h) => {
      const { from, to } = await offered(h);
      return {
        input: { ...plain, name: 'ask', targetAgentId: to, agentIds: [from, to] },
        data: { path: ['input', 'agentIds'] },
      };
    },
    says: /contain the target 'to-\d+' itself: leave it out/,
  },
  ...(['targetAgentId', 'agentIds'] as const).map((field): Refusal => ({
    mutation: 'createHandoffTool',
    error: 'BadUserInputError',
    when: `an agent of ${field} is archived`,
    given: async (h) => {
      const { from, to } = await offered(h);
      await h.run(archiveAgent, { id: field === 'agentIds' ? from : to });
      return {
        input: { ...plain, name: 'ask', targetAgentId: to, agentIds: [from] },
        data: { path: ['input', field] },
      };
    },
    says: /is archived: /,
  })),
  ...(
    [
      ['name', {}],
      ['variables', { name: 'ask' }],
    ] as const
  ).map(([field, fields]): Refusal => ({
    mutation: 'createHandoffTool',
    error: 'BadUserInputError',
    when: `a name in ${field} is a secret`,
    given: async (h) => {
      const { from, to } = await offered(h);
      const name = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
      return {
        input: {
          ...plain,
          name,
          targetAgentId: to,
          agentIds: [from],
          variables: [{ name, type: 'STRING' }],
          ...fields,
        },
        data: { path: ['input', field] },
      };
    },
    says: /looks like a secret: choose another name/,
  })),
  {
    mutation: 'createHandoffTool',
    error: 'NotFoundError',
    when: 'the target does not exist',
    given: async (h) => ({
      input: { ...plain, name: 'ask', targetAgentId: 'nobody', agentIds: [(await offered(h)).from] },
      data: { id: 'nobody' },
    }),
    says: /no agent 'nobody'/,
  },
  {
    mutation: 'createHandoffTool',
    error: 'ConflictError',
    when: 'an agent has a tool of this name, in any case',
    given: async (h) => {
      const { from, to, name } = await offered(h);
      return { input: { ...plain, name: name.toUpperCase(), targetAgentId: to, agentIds: [from] } };
    },
    says: /has a tool 'TOOL-\d+': choose another name/,
  },
  {
    mutation: 'createHandoffTool',
    error: 'ConflictError',
    when: 'the name is that of a generated tool',
    given: async (h) => {
      const { from, to } = await generatedTool(h);
      return { input: { ...plain, name: `transfer_to_${to}`, targetAgentId: to, agentIds: [from] } };
    },
    says: /has a generated tool 'transfer_to_to-\d+' for its collaborator: choose another name/,
  },
  {
    mutation: 'createHandoffTool',
    error: 'IdempotencyMismatchError',
    when: 'the key was used with another input',
    given: async (h) => {
      const { from, to } = await offered(h);
      const input = {
        ...plain,
        name: h.unique('ask'),
        targetAgentId: to,
        agentIds: [from],
        idempotencyKey: h.unique('key'),
      };
      await h.send('createHandoffTool', input);
      return { input: { ...input, description: 'Other words.' } };
    },
    says: /use a new key/,
  },
  {
    mutation: 'updateHandoffTool',
    error: 'BadUserInputError',
    when: 'the new target is archived',
    given: async (h) => {
      const [{ toolId }, { to }] = [await offered(h), await offered(h)];
      await h.run(archiveAgent, { id: to });
      return { input: { toolId: publicId(toolId), targetAgentId: to }, data: { path: ['input', 'targetAgentId'] } };
    },
    says: /name another target/,
  },
  {
    mutation: 'updateHandoffTool',
    error: 'ConflictError',
    when: 'another tool of an agent has the new name',
    given: async (h) => {
      const { from, to, name } = await offered(h);
      const { toolId } = await h.run(createHandoffTool, {
        ...plain,
        name: h.unique('ask'),
        targetAgentId: to,
        agentIds: [from],
        variables: [],
        instructions: null,
      });
      return { input: { toolId: publicId(toolId), name } };
    },
    says: /choose another name/,
  },
  ...(['updateHandoffTool', 'archiveHandoffTool'] as const).flatMap((mutation): Refusal[] => [
    {
      mutation,
      error: 'NotFoundError',
      when: 'there is no such tool',
      given: () => {
        const toolId = unknownId('tool');
        return { input: { toolId }, data: { id: toolId } };
      },
      says: /no handoff tool/,
    },
    {
      mutation,
      error: 'InvalidStateError',
      when: 'the tool is generated',
      given: async (h) => ({
        input: { toolId: publicId((await generatedTool(h)).toolId) },
        data: { state: 'GENERATED', allowed: [] },
      }),
      says: /is generated because 'from-\d+' may hand off to 'to-\d+': change the collaborators/,
    },
  ]),
  {
    mutation: 'updateHandoffTool',
    error: 'InvalidStateError',
    when: 'the tool is archived',
    given: async (h) => {
      const { toolId } = await offered(h);
      await h.run(archiveHandoffTool, { toolId });
      return { input: { toolId: publicId(toolId), description: 'Other words.' }, data: { state: 'ARCHIVED' } };
    },
    says: /create another one/,
  },
  {
    mutation: 'archiveHandoffTool',
    error: 'BadUserInputError',
    when: 'the id is that of a session',
    given: () => ({ input: { toolId: unknownId('session') }, data: { path: ['input', 'toolId'] } }),
    says: /give the id of a handoff tool/,
  },
];

testRefusals(home, ['createHandoffTool', 'updateHandoffTool', 'archiveHandoffTool'], cases);

it('an agent gets no more tools than the limit', async () => {
  const { from, to } = await offered(home);
  await home.db.pool.query(
    `WITH tools AS (INSERT INTO handoff_tools (id, name, target_agent_id, description, variables, created_at)
       SELECT gen_random_uuid(), 'bulk_' || i, $1, 'Hands off.', '[]', now() FROM generate_series(1, 199) i RETURNING id)
     INSERT INTO handoff_tool_offers (tool_id, agent_id) SELECT id, $2 FROM tools`,
    [to, from],
  );
  await expectRefusal(
    home,
    {
      mutation: 'createHandoffTool',
      error: 'ConflictError',
      says: /has 200 handoff tools, the most that an agent may have: archive one first/,
    },
    {
      input: { ...plain, name: 'ask', targetAgentId: to, agentIds: [from] },
    },
  );
});

describe('a tool', () => {
  const eventsOf = (id: string) => home.db.prisma.event.count({ where: { type: 'AGENT_CHANGED', agentId: id } });

  it('is created once for one idempotency key', async () => {
    const { from, to } = await offered(home);
    const input = {
      ...plain,
      name: home.unique('ask'),
      targetAgentId: to,
      agentIds: [from],
      idempotencyKey: home.unique('key'),
    };
    const [first, again] = [await home.send('createHandoffTool', input), await home.send('createHandoffTool', input)];
    expect(first.__typename).toBe('CreateHandoffToolPayload');
    expect(again).toEqual(first);
  });

  it('writes one event to each agent that gains or loses it', async () => {
    const { from, to, toolId } = await offered(home);
    const other = home.unique('other');
    await home.agent(other);
    expect([await eventsOf(from), await eventsOf(to), await eventsOf(other)]).toEqual([2, 1, 1]);
    await home.run(updateHandoffTool, { toolId, agentIds: [other] });
    expect([await eventsOf(from), await eventsOf(to), await eventsOf(other)]).toEqual([3, 1, 2]);
    await home.run(archiveHandoffTool, { toolId });
    await home.run(archiveHandoffTool, { toolId });
    expect([await eventsOf(from), await eventsOf(to), await eventsOf(other)]).toEqual([3, 1, 3]);
  });

  it('keeps the fields that an update does not name, and clears its instructions with null', async () => {
    const { toolId, name, to, from } = await offered(home, {
      instructions: 'Be brief.',
      variables: [{ name: 'city', type: 'STRING', required: true, description: null, enum: null, default: null }],
    });
    await home.run(updateHandoffTool, { toolId, description: 'Other words.', instructions: null });
    const row = await home.db.prisma.handoffTool.findUniqueOrThrow({
      where: { id: toolId },
      include: { offers: true },
    });
    expect(row).toMatchObject({
      name,
      description: 'Other words.',
      instructions: null,
      targetAgentId: to,
      variables: [{ name: 'city' }],
      offers: [{ agentId: from }],
    });
  });

  it('may be changed after an agent that it is offered to was archived', async () => {
    const { toolId, from } = await offered(home);
    await home.run(archiveAgent, { id: from });
    await expect(home.run(updateHandoffTool, { toolId, description: 'Other words.' })).resolves.toMatchObject({
      toolId,
    });
  });

  it('frees its name when it is archived', async () => {
    const { toolId, name, from, to } = await offered(home);
    await home.run(archiveHandoffTool, { toolId });
    await expect(
      home.run(createHandoffTool, {
        ...plain,
        name,
        targetAgentId: to,
        agentIds: [from],
        variables: [],
        instructions: null,
      }),
    ).resolves.toHaveProperty('toolId');
    await home.run(archiveHandoffTool, { toolId });
  });
});

it('of a tool and a collaboration with one name created at the same time, one succeeds', async () => {
  for (let round = 0; round < 10; round += 1) {
    const [from, to] = [home.unique('from'), home.unique('to')];
    await home.agent(to);
    await home.agent(from);
    const results = await Promise.allSettled([
      home.run(createHandoffTool, {
        ...plain,
        name: `transfer_to_${to}`,
        targetAgentId: to,
        agentIds: [from],
        variables: [],
        instructions: null,
      }),
      home.run(updateAgent, { id: from, collaborators: [to] }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  }
});
