import {
  execute,
  getNamedType,
  getNullableType,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  parse,
} from 'graphql';
import { beforeAll, expect, it } from 'vitest';
import { everything, ofItself } from '../../../test/crawl.ts';
import { testDatabase } from '../../../test/database.ts';
import { webhookKey } from '../../../test/keyring.ts';
import { agentCaller, operator, toolCall, world } from '../../../test/world.ts';
import { ForbiddenError } from '../../core/errors.ts';
import { encodeId, type IdPrefix } from '../../core/ids.ts';
import type { Caller } from '../../core/work.ts';
import { silentLog } from '../../infra/log.ts';
import { updateAgent } from '../../work/agents/updateAgent.ts';
import { asCarry } from '../../work/context/carry.ts';
import { approveHandoff } from '../../work/approvals/approveHandoff.ts';
import { askPerson } from '../../work/approvals/askPerson.ts';
import { declineHandoff } from '../../work/approvals/declineHandoff.ts';
import { acceptHandoff } from '../../work/handoffs/changeHandoff.ts';
import { createKey } from '../../work/keys/createKey.ts';
import { captureSnapshot, recordDecision, recordWorkingTree, setTasks } from '../../work/log/addToLog.ts';
import { createHandoffTool } from '../../work/tools/changeTool.ts';
import { createWebhook } from '../../work/webhooks/changeWebhook.ts';
import { contexts } from '../graphql/context.ts';
import { nodePrefixes } from '../graphql/nodeIds.ts';
import { schema } from '../graphql/schema.ts';

/**
 * Asks each root field of the schema for everything below it, with each id and filter that it takes, in a database where other
 * agents' records fill every type. A new field is asked too, and a new type has to be filled.
 */

const { prisma, pool } = await testDatabase();
const { agent, session, pipeline, advance, initiate, turn, run } = world(pool);
const contextFor = contexts({ prisma, pool, env: { staleAfterMinutes: 30, handoffsEnabled: true }, log: silentLog });
const admin: Caller = { ...operator, principal: 'admin', role: 'ADMIN' };

const nothing = asCarry({
  messages: 'NONE',
  toolCalls: 'NONE',
  files: false,
  tasks: false,
  decisions: false,
  variables: [],
});
/** Agents and pipelines are for everybody. */
const open = ['agent', 'pipeline'];
/** Root fields that show them, or the caller itself. */
const openFields = ['agent', 'agents', 'pipeline', 'pipelines', 'rateLimit', 'viewer'];

/** Ids of all records that nora may not read, and of those that cid may not. */
let foreign: string[] = [];
let hidden: string[] = [];
/** One of each kind, for arguments. */
let given: string[] = [];

async function work(sessionId: string, mark: string): Promise<void> {
  await turn(sessionId, {
    messages: [
      { role: 'USER', content: `${mark} question` },
      { role: 'ASSISTANT', content: `${mark} answer ${'and more '.repeat(400)}` },
    ],
    toolCalls: [
      toolCall('c0', 'Bash', { arguments: { command: 'npm test' }, error: `${mark}: 1 failed` }),
      toolCall('c1', `${mark}-tool`, { arguments: { path: mark }, filesModified: [`${mark}.ts`] }),
    ],
  });
  await run(recordDecision, { sessionId, text: `${mark} decision` });
  await run(setTasks, { sessionId, tasks: [{ content: `${mark} task`, status: 'PENDING' }] });
  await run(recordWorkingTree, { sessionId, branch: mark, commit: null, status: ` M ${mark}.ts`, diffstat: mark });
  await run(captureSnapshot, { sessionId });
}

beforeAll(async () => {
  for (const id of ['bob', 'eve', 'cid', 'nora']) await agent(id, { maxCapacity: 100 });
  await run(updateAgent, { id: 'bob', collaborators: ['eve', 'cid'] });
  await run(updateAgent, { id: 'eve', collaborations: [{ agentId: 'cid', when: null, carry: nothing }] });
  // Two Sessions: one in a pipeline, with a result, and one that waits in the queue.
  await pipeline(
    'steps',
    ['write DONE review', 'review DONE end', 'review AGAIN write'],
    {
      write: { role: null },
      review: { role: null, escalateTo: { agentId: 'eve', role: null, operators: false }, acceptWithinMinutes: 5 },
    },
    { 'review AGAIN write': { when: { variable: 'round', op: 'LT', value: 3 } } },
  );
  const foreignSession = await session('bob', {
    title: 'FOREIGN work',
    externalId: 'FOREIGN-1',
    metadata: { note: 'FOREIGN' },
    contextVariables: { secret: 'HIDDEN FOREIGN' },
    workspace: { host: 'FOREIGN', folder: '/FOREIGN', repository: null, branch: 'FOREIGN', commit: null },
  });
  await work(foreignSession, 'HIDDEN FOREIGN');
  const first = await initiate(foreignSession, 'eve', { reason: 'HIDDEN FOREIGN', summary: 'HIDDEN FOREIGN' });
  await run(acceptHandoff, { handoffId: first.handoffId });
  await work(foreignSession, 'HIDDEN FOREIGN');
  const staged = await session('bob', { title: 'FOREIGN stages', pipeline: 'steps' });
  await work(staged, 'FOREIGN');
  await advance(staged, 'DONE', { reason: 'FOREIGN' });
  await session(null, { title: 'FOREIGN queued', agentType: 'GEMINI', queue: true });
  // What waits for a person, and what was decided.
  const proposed = async (title: string): Promise<string> => {
    const id = await session('bob', { title, handoffApproval: 'REQUIRED' });
    return (await initiate(id, 'eve', { reason: 'FOREIGN' }, { caller: agentCaller('bob') })).handoffId;
  };
  await proposed('FOREIGN waits');
  const edits = { reason: 'FOREIGN edited', instructions: 'FOREIGN', contextVariables: { edited: 'FOREIGN' } };
  const approved = { handoffId: await proposed('FOREIGN approved'), expectedContentHash: null, edits, note: 'FOREIGN' };
  await run(approveHandoff, approved);
  await run(declineHandoff, { handoffId: await proposed('FOREIGN declined'), reason: 'FOREIGN' });
  const asking = await session('bob', { title: 'FOREIGN asks' });
  await run(askPerson, { sessionId: asking, question: 'FOREIGN?', options: ['FOREIGN'] });
  await run(createHandoffTool, {
    name: 'FOREIGN_tool',
    targetAgentId: 'eve',
    agentIds: ['bob'],
    description: 'FOREIGN',
    variables: [{ name: 'city', type: 'STRING', required: false, description: 'FOREIGN', enum: null, default: null }],
    instructions: null,
  });
  await run(createKey, { role: 'AGENT', agentId: 'bob', name: 'FOREIGN', expiresAt: null });
  const { webhookId } = await run(
    (given, input: Parameters<typeof createWebhook>[1]) => createWebhook(given, input, { webhookKey }),
    { url: 'https://example.com/FOREIGN', description: 'FOREIGN', types: [] },
  );
  const definition = {
    path: 'FOREIGN.md',
    contentHash: 'FOREIGN',
    importedAt: '2026-01-01T00:00:00.000Z',
    tools: ['FOREIGN'],
    mcpServers: [{ name: 'FOREIGN', command: 'FOREIGN', args: ['FOREIGN'], env: ['FOREIGN'], url: null }],
  };
  await pool.query(`UPDATE agents SET definition = $1 WHERE id = 'bob'`, [definition]);
  await pool.query(`UPDATE sessions SET choice = $2 WHERE id = $1`, [
    asking,
    { agentId: 'bob', confidence: 0.5, explanation: 'FOREIGN' },
  ]);
  await pool.query(
    `UPDATE agent_sessions SET runner_id = 'FOREIGN', claim_ends_at = now() + interval '1 hour' WHERE session_id = $1`,
    [asking],
  );
  await pool.query(
    `INSERT INTO deliveries (id, webhook_id, event_id, position, lane, status, attempts, created_at)
     SELECT gen_random_uuid(), $1, id, 1, 'x', 'DELIVERED', 1, now() FROM events LIMIT 1`,
    [webhookId],
  );
  const hiddenRows = await recorded(foreignSession, [
    'turns',
    'messages',
    'tool_calls',
    'decisions',
    'tasks',
    'handoffs',
  ]);
  await initiate(foreignSession, 'cid', { reason: 'GIVEN' }, { caller: agentCaller('eve') });
  hidden = hiddenRows;
  foreign = [];
  for (const [table, prefix] of Object.entries(tables))
    foreign.push(...(await idsOf(`SELECT id FROM ${table} ORDER BY id DESC`, prefix)));
  given = [
    ...new Map(foreign.map((id) => [id.split('_')[0], id])).values(),
    encodeId('session', foreignSession),
    first_(first.handoffId),
  ];
});

const first_ = (handoffId: string): string => encodeId('handoff', handoffId);
const tables: Record<string, IdPrefix> = {
  sessions: 'session',
  agent_sessions: 'agentsession',
  handoffs: 'handoff',
  turns: 'turn',
  messages: 'message',
  tool_calls: 'toolcall',
  decisions: 'decision',
  tasks: 'task',
  context_snapshots: 'snapshot',
  events: 'event',
  handoff_tools: 'tool',
  keys: 'key',
  webhooks: 'webhook',
  deliveries: 'delivery',
};
const idsOf = async (sql: string, prefix: IdPrefix, values: unknown[] = []): Promise<string[]> =>
  (await pool.query<{ id: string }>(sql, values)).rows.map(({ id }) => encodeId(prefix, id));
const recorded = async (sessionId: string, names: readonly string[]): Promise<string[]> =>
  (
    await Promise.all(
      names.map((name) => idsOf(`SELECT id FROM ${name} WHERE session_id = $1`, tables[name]!, [sessionId])),
    )
  ).flat();

type Input = GraphQLArgument | GraphQLInputField;

/** Values that an input may have. */
function valuesOf({ name, type }: Input): unknown[] {
  const nullable = getNullableType(type);
  const named = getNamedType(type);
  const wrap = (value: unknown): unknown => (isListType(nullable) ? [value] : value);
  if (/agent/i.test(name)) return ['bob', 'cid'].map(wrap);
  if (named.name === 'ID' && name !== 'itemId') return given.map(wrap);
  if (isEnumType(named)) return named.getValues().map(({ name: one }) => wrap(one));
  if (isInputObjectType(named))
    return Object.values(named.getFields()).flatMap((field) =>
      valuesOf(field).map((value) => ({ [field.name]: value })),
    );
  const ofName: Record<string, unknown[]> = {
    externalId: ['FOREIGN-1'],
    slug: ['steps'],
    query: ['FOREIGN', 'work', ...given],
    project: ['FOREIGN'],
    response: ['eve', 'nobody'].map((target) => [
      { type: 'tool_use', id: 'c', name: `transfer_to_${target}`, input: {} },
    ]),
    maxCharacters: [800],
    titleContains: ['FOREIGN'],
    reasonContains: ['FOREIGN'],
    itemId: ['request-1', 'summary-1', 'reason-1', 'message-1', 'instructions-1', 'variable-1'],
  };
  return (ofName[name] ?? []).map(wrap);
}

interface Asked {
  field: string;
  variables: Record<string, unknown>;
}

/** What a root field is asked with: each combination of what it needs, alone and with each value of one more argument. */
function* askedOf(field: { name: string; args: readonly GraphQLArgument[] }): Generator<Asked> {
  const needed = field.args.filter(isRequiredArgument);
  let sets: Record<string, unknown>[] = [{}];
  for (const arg of needed) {
    const values = valuesOf(arg);
    if (values.length === 0) throw new Error(`Give values of ${field.name}(${arg.name})`);
    sets = sets.flatMap((set) => values.map((value) => ({ ...set, [arg.name]: value })));
  }
  const others = field.args.filter(
    (arg) => !isRequiredArgument(arg) && !['orderBy', 'metadata', 'payload'].includes(arg.name),
  );
  for (const set of sets) {
    yield { field: field.name, variables: set };
    if (sets.length > 20) continue;
    for (const arg of others)
      for (const value of valuesOf(arg)) yield { field: field.name, variables: { ...set, [arg.name]: value } };
  }
}

/** Everything below a type; of an abstract one, of each of its types. */
const below = (type: GraphQLNamedType): string =>
  isAbstractType(type)
    ? `{ __typename ${schema
        .getPossibleTypes(type)
        .map((one) => `... on ${one.name} { ${everything(one, 2)} }`)
        .join(' ')} }`
    : isObjectType(type)
      ? `{ ${selected(type)} }`
      : '';

/** `everything`, and the abstract fields of a connection of them. */
const selected = (type: GraphQLObjectType): string =>
  [
    everything(type, 3),
    ...Object.values(type.getFields()).flatMap(({ name, type: of }) =>
      isAbstractType(getNamedType(of)) ? [`${name} ${below(getNamedType(of))}`] : [],
    ),
  ].join(' ');

const roots = Object.values(schema.getQueryType()!.getFields());

interface Answer extends Asked {
  value: unknown;
  text: string;
  codes: string[];
}

/** The requests of `askEverything`: each root field, and of each Agent what it may read of itself only. */
function* requests(): Generator<Asked & { source: string }> {
  for (const field of roots) {
    const types = new Map(field.args.map(({ name, type }): [string, GraphQLInputType] => [name, type]));
    for (const asked of askedOf(field)) {
      const names = Object.keys(asked.variables);
      const [declared, args] = [
        names.map((name) => `$${name}: ${String(types.get(name))}`).join(', '),
        names.map((name) => `${name}: $${name}`).join(', '),
      ];
      const source = `query ${declared === '' ? '' : `(${declared})`} { answer: ${field.name}${args === '' ? '' : `(${args})`} ${below(getNamedType(field.type))} }`;
      yield { ...asked, source };
    }
  }
  const { agent } = schema.getQueryType()!.getFields();
  const fields = (getNamedType(agent!.type) as GraphQLObjectType).getFields();
  for (const name of ofItself)
    for (const id of ['bob', 'eve', 'cid'])
      yield {
        field: `agent.${name}`,
        variables: { id },
        source: `query ($id: ID!) { answer: agent(id: $id) { ${name}${fields[name]!.args.some(isRequiredArgument) ? '(format: MCP)' : ''} ${below(getNamedType(fields[name]!.type))} } }`,
      };
}

async function askEverything(caller: Caller): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const { source, ...asked } of requests()) {
    // Without validation: fields of one name have other types in other objects.
    const { data, errors = [] } = await execute({
      schema,
      document: parse(source),
      variableValues: asked.variables,
      contextValue: contextFor(caller),
    });
    const value = (data as { answer?: unknown } | null | undefined)?.answer ?? null;
    answers.push({
      ...asked,
      value,
      text: JSON.stringify([value, errors.map(({ message }) => message)]),
      codes: errors.map(({ originalError, extensions, message }) =>
        originalError instanceof ForbiddenError ? 'FORBIDDEN' : ((extensions['code'] as string | undefined) ?? message),
      ),
    });
  }
  return answers;
}

/** Without what is for everybody. */
const isEmpty = (value: unknown): boolean => {
  if (value === null || value === undefined || value === 0 || value === false || value === '') return true;
  if (Array.isArray(value)) return value.every(isEmpty);
  if (typeof value !== 'object') return false;
  const { __typename: name, ...fields } = value as Record<string, unknown>;
  return name === 'Agent' || name === 'Pipeline' || Object.values(fields).every(isEmpty);
};

const idsIn = (answers: readonly Answer[]): Set<string> =>
  new Set(answers.flatMap(({ value }) => JSON.stringify(value).match(/[a-z]+_[0-7][0-9a-z]{25}/g) ?? []));
const typesIn = (answers: readonly Answer[]): Set<string> =>
  new Set(answers.flatMap(({ text }) => [...text.matchAll(/"__typename":"(\w+)"/g)].map(([, name]) => name!)));

const refusals = ['FORBIDDEN', 'NOT_FOUND', 'BAD_USER_INPUT'];
/** What was asked where anything but a refusal was an error. */
const unexpected = (answers: readonly Answer[]): unknown[] =>
  answers
    .filter(({ codes }) => codes.some((code) => !refusals.includes(code)))
    .map(({ field, variables, codes }) => [field, variables, codes]);

const known = new Map<string, Promise<Answer[]>>();
const answersFor = (caller: Caller): Promise<Answer[]> => {
  const name = caller.agentId ?? caller.role!;
  if (!known.has(name)) known.set(name, askEverything(caller));
  return known.get(name)!;
};

it('people reach a record of every type', async () => {
  const answers = await answersFor(admin);
  const ids = idsIn(answers);
  const reached = new Set([...ids].map((id) => id.split('_')[0]));
  expect(Object.values(nodePrefixes).filter((prefix) => !open.includes(prefix) && !reached.has(prefix))).toEqual([]);
  expect(foreign.filter((id) => !ids.has(id) && !id.startsWith('event_'))).toEqual([]);
  // Every type that a query gives; types of mutations and of live streams are theirs. Without limits of rate these give nothing.
  const types = typesIn(answers);
  expect([...typesOfQueries()].filter((name) => !types.has(name) && !name.startsWith('Rate')).sort()).toEqual([]);
  expect(unexpected(answers)).toEqual([]);
}, 300_000);

it('an agent that may read nothing gets no record, text or number of others, whatever it asks', async () => {
  const answers = await answersFor(agentCaller('nora'));
  const ids = idsIn(answers);
  expect(foreign.filter((id) => ids.has(id))).toEqual([]);
  expect(
    answers
      .filter(({ text }) => text.includes('FOREIGN'))
      .map(({ field, variables, text }) => [field, variables, around(text, 'FOREIGN')]),
  ).toEqual([]);
  const shown = answers.filter(({ field, value }) => !openFields.includes(field) && !isEmpty(value));
  expect(shown.map(({ field, variables, value }) => [field, variables, JSON.stringify(value).slice(0, 300)])).toEqual(
    [],
  );
  expect(unexpected(answers)).toEqual([]);
}, 300_000);

it('an agent that got a Session with a Carry of nothing reads the Session, and nothing that was recorded before', async () => {
  const answers = await answersFor(agentCaller('cid'));
  const ids = idsIn(answers);
  expect(answers.some(({ text }) => text.includes('FOREIGN work'))).toBe(true);
  expect(hidden.filter((id) => ids.has(id))).toEqual([]);
  expect(unexpected(answers)).toEqual([]);
  expect(
    answers
      .filter(({ text }) => text.includes('HIDDEN'))
      .map(({ field, variables, text }) => [field, variables, around(text, 'HIDDEN')]),
  ).toEqual([]);
}, 300_000);

const around = (text: string, word: string): string =>
  text.slice(Math.max(0, text.indexOf(word) - 200), text.indexOf(word) + 50);

/** The object types below Query. */
function typesOfQueries(): Set<string> {
  const found = new Set<string>();
  const visit = (type: GraphQLNamedType): void => {
    if (isLeafType(type) || found.has(type.name)) return;
    if (isAbstractType(type)) return schema.getPossibleTypes(type).forEach(visit);
    if (!isObjectType(type)) return;
    found.add(type.name);
    for (const field of Object.values(type.getFields())) visit(getNamedType(field.type));
  };
  for (const field of roots) visit(getNamedType(field.type));
  return found;
}
