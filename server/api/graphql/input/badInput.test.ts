import { readdir, readFile } from 'node:fs/promises';
import { getNamedType, isInputObjectType, isRequiredInputField, type GraphQLInputObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import {
  agentId,
  agentMeant,
  agentType,
  contextVariables,
  idOf,
  integer,
  json,
  listWith,
  nonBlank,
  text,
  type Bad,
} from '../../../../test/badValues.ts';
import { hashAllTables } from '../../../../test/hash.ts';
import { allMutations, house, TopLevel, unknownId, type Mutation } from '../../../../test/refusals.ts';
import { schema } from '../schema.ts';

const home = await house();
const KB = 1024;

/** A value for each required field; what it names does not exist, so input is seen to be checked first (order of refusals). */
const example: Record<string, unknown> = {
  id: 'ada',
  type: 'CLAUDE',
  status: 'OFFLINE',
  role: 'ANALYST',
  name: 'ci',
  title: 'Work',
  sessionId: unknownId('session'),
  handoffId: unknownId('handoff'),
  keyId: unknownId('key'),
  toolId: unknownId('tool'),
  agentSessionId: unknownId('agentsession'),
  runnerId: 'runner',
  agentIds: ['bob'],
  description: 'Hands off.',
  toolName: 'transfer_to_ada',
  response: [],
  targetAgentId: 'ada',
  reason: 'because',
  text: 'So be it',
  diffstat: '',
  tasks: [],
  results: [{ callId: 'c1', result: 'ok' }],
  messages: [{ role: 'USER', content: 'Well?' }],
  content: '{"type":"user","message":{"content":"Well?"}}',
  files: [{ path: 'a.md', content: '# A' }],
  slug: 'story',
  outcome: 'DONE',
  start: 'a',
  stages: [{ name: 'a' }],
  transitions: [{ from: 'a', outcome: 'DONE' }],
  url: 'https://example.com/',
  webhookId: unknownId('webhook'),
  deliveryId: unknownId('delivery'),
  noticeId: unknownId('handoff'),
  questionId: unknownId('question'),
  question: 'Which one?',
  answer: 'This one',
};
/** What no required field asks for. */
const besides: Record<Mutation, object> = { createSession: { agentId: 'ada' }, reassignSession: { agentId: 'ada' } };

const toolName = ['', 'two words', 'handoff', 'Handoff', 'a'.repeat(65), 'é', 'a.b'];
const variable = { name: 'city', type: 'STRING' };
const variableWith = (fields: object): unknown[] => [{ ...variable, ...fields }];
const toolVariables = [
  ...['', '_city', '_handoff_from', 'reason', 'Summary', 'a b', 'a'.repeat(65)].map((name) => variableWith({ name })),
  ...[
    { enum: [] },
    { enum: [1] },
    { default: 1 },
    { default: 'x', required: true },
    { enum: ['a'], default: 'b' },
    { type: 'INTEGER', default: 1.5 },
    { type: 'OBJECT', default: [] },
  ].map(variableWith),
  variableWith({ description: 'd'.repeat(1_025) }),
  [variable, { ...variable, name: 'City' }],
  Array.from({ length: 20 }, (_, index) => ({ ...variable, name: `v${index}`, description: 'd'.repeat(1_000) })),
];
const carry = [
  ...integer(1, 40).map((lastMessages) => ({ lastMessages })),
  ...integer(200).map((maxTokens) => ({ maxTokens })),
  ...listWith(nonBlank({ characters: 128 }), ['branch']).map((variables) => ({ variables })),
];
const refusedOfTools: Record<string, Bad> = Object.fromEntries(
  ['createHandoffTool', 'updateHandoffTool'].flatMap((mutation) => [
    [`${mutation}.name`, toolName],
    [`${mutation}.description`, nonBlank({ characters: 1_024 })],
    [`${mutation}.instructions`, text({ bytes: 4 * KB })],
    [`${mutation}.variables`, toolVariables],
    [`${mutation}.agentIds`, [[], ...listWith(agentId, ['bob'])]],
    [`${mutation}.carry`, carry],
  ]),
);

const slug = ['', 'Story', 'a b', '-a', 'a-', 'a'.repeat(53), 'a\0'];
const outcome = ['', 'done', 'DONE!', '1', 'D'.repeat(51)];
const stage = { name: 'a' };
const stageWith = (field: string, bad: Bad): Bad => bad.map((value) => [{ ...stage, [field]: value }]);
const way = { from: 'a', outcome: 'DONE' };
const wayWith = (field: string, bad: Bad): Bad => bad.map((value) => [{ ...way, [field]: value }]);
const payloadSchema = [
  7,
  [],
  { type: 'text' },
  { $ref: 'https://example.com/schema' },
  { $ref: 'other.json#/a' },
  { $async: true },
  { pattern: '(' },
  { long: 'é'.repeat(32 * KB) },
];
const condition = { variable: 'lines', op: 'EQ', value: 1 };
const refusedOfPipelines: Record<string, Bad> = {
  'definePipeline.name': nonBlank({ characters: 200 }),
  slug,
  pipeline: slug,
  outcome,
  payload: json(),
  start: ['', 'b', '-a', 'a b', 'a'.repeat(65)],
  stages: [
    ...stageWith('name', ['', '-a', 'a b', 'a'.repeat(65)]),
    ...stageWith('role', nonBlank({ characters: 200 })),
    ...stageWith('agentType', agentType),
    ...stageWith('phase', nonBlank({ characters: 100 })),
    ...stageWith('instructions', text({ bytes: 32 * KB })),
    ...stageWith('payloadSchema', payloadSchema),
    ...stageWith('acceptWithinMinutes', integer(1, 525_600)),
    ...stageWith('remindAfterMinutes', integer(1, 525_600)),
    ...stageWith('escalateTo', [{}, { role: 'lead', operators: true }, { agentId: 'Ada' }, { role: ' ' }]),
    [stage, stage],
    [stage, { name: 'b' }],
    Array.from({ length: 9 }, (_, index) => ({
      name: index === 0 ? 'a' : `b${index}`,
      instructions: 'x'.repeat(30 * KB),
    })),
  ],
  transitions: [
    ...wayWith('from', ['', 'b', 'a b']),
    ...wayWith('to', ['', 'b', 'a b']),
    ...wayWith('outcome', outcome),
    ...wayWith('payloadSchema', payloadSchema),
    ...wayWith('when', [
      condition,
      { ...condition, variable: '' },
      { ...condition, op: 'IN' },
      { ...condition, op: 'LT', value: true },
      { ...condition, op: 'EXISTS' },
    ]),
    [way, way],
  ],
};

function smallestOf(mutation: Mutation): object {
  const required = Object.values(inputOf(mutation).getFields()).filter(isRequiredInputField);
  return { ...Object.fromEntries(required.map(({ name }) => [name, example[name]])), ...besides[mutation] };
}

const message = { role: 'ASSISTANT', content: 'Done.' };
const call = { callId: 'c1', name: 'Read' };
const callWith = (field: string, bad: Bad): Bad => bad.map((value) => [{ ...call, [field]: value }]);
const resultWith = (field: string, bad: Bad): Bad => bad.map((value) => [{ callId: 'c1', [field]: value }]);
const usageWith = (field: string, bad: Bad): Bad => bad.map((value) => ({ [field]: value }));

/** What a field refuses; `mutation.field` where one differs from the others of its name. */
const refused: Record<string, Bad> = {
  id: agentId,
  type: agentType,
  name: nonBlank({ characters: 200 }),
  role: text({ characters: 200 }),
  description: text({ bytes: 4 * KB }),
  instructions: text({ bytes: 32 * KB }),
  maxCapacity: integer(1, 100_000),
  contextWindow: integer(1),
  collaborators: listWith(agentId, ['bob']),
  collaborations: [
    ...agentId.map((id) => [{ agentId: id }]),
    ...text({ bytes: KB }).map((when) => [{ agentId: 'bob', when }]),
    ...carry.map((each) => [{ agentId: 'bob', carry: each }]),
    [{ agentId: 'bob' }, { agentId: 'bob' }],
  ],
  files: [
    ...[...nonBlank({ characters: 1_000 }), 'a\nb.md'].map((path) => [{ path, content: '# A' }]),
    [
      { path: 'a.md', content: '# A' },
      { path: 'a.md', content: '# B' },
    ],
  ],
  defaultType: agentType,
  metadata: json(),
  keyId: idOf('key'),
  expiresAt: ['0000-12-31T23:59:59Z'],
  title: nonBlank({ characters: 500 }),
  // No transcript that AUTO knows.
  content: ['', 'Dear Sir or Madam', '{}', '[{}]', 'x\n'.repeat(200)],
  agentId,
  agentType,
  targetAgentId: agentId,
  'initiateHandoff.targetAgentId': agentMeant,
  'reassignSession.agentId': agentMeant,
  contextVariables,
  externalId: [...nonBlank({ characters: 200 }), `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`],
  project: nonBlank({ characters: 200 }),
  note: text({ bytes: 4 * KB }),
  // With the agentId of every example.
  queue: [true],
  maxHandoffs: integer(0, 10_000),
  tokenBudget: integer(1),
  request: nonBlank({ bytes: 256 * KB }),
  // With the agentId of every example.
  choose: [true],
  // Without a request.
  chooseFrom: [[], ['ada'], ...listWith(agentId, ['ada'])],
  expectedVersion: integer(1),
  result: json(),
  summary: text({ bytes: 32 * KB }),
  reason: text({ bytes: 4 * KB }),
  'failSession.reason': nonBlank({ bytes: 4 * KB }),
  'declineHandoff.reason': nonBlank({ bytes: 4 * KB }),
  noticeId: idOf('handoff'),
  questionId: idOf('question'),
  question: nonBlank({ bytes: 4 * KB }),
  answer: nonBlank({ bytes: 4 * KB }),
  options: listWith(nonBlank({ characters: 500 }), ['This one']),
  expectedContentHash: ['', 'nonsense', 'a'.repeat(63), 'A'.repeat(64)],
  edits: [
    ...agentMeant.map((targetAgentId) => ({ targetAgentId })),
    ...text({ bytes: 4 * KB }).map((value) => ({ reason: value })),
    ...text({ bytes: 32 * KB }).flatMap((value) => [{ summary: value }, { instructions: value }]),
    ...contextVariables.map((value) => ({ contextVariables: value })),
    ...carry.map((value) => ({ carry: value })),
  ],
  'rejectHandoff.reason': nonBlank({ bytes: 4 * KB }),
  'failHandoff.reason': nonBlank({ bytes: 4 * KB }),
  idempotencyKey: nonBlank({ characters: 128 }),
  toolId: idOf('tool'),
  agentSessionId: idOf('agentsession'),
  runnerId: [...nonBlank({ characters: 200 }), `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`],
  toolName: nonBlank({ characters: 200 }),
  callId: nonBlank({ characters: 200 }),
  arguments: json(256 * KB),
  // What is longer than the limit is longer than a request may be.
  response: json().filter((value) => !Object.hasOwn(value as object, 'long')),
  ...refusedOfTools,
  ...refusedOfPipelines,
  url: [
    ...nonBlank({ characters: 2_000 }),
    'nonsense',
    'http://example.com/',
    'https://10.0.0.1/',
    'https://a:b@example.com/',
    `https://example.com/ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`,
  ],
  types: [['READY'], ['SESSION_CREATED', 'HEARTBEAT']],
  'createWebhook.description': text({ characters: 500 }),
  'updateWebhook.description': text({ characters: 500 }),
  webhookId: idOf('webhook'),
  deliveryId: idOf('delivery'),
  sessionId: idOf('session'),
  handoffId: idOf('handoff'),
  priorTurnId: idOf('turn'),
  triggeringToolCallIds: listWith(idOf('toolcall'), [unknownId('toolcall')]),
  text: nonBlank({ bytes: 4 * KB }),
  branch: nonBlank({ bytes: KB }),
  commit: nonBlank({ bytes: KB }),
  status: text({ bytes: 48 * KB }),
  diffstat: text({ bytes: 16 * KB }),
  tasks: listWith(nonBlank({ bytes: 4 * KB }).map((content) => ({ content, status: 'DONE' }))),
  messages: [
    [],
    ...listWith(
      text({ bytes: 256 * KB }).map((content) => ({ role: 'USER', content })),
      [message],
    ),
    [{ ...message, role: 'HANDOFF' }],
  ],
  toolCalls: [
    ...callWith('callId', nonBlank({ characters: 200 })),
    ...callWith('name', nonBlank({ characters: 200 })),
    ...callWith('arguments', json(256 * KB)),
    ...callWith('result', text({ bytes: 256 * KB })),
    ...callWith('error', text({ bytes: 256 * KB })),
    ...callWith('filesModified', listWith(nonBlank({ bytes: 4 * KB }))),
    [{ ...call, result: 'ok', error: 'but not quite' }],
    [call, call],
  ],
  results: [
    [],
    [{ callId: 'c1' }],
    [{ callId: 'c1', result: 'ok', error: 'but not quite' }],
    [
      { callId: 'c1', result: 'ok' },
      { callId: 'c1', result: 'ok' },
    ],
    ...nonBlank({ characters: 200 }).map((callId) => [{ callId, result: 'ok' }]),
    ...resultWith('result', text({ bytes: 256 * KB })),
    ...resultWith('error', text({ bytes: 256 * KB })),
    ...integer(0).map((durationMs) => [{ callId: 'c1', result: 'ok', durationMs }]),
    ...listWith(nonBlank({ bytes: 4 * KB })).map((filesModified) => [{ callId: 'c1', result: 'ok', filesModified }]),
  ],
  usage: [
    ...['inputTokens', 'outputTokens', 'cacheCreationInputTokens', 'cacheReadInputTokens'].flatMap((field) =>
      usageWith(field, integer(0)),
    ),
    ...usageWith('model', text({ characters: 200 })),
  ],
  workspace: ['folder', 'branch', 'commit'].flatMap((field) =>
    nonBlank({ bytes: KB }).map((value) => ({ [field]: value })),
  ),
  ...Object.fromEntries(
    ['createSession', 'updateSession'].map((mutation) => [
      `${mutation}.workspace`,
      ['host', 'folder', 'repository', 'branch', 'commit'].flatMap((field) =>
        nonBlank({ bytes: KB }).map((value) => ({ host: 'h', folder: '/f', [field]: value })),
      ),
    ]),
  ),
};
/** Every value that GraphQL itself lets through is good. */
const anything = [
  'status',
  'skipHandoff',
  'initiateHandoff.queue',
  'leavePipeline',
  'handoffsEnabled',
  'recording',
  'truncated',
  'format',
  'sidechain',
  'windowFull',
  'dryRun',
  'createKey.role',
  'priority',
  'handoffApproval',
  'approval',
  'enabled',
  'rotateSecret',
  'release',
];

function inputOf(mutation: string): GraphQLInputObjectType {
  const type = getNamedType(schema.getMutationType()?.getFields()[mutation]?.args[0]?.type);
  if (!isInputObjectType(type)) throw new Error(`${mutation} has no input`);
  return type;
}

describe.each(allMutations())('%s', (mutation) => {
  const input = smallestOf(mutation);
  const fields = Object.keys(inputOf(mutation).getFields()).filter(
    (field) => !anything.includes(field) && !anything.includes(`${mutation}.${field}`),
  );

  it.each(fields)('rejects every bad value of %s with its path and advice, and changes nothing', async (field) => {
    const values = refused[`${mutation}.${field}`] ?? refused[field] ?? [];
    expect(values).not.toEqual([]);
    const before = await hashAllTables(home.db.pool);
    for (const value of values) {
      const said = await home.send(mutation, { ...input, [field]: value });
      expect([value, said]).toMatchObject([value, { __typename: 'BadUserInputError', code: 'BAD_USER_INPUT' }]);
      expect((said['path'] as string[]).slice(0, 2)).toEqual(['input', field]);
      // "input.title is blank: give a text", and no more of a long value than is needed to know it again.
      expect(said.message).toMatch(/^input\.\w+.* [^:]+: \S/su);
      expect(said.message?.length).toBeLessThan(400);
    }
    expect(await hashAllTables(home.db.pool)).toEqual(before);
  });

  it('rejects what GraphQL cannot parse with BAD_USER_INPUT at the top', async () => {
    // A model's answer may be any object.
    const first = Object.keys(input).find((field) => field !== 'response')!;
    const before = await hashAllTables(home.db.pool);
    for (const wrong of [{ ...input, nonsense: 1 }, {}, { ...input, [first]: null }, { ...input, [first]: { a: 1 } }]) {
      const refusal = home.send(mutation, wrong);
      await expect(refusal).rejects.toThrow(TopLevel);
      await expect(refusal).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    }
    expect(await hashAllTables(home.db.pool)).toEqual(before);
  });
});

it('every mutation is in one table of refusals', async () => {
  const named: string[] = [];
  const files = await readdir('server', { recursive: true });
  for (const file of files.filter((path) => path.endsWith('.test.ts'))) {
    const [, list = ''] = /testRefusals\(\s*home,\s*\[([^\]]*)\]/.exec(await readFile(`server/${file}`, 'utf8')) ?? [];
    named.push(...[...list.matchAll(/'(\w+)'/g)].map(([, name]) => name!));
  }
  expect(named.sort()).toEqual(allMutations().sort());
});

it('accepts values at their limits', async () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
  const taken = await home.send('createSession', {
    title: '😀'.repeat(500),
    metadata: nested(32),
    contextVariables: { ['n'.repeat(128)]: 'é'.repeat(32 * KB - 100) },
    maxHandoffs: 10_000,
    idempotencyKey: '😀'.repeat(128),
  });
  expect(taken.__typename).toBe('CreateSessionPayload');
  const registered = await home.send('registerAgent', {
    id: 'a'.repeat(52),
    type: 'C'.repeat(50),
    maxCapacity: 100_000,
    description: 'é'.repeat(2 * KB),
  });
  expect(registered.__typename).toBe('RegisterAgentPayload');
});
