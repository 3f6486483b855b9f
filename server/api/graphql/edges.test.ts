import {
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { agentCaller, toolCall, world } from '../../../test/world.ts';
import { encodeId, newId } from '../../core/ids.ts';
import { updateAgent } from '../../work/agents/updateAgent.ts';
import { recordDecision } from '../../work/log/addToLog.ts';
import { createHandoffTool } from '../../work/tools/changeTool.ts';
import { schema } from './schema.ts';

// Every whole number, decimal and moment that the contract takes is sent at its edges. The places are read from the schema: a new one is sent too.

const db = await testDatabase();
const { url } = await startApp(db);
const { post } = client(url);
const { agent, session, reassign, initiate, turn, run } = world(db.pool);

await agent('ada', { maxCapacity: 100_000 });
await agent('bob', { maxCapacity: 100_000 });
await agent('cid');
await run(updateAgent, { id: 'ada', collaborators: ['bob'] });
const told = await session('ada', { contextVariables: { a: 1 } });
await turn(told, { toolCalls: [toolCall('c1', 'Read')] });
await run(recordDecision, { sessionId: told, text: 'So be it' });
const { handoffId } = await reassign(told, { agentId: 'bob', reason: 'because' });

const tool = { targetAgentId: 'bob', agentIds: ['ada'], description: 'Hands off.' };
const { toolId } = await run(createHandoffTool, { ...tool, name: 'ask', variables: [], instructions: null });

const most = 2 ** 31 - 1;
const edges: Record<string, readonly unknown[]> = {
  Int: [-most - 1, -1, 0, 1, 100, 1_066_000_000, most],
  Float: [-Number.MAX_VALUE, -1, 0, Number.MIN_VALUE, 0.5, 2 ** 53, Number.MAX_VALUE],
  DateTime: [
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00Z',
    '0001-01-01T00:00:00+14:00',
    '1970-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59-14:00',
    '+010000-01-01T00:00:00Z',
  ],
};

/** An argument that has an edge, as the way to it: ["where", "staleForMinutes"]. */
interface Place {
  path: string[];
  type: string;
}

function placesIn(name: string, type: GraphQLInputType, seen: readonly string[] = []): Place[] {
  const named = getNamedType(type);
  if (named.name in edges) return [{ path: [name], type: named.name }];
  if (!isInputObjectType(named) || seen.includes(named.name)) return [];
  return Object.values(named.getFields()).flatMap((field) =>
    placesIn(field.name, field.type, [...seen, named.name]).map((place) => ({ ...place, path: [name, ...place.path] })),
  );
}

/** What is asked of an answer: its leaves, and those of the objects in it, within what an operation may cost. */
function leavesOf(type: GraphQLNamedType, depth = 1): string {
  if (isLeafType(type)) return '';
  if (isUnionType(type))
    return `{ __typename ${type
      .getTypes()
      .map((one) => `... on ${one.name} ${leavesOf(one, depth)}`)
      .join(' ')} }`;
  if (isInterfaceType(type)) return '{ __typename }';
  if (!isObjectType(type)) throw new Error(`${type.name} cannot be answered`);
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type);
    if (isLeafType(inner)) return field.args.some(isRequiredArgument) ? [] : [field.name];
    if (
      depth === 0 ||
      !isObjectType(inner) ||
      /^(edges|chain)$/.test(field.name) ||
      inner.name.endsWith('Connection') ||
      field.args.some(isRequiredArgument)
    )
      return [];
    return [`${field.name} ${leavesOf(inner, depth - 1)}`];
  });
  return `{ __typename ${fields.join(' ')} }`;
}

const idOf = { session: encodeId('session', told), handoff: encodeId('handoff', handoffId!), agent: 'ada' } as const;
const required: Record<string, unknown> = {
  sessionId: idOf.session,
  handoffId: idOf.handoff,
  agentId: 'ada',
  itemId: 'summary',
  ids: [idOf.session],
  'session.id': idOf.session,
  'handoff.id': idOf.handoff,
  'agent.id': 'ada',
  'node.id': 'ada',
  'pipeline.slug': 'flow',
  'search.query': 'work',
  'handoffStats.groupBy': ['AGENT'],
  webhookId: encodeId('webhook', newId()),
};

function sampleOf(field: string, { name }: GraphQLArgument): unknown {
  const sample = required[`${field}.${name}`] ?? required[name];
  if (sample === undefined) throw new Error(`${field}(${name}:) is required: give a sample of it here`);
  return sample;
}

let count = 0;
const freshSession = async () => ({ sessionId: encodeId('session', await session('ada')) });
/** What each mutation that has edges is given besides, so that nothing else is refused. */
const inputs: Record<string, () => Promise<object> | object> = {
  registerAgent: () => ({ id: `new-${(count += 1)}`, type: 'CLAUDE' }),
  // Its capacity becomes an edge: ada and bob hold the Sessions.
  updateAgent: () => ({ id: 'cid' }),
  createSession: () => ({ title: 'Work' }),
  pauseSession: freshSession,
  resumeSession: freshSession,
  completeSession: freshSession,
  failSession: async () => ({ ...(await freshSession()), reason: 'because' }),
  cancelSession: freshSession,
  updateSession: freshSession,
  reassignSession: async () => ({ ...(await freshSession()), agentId: 'bob' }),
  // Always the same Session, so that what is counted adds up.
  appendTurn: () => ({ sessionId: idOf.session, messages: [{ role: 'USER', content: 'Well?' }] }),
  recordToolResults: async () => {
    const id = await session('ada');
    await turn(id, { messages: [], toolCalls: [toolCall('c1', 'Read', { result: null })] });
    return { sessionId: encodeId('session', id), results: [{ callId: 'c1', result: 'ok' }] };
  },
  approveHandoff: async () => {
    const id = await session('ada', { handoffApproval: 'REQUIRED' });
    const { handoffId: proposed } = await initiate(id, 'bob', {}, { caller: agentCaller('ada') });
    return { handoffId: encodeId('handoff', proposed) };
  },
  createKey: () => ({ role: 'ANALYST', name: 'ci' }),
  createHandoffTool: () => ({ ...tool, name: `tool-${(count += 1)}` }),
  definePipeline: () => ({
    slug: `flow-${(count += 1)}`,
    name: 'Flow',
    stages: [{ name: 'work' }],
    transitions: [{ from: 'work', outcome: 'DONE' }],
    start: 'work',
  }),
  updateHandoffTool: () => ({ toolId: encodeId('tool', toolId) }),
};

function put(target: Record<string, unknown>, [name, ...rest]: readonly string[], value: unknown): void {
  if (name === undefined) return;
  const there = target[name];
  if (Array.isArray(there)) put(there[0] as Record<string, unknown>, rest, value);
  else if (rest.length === 0) target[name] = value;
  else put((target[name] = { ...(target[name] as object | undefined) }), rest, value);
}

interface Operation {
  name: string;
  places: Place[];
  source: string;
  variables(): Promise<Record<string, unknown>> | Record<string, unknown>;
}

/** Of arguments that may be left out, but not all of them. */
const needed: Record<string, Record<string, unknown>> = {
  suggestTargets: { text: 'Water the garden' },
  simulateHandoff: { targetAgentId: 'bob', asOperator: true },
};

const typeOf = ({ type }: GraphQLArgument): string => String(isNonNullType(type) ? type.ofType : type);

function fieldOf(
  field: GraphQLField<unknown, unknown>,
  wrap: (asked: string) => string,
  kind: 'query' | 'mutation',
  label: string,
): Operation | null {
  const places = field.args.flatMap(({ name, type }) => placesIn(name, type));
  if (places.length === 0) return null;
  const also = needed[field.name] ?? {};
  const used = field.args.filter(
    (arg) =>
      isRequiredArgument(arg) || Object.hasOwn(also, arg.name) || places.some(({ path }) => path[0] === arg.name),
  );
  const variables = used.map((arg) => `$${arg.name}: ${typeOf(arg)}${isRequiredArgument(arg) ? '!' : ''}`).join(', ');
  const asked = `${field.name}(${used.map(({ name }) => `${name}: $${name}`).join(', ')}) ${leavesOf(getNamedType(field.type))}`;
  return {
    name: label,
    places,
    source: `${kind} (${variables}) { ${wrap(asked)} }`,
    variables: async () => {
      if (kind === 'query')
        return {
          ...Object.fromEntries(used.filter(isRequiredArgument).map((arg) => [arg.name, sampleOf(field.name, arg)])),
          ...also,
        };
      const given = inputs[field.name];
      if (given === undefined)
        throw new Error(`${field.name} takes a number or a moment: say here what else it is given`);
      return { input: await given() };
    },
  };
}

async function idsOf(type: GraphQLObjectType): Promise<string> {
  const { data } = await post<{
    session: Record<string, { nodes?: { id: string }[]; id?: string } & { id: string }[]>;
  }>(
    `{ session(id: "${idOf.session}") { id agent { id } lastHandoff { id snapshot { id } } agentSessions { nodes { id } } turns { nodes { id toolCalls { id } } } messages { nodes { id } } } }`,
  );
  const found =
    JSON.stringify(data)
      .match(/"id":"[^"]+"/g)
      ?.map((id) => id.slice(6, -1)) ?? [];
  const prefix = { Agent: '', ToolCall: 'toolcall', ContextSnapshot: 'snapshot' }[type.name] ?? type.name.toLowerCase();
  const id = prefix === '' ? 'ada' : found.find((one) => one.startsWith(`${prefix}_`));
  if (id === undefined) throw new Error(`The session has no ${type.name}: put one into it`);
  return id;
}

const operations: Operation[] = [];
for (const [type, kind] of [
  [schema.getQueryType(), 'query'],
  [schema.getMutationType(), 'mutation'],
] as const) {
  for (const field of Object.values(type?.getFields() ?? {})) {
    const operation = fieldOf(field, (asked) => asked, kind, field.name);
    if (operation !== null) operations.push(operation);
  }
}
const nodes = schema.getPossibleTypes(schema.getType('Node') as never);
for (const type of Object.values(schema.getTypeMap())) {
  if (
    !isObjectType(type) ||
    [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].includes(type)
  )
    continue;
  const withEdges = Object.values(type.getFields()).filter((field) =>
    field.args.some(({ name, type: given }) => placesIn(name, given).length > 0),
  );
  if (withEdges.length > 0 && !nodes.includes(type))
    throw new Error(`${type.name} is no Node: say here how to reach it`);
  for (const field of withEdges) {
    const id = await idsOf(type);
    operations.push(
      fieldOf(
        field,
        (asked) => `node(id: "${id}") { ... on ${type.name} { ${asked} } }`,
        'query',
        `${type.name}.${field.name}`,
      )!,
    );
  }
}

const internal = (errors: { extensions: { code: string } }[] | undefined): boolean =>
  errors?.some(({ extensions }) => extensions.code === 'INTERNAL_SERVER_ERROR') === true;

describe.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s',
  (_name, { places, source, variables }) => {
    it('succeeds without values at an edge', async () => {
      const { errors } = await post(source, await variables());
      expect(errors).toBeUndefined();
    });

    it.each(places.map((place) => [place.path.join('.'), place] as const))(
      'accepts or rejects every edge of %s without an internal error',
      async (_path, { path, type }) => {
        for (const value of edges[type]!) {
          const given = await variables();
          put(given, path, value);
          const { errors } = await post(source, given);
          expect([value, errors?.[0]?.message, internal(errors)]).toEqual([value, errors?.[0]?.message, false]);
        }
      },
    );

    it('accepts or rejects all edges together without an internal error', async () => {
      for (let at = 0; at < 7; at += 1) {
        const given = await variables();
        for (const { path, type } of places) put(given, path, edges[type]![at]);
        const { errors } = await post(source, given);
        expect([at, internal(errors), errors?.[0]?.message]).toEqual([at, false, errors?.[0]?.message]);
      }
    });
  },
);

it('the tested places include the known numbers and times', () => {
  const all = operations.flatMap(({ name, places }) => places.map(({ path }) => `${name} ${path.join('.')}`));
  expect(all).toEqual(
    expect.arrayContaining([
      'handoffs where.staleForMinutes',
      'appendTurn input.usage.inputTokens',
      'createKey input.expiresAt',
      'Session.turns first',
      'contextPreview maxTokens',
    ]),
  );
});

it('records with values at an edge can be read', async () => {
  for (const [list, model] of Object.entries({ sessions: 'Session', agents: 'Agent', handoffs: 'Handoff' })) {
    const { data, errors } = await post<Record<string, { totalCount: number }>>(
      `{ ${list}(first: 10) { totalCount nodes ${leavesOf(schema.getType(model)!)} } }`,
    );
    expect([list, errors]).toEqual([list, undefined]);
    expect(data[list]?.totalCount).toBeGreaterThan(0);
  }
  const { data, errors } = await post<{ session: { usage: object } }>(
    `{ session(id: "${idOf.session}") { usage ${leavesOf(schema.getType('Usage')!)} } keys { nodes ${leavesOf(schema.getType('Key')!)} } }`,
  );
  expect(errors).toBeUndefined();
  expect(data.session.usage).toMatchObject({ inputTokens: expect.any(Number) as number });
});
