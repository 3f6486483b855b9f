import { describe, expect, it } from 'vitest';
import { client } from '../../../test/graphql.ts';
import { connect } from '../../../test/mcp.ts';
import { house } from '../../../test/refusals.ts';
import { startApp } from '../../../test/server.ts';
import { encodeId } from '../../core/ids.ts';
import { updateAgent } from '../agents/updateAgent.ts';

const home = await house();
const { url } = await startApp(home.db);
const { post } = client(url);

interface Defined {
  code?: string;
  message?: string;
  path?: string[];
  pipeline?: { version: number };
  warnings?: { path: string[]; message: string }[];
}
const document = `mutation ($input: DefinePipelineInput!) { answer: definePipeline(input: $input) { ... on DefinePipelinePayload { pipeline { version } warnings { path message } } ... on Error { code message } ... on BadUserInputError { path } } }`;
const define = async (slug: string, stage: object): Promise<Defined> =>
  (
    await post<{ answer: Defined }>(document, {
      input: {
        slug,
        name: slug,
        start: 'a',
        stages: [{ name: 'a', ...stage }],
        transitions: [{ from: 'a', outcome: 'DONE' }],
      },
    })
  ).data.answer;

describe('definePipeline', () => {
  it('refuses an agent to escalate to that does not exist or is archived, and defines nothing', async () => {
    const slug = home.unique('p');
    const archived = await home.archivedAgent();
    const path = ['input', 'stages', '0', 'escalateTo', 'agentId'];
    for (const [agentId, says] of [
      ['nobody-here', /'nobody-here', which does not exist: register it first/],
      [archived, /is archived: name another agent/],
    ] as const) {
      const answer = await define(slug, { escalateTo: { agentId } });
      expect(answer).toMatchObject({ code: 'BAD_USER_INPUT', path });
      expect(answer.message).toMatch(says);
    }
    expect(await home.db.prisma.pipeline.count({ where: { slug } })).toBe(0);
    const there = home.unique('there');
    await home.agent(there);
    expect(await define(slug, { escalateTo: { agentId: there } })).toMatchObject({ pipeline: { version: 1 } });
  });

  it('warns of roles and types that no agent has, by their names, also when the definition is there already', async () => {
    const [slug, id, type] = [home.unique('p'), home.unique('one'), home.uniqueType()];
    await home.agent(id, { role: `role ${slug}`, type });
    const stage = { role: `missing ${slug}`, agentType: type, escalateTo: { role: `above ${slug}` } };
    const warnings = [
      {
        path: ['input', 'stages', '0', 'role'],
        message: expect.stringContaining(`role 'missing ${slug}' and type ${type}`) as string,
      },
      {
        path: ['input', 'stages', '0', 'escalateTo', 'role'],
        message: expect.stringContaining(`role 'above ${slug}'`) as string,
      },
    ];
    expect(await define(slug, stage)).toEqual({ pipeline: { version: 1 }, warnings });
    expect(await define(slug, stage)).toEqual({ pipeline: { version: 1 }, warnings });
    const both = { role: `role ${slug}`, agentType: type };
    expect(await define(slug, both)).toEqual({ pipeline: { version: 2 }, warnings: [] });
    // A role and a type that no agent has both of.
    await home.agent(home.unique('other'), { role: `other ${slug}` });
    expect((await define(slug, { role: `other ${slug}`, agentType: type })).warnings).toHaveLength(1);
  });
});

describe('a payload that is the JSON of an object, as a text', () => {
  const advance = (sessionId: string, payload: unknown) =>
    home.send('advancePipeline', { sessionId: encodeId('session', sessionId), outcome: 'DONE', payload });
  const started = async (payloadSchema: object | null) => {
    const [slug, agentId] = [home.unique('p'), home.unique('one')];
    await home.agent(agentId, { role: `role ${slug}` });
    await home.pipeline(slug, ['a DONE end'], { a: { role: `role ${slug}`, payloadSchema } });
    return { agentId, id: await home.session(null, { pipeline: slug }) };
  };
  const resultOf = async (id: string) => (await home.db.prisma.session.findUniqueOrThrow({ where: { id } })).result;
  const object = { type: 'object', properties: { plan: { type: 'string' } }, required: ['plan'] };

  it.each<[string, object | null, unknown, unknown]>([
    ['is parsed where the schema asks for an object', object, '{"plan": "a"}', { plan: 'a' }],
    ['is parsed where there is no schema', null, ' {"plan": "a"}', { plan: 'a' }],
    ['is a text where the schema asks for a text', { type: 'string' }, '{"plan": "a"}', '{"plan": "a"}'],
    ['may have free fields where there is no schema', null, { plan: 'a' }, { plan: 'a' }],
    ['stays a text when it is none', null, '{"plan', '{"plan'],
  ])('%s', async (_name, schema, payload, result) => {
    const { id } = await started(schema);
    expect(await advance(id, payload)).toMatchObject({ __typename: 'AdvancePipelinePayload' });
    expect(await resultOf(id)).toEqual(result);
  });

  it('is refused with the way out when it is no JSON and the schema asks for an object', async () => {
    const { id } = await started(object);
    const refused = await advance(id, 'the plan');
    expect(refused).toMatchObject({ code: 'INVALID_PAYLOAD', schema: object });
    expect(refused.message).toMatch(/is a text: give JSON that matches the schema/);
  });

  it('is parsed by MCP too, in and outside of pipelines, and in the variables of handoff tools', async () => {
    const { id, agentId } = await started(object);
    const model = await connect(url, `/${agentId}`);
    const done = await model.call('baton_handoff', { outcome: 'DONE', reason: 'done', payload: '{"plan": "a"}' });
    expect(done.isError).toBe(false);
    expect(await resultOf(id)).toEqual({ plan: 'a' });
    const plain = await home.session(agentId);
    await model.call('baton_handoff', { outcome: 'COMPLETED', reason: 'done', payload: '{"plan": "b"}' });
    expect(await resultOf(plain)).toEqual({ plan: 'b' });
    const target = home.unique('target');
    await home.agent(target);
    await home.run(updateAgent, { id: agentId, collaborators: [target] });
    const moved = await home.session(agentId);
    const call = await model.call('baton_handoff', { target, reason: 'go', variables: '{"branch": "main"}' });
    expect(call.texts.join(' ')).toContain(target);
    const { contextVariables } = await home.db.prisma.session.findUniqueOrThrow({ where: { id: moved } });
    expect(contextVariables).toMatchObject({ branch: { value: 'main' } });
  });

  it('shows a model the schema when its payload is refused', async () => {
    const { agentId } = await started(object);
    const model = await connect(url, `/${agentId}`);
    const refused = await model.call('baton_handoff', { outcome: 'DONE', reason: 'done', payload: {} });
    expect(refused.isError).toBe(true);
    expect(refused.texts.join(' ')).toMatch(/It has to match: \{.*"plan":\{"type":"string"\}/);
    expect(refused.data).toMatchObject({ code: 'INVALID_PAYLOAD', schema: object });
  });
});
