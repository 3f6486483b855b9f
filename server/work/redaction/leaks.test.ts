import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getNamedType, isInputObjectType, type GraphQLInputType } from 'graphql';
import { expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { webhookKey } from '../../../test/keyring.ts';
import { secretsIn } from '../../../test/secrets/judge.ts';
import { placeSamples } from '../../../test/secrets/places.ts';
import type { Sample } from '../../../test/secrets/samples.ts';
import { tokenSamples } from '../../../test/secrets/tokens.ts';
import { startApp } from '../../../test/server.ts';
import { contexts } from '../../api/graphql/context.ts';
import { createMaskError } from '../../api/graphql/errors/maskError.ts';
import { schema } from '../../api/graphql/schema.ts';
import { batonItself } from '../../core/work.ts';
import { Archive } from '../../delivery/exports/archive.ts';
import { createRecords } from '../../delivery/exports/records.ts';
import { createStamper } from '../../delivery/live/stamp.ts';
import { createLog } from '../../infra/log.ts';
import { redactLogLine } from './logLine.ts';
import { temporaryFolder } from '../../../test/temporary.ts';

const lines: string[] = [];
const log = createLog({
  level: 'trace',
  redactLine: redactLogLine,
  destination: { write: (line) => void lines.push(line) },
});
const database = await testDatabase({ log });
const { url } = await startApp(database, { log, variables: { BATON_WEBHOOK_KEY: webhookKey } });
const { post } = client(url);

// Half of the forms of each token, and fewer in the short suite; the corpus has its own test of all.
const [everyToken, everyPlace] = process.env['BATON_TEST_WHOLE'] === undefined ? [23, 11] : [2, 1];
const samples = [
  ...tokenSamples().filter((_, index) => index % everyToken === 0),
  ...placeSamples().filter((_, index) => index % everyPlace === 0),
];

/** A sample as one text. */
function textOf({ written }: Sample): string {
  if ('text' in written) return written.text;
  return 'texts' in written ? written.texts.join('') : JSON.stringify(written.value);
}

const valueOf = ({ written }: Sample): unknown =>
  'text' in written ? written.text : 'texts' in written ? written.texts : written.value;

/** Packs samples into texts of at most `characters`. Leaves out longer samples. */
function packed(list: readonly Sample[], characters: number): string[] {
  const texts: string[] = [];
  for (const text of list.map(textOf).filter((text) => text.length <= characters)) {
    const last = texts.at(-1);
    if (last !== undefined && last.length + text.length + 3 <= characters)
      texts[texts.length - 1] = `${last}\n\n\n${text}`;
    else texts.push(text);
  }
  return texts;
}

const inBatches = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size));
const values = inBatches(samples, 60).map((batch) =>
  Object.fromEntries(batch.map((sample, index) => [`sample${index}`, valueOf(sample)])),
);
const titles = packed(samples, 480);
const names = packed(samples, 95);
const short = packed(samples, 195);
const paragraphs = packed(samples, 3_900);
const pages = packed(samples, 30_000);

const written = new Set<string>();

/** Which fields of an input are filled in, by the names of the schema. */
function note(path: string, type: GraphQLInputType, value: unknown): void {
  if (value === null || value === undefined) return;
  if (Array.isArray(value) && isInputObjectType(getNamedType(type)))
    return value.forEach((item) => note(path, type, item));
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return void written.add(path);
  for (const [name, field] of Object.entries(named.getFields()))
    note(`${path}.${name}`, field.type, (value as Record<string, unknown>)[name]);
}

async function mutate(name: string, input: object, select: string): Promise<Record<string, { id: string }>> {
  const field = schema.getMutationType()!.getFields()[name]!;
  const type = field.args[0]!.type;
  note(name, type, input);
  const payload = `${name[0]!.toUpperCase()}${name.slice(1)}Payload`;
  const { data, errors } = await post<Record<string, Record<string, { id: string }> & { message?: string }>>(
    `mutation ($input: ${String(type)}) { ${name}(input: $input) { ... on ${payload} { ${select} } ... on Error { message } } }`,
    { input },
  );
  expect(errors, name).toBeUndefined();
  expect(data[name]!.message, name).toBeUndefined();
  return data[name]!;
}

let agents = 0;
let keys = 0;

async function agent(fields: object = {}): Promise<string> {
  agents += 1;
  const id = `agent-${agents}`;
  await mutate('registerAgent', { id, type: 'CLAUDE', maxCapacity: 10_000, ...fields }, 'agent { id }');
  return id;
}

const session = async (fields: object): Promise<string> =>
  (await mutate('createSession', { title: 'Work', ...fields }, 'session { id }'))['session']!.id;

/** What a text or a value may be written into, one act for each field. */
async function writeEverything(): Promise<void> {
  for (const name of short) await agent({ name, role: name });
  for (const [index, description] of paragraphs.entries())
    await agent({ description, instructions: pages[index % pages.length] });
  for (const metadata of values) await agent({ metadata });
  const [source, target] = [await agent(), await agent({ collaborators: ['agent-1'] })];
  for (const name of short) await mutate('updateAgent', { id: source, name, role: name }, 'agent { id }');
  for (const [index, description] of paragraphs.entries())
    await mutate('updateAgent', { id: source, description, instructions: pages[index % pages.length] }, 'agent { id }');
  for (const metadata of values) await mutate('updateAgent', { id: source, metadata }, 'agent { id }');
  for (const [index, when] of short.entries()) {
    const carry = { variables: [names[index % names.length]] };
    await agent({ collaborations: [{ agentId: 'agent-1', when, carry }] });
    await mutate('updateAgent', { id: source, collaborations: [{ agentId: target, when, carry }] }, 'agent { id }');
  }
  await mutate('updateAgent', { id: source, collaborators: [target] }, 'agent { id }');
  for (const batch of inBatches(
    short.filter((text) => !/\p{Cc}/u.test(text)),
    20,
  )) {
    const files = batch.map((text, index) => {
      const [description, instructions] = [paragraphs[index % paragraphs.length]!, pages[index % pages.length]!];
      const front = {
        name: `Imported ${(agents += 1)} ${text.slice(0, 20)}`,
        role: text,
        model: text,
        description,
        tools: [text],
        handoffs: [{ agent: 'agent-1', label: text, prompt: text }],
      };
      const entries = Object.entries(front).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
      return { path: `/tmp/${agents}/${text}`, content: ['---', ...entries, '---', instructions].join('\n') };
    });
    const { report } = await mutate(
      'importAgents',
      { files, defaultType: 'CLAUDE' },
      'report { agents { action } problems { message } }',
    );
    expect(report).toEqual({ agents: files.map(() => ({ action: 'CREATED' })), problems: [] });
  }

  const tool = {
    name: 'ask',
    targetAgentId: target,
    agentIds: [source],
    description: 'Asks.',
    variables: [{ name: 'one', type: 'STRING', description: 'One.', enum: ['a'], default: 'a' }],
    instructions: 'Be brief.',
  };
  const { id: toolId } = (await mutate('createHandoffTool', tool, 'handoffTool { id }'))['handoffTool']!;
  for (const [index, description] of packed(samples, 900).entries()) {
    const variables = [{ ...tool.variables[0], description, enum: [description], default: description }];
    const fields = {
      description,
      instructions: paragraphs[index % paragraphs.length],
      variables,
      carry: { variables: [names[index % names.length]] },
    };
    await mutate('createHandoffTool', { ...tool, ...fields, name: `tool_${index}` }, 'handoffTool { id }');
    await mutate('updateHandoffTool', { toolId, name: 'asks', ...fields }, 'handoffTool { id }');
  }
  for (const [index, reason] of paragraphs.entries()) {
    const [given, callId] = [
      { reason, summary: pages[index % pages.length], variables: values[index % values.length] },
      short[index % short.length],
    ];
    const toolName = `transfer_to_${target}`;
    const response = [{ type: 'tool_use', id: callId, name: toolName, input: given }];
    await mutate(
      'executeHandoffTool',
      { sessionId: await session({ agentId: source }), toolName, callId, arguments: given },
      'handoff { id }',
    );
    await mutate('executeHandoffs', { sessionId: await session({ agentId: source }), response }, 'handoff { id }');
  }

  for (const [index, text] of paragraphs.entries()) {
    const contextVariables = values[index % values.length];
    const propose = async (): Promise<string> => {
      const sessionId = await session({ agentId: source, handoffApproval: 'REQUIRED' });
      const input = { sessionId, toolName: `transfer_to_${target}`, arguments: { reason: 'Please' } };
      return (await mutate('executeHandoffTool', input, 'handoff { id }'))['handoff']!.id;
    };
    const instructions = pages[index % pages.length];
    const carry = { variables: [names[index % names.length]] };
    const edits = { reason: text, summary: instructions, instructions, contextVariables, carry };
    await mutate('approveHandoff', { handoffId: await propose(), edits, note: text }, 'handoff { id }');
    await mutate('declineHandoff', { handoffId: await propose(), reason: text }, 'handoff { id }');
    const sessionId = await session({ agentId: source });
    const options = [packed(samples, 480)[index % packed(samples, 480).length]];
    await mutate('askPerson', { sessionId, question: text, options }, 'session { id }');
    const { session: waits } = await mutate(
      'updateSession',
      { sessionId, title: 'Waits' },
      'session { id: question { id } }',
    );
    const questionId = (waits!.id as unknown as { id: string }).id;
    await mutate('answerQuestion', { questionId, answer: text }, 'session { id }');
  }

  const flow = {
    slug: 'flow',
    name: 'Flow',
    stages: [{ name: 'work' }, { name: 'check' }],
    transitions: [
      { from: 'work', outcome: 'DONE', to: 'check' },
      { from: 'check', outcome: 'DONE' },
    ],
    start: 'work',
  };
  await mutate('definePipeline', flow, 'pipeline { id }');
  for (const [index, description] of paragraphs.entries()) {
    const [name, data, instructions] = [
      short[index % short.length],
      values[index % values.length],
      pages[index % pages.length],
    ];
    const payloadSchema = { description, examples: [data] };
    const stages = [
      {
        name: 'work',
        role: name,
        phase: names[index % names.length],
        instructions,
        payloadSchema,
        escalateTo: { role: name },
      },
      { name: 'check' },
    ];
    const when = { variable: 'state', op: 'EQ', value: name };
    await mutate(
      'definePipeline',
      {
        ...flow,
        slug: 'texts',
        name,
        description,
        stages,
        transitions: [{ ...flow.transitions[0], when, payloadSchema }, ...flow.transitions],
      },
      'pipeline { id }',
    );
    const sessionId = await session({ pipeline: 'flow' });
    await mutate(
      'advancePipeline',
      {
        ...{ sessionId, outcome: 'DONE', payload: data, contextVariables: values[index % values.length] },
        ...{ reason: description, summary: instructions },
      },
      'handoff { id }',
    );
  }
  await mutate('archivePipeline', { slug: 'texts' }, 'pipeline { id }');

  for (const name of short) await mutate('createKey', { role: 'ANALYST', name }, 'key { id }');

  const hook = { url: 'https://example.com/hook' };
  const { id: webhookId } = (await mutate('createWebhook', hook, 'webhook { id }'))['webhook']!;
  for (const description of short) {
    await mutate('updateWebhook', { webhookId, description }, 'webhook { id }');
    const { id } = (await mutate('createWebhook', { ...hook, description }, 'webhook { id }'))['webhook']!;
    await mutate('deleteWebhook', { webhookId: id }, 'webhook { id }');
  }
  // A URL without its secret would be another one.
  for (const text of short) {
    const url = `https://example.com/hook?${text}`;
    await expect(mutate('createWebhook', { url }, 'webhook { id }')).rejects.toThrow(
      /contains a secret|is not the address|'#'/,
    );
    await expect(mutate('updateWebhook', { webhookId, url }, 'webhook { id }')).rejects.toThrow(
      /contains a secret|is not the address|'#'/,
    );
  }

  for (const request of paragraphs) await session({ request });
  for (const title of titles) await session({ title, idempotencyKey: `key-${(keys += 1)}` });
  for (const metadata of values) await session({ metadata, contextVariables: metadata });
  const changed = await session({});
  for (const title of titles) await mutate('updateSession', { sessionId: changed, title }, 'session { id }');
  for (const metadata of values)
    await mutate('updateSession', { sessionId: changed, metadata, contextVariables: metadata }, 'session { id }');

  for (const project of short) {
    await session({ project });
    await mutate('updateSession', { sessionId: changed, project }, 'session { id }');
  }
  for (const text of short) {
    const workspace = { host: text, folder: text, repository: text, branch: text, commit: text };
    await session({ workspace });
    await mutate('updateSession', { sessionId: changed, workspace }, 'session { id }');
  }
  // An id cannot be redacted: a secret is refused.
  for (const externalId of short) {
    await expect(mutate('createSession', { title: 'Work', externalId }, 'session { id }')).rejects.toThrow(
      'looks like a secret',
    );
    await expect(mutate('updateSession', { sessionId: changed, externalId }, 'session { id }')).rejects.toThrow(
      'looks like a secret',
    );
  }

  const log = await session({ agentId: source });
  for (const batch of inBatches(samples, 100)) {
    const messages = batch
      .flatMap(({ written: one }) =>
        'texts' in one ? one.texts : [JSON.stringify('value' in one ? one.value : one.text), '-'],
      )
      .map((content) => ({ role: 'ASSISTANT', content }));
    const toolCalls = batch.map((sample, index) => ({
      callId: `call-${index}`,
      name: textOf(sample).slice(0, 190).length === textOf(sample).length ? textOf(sample) : 'Bash',
      arguments: valueOf(sample),
      ...(index % 2 === 0 ? { result: textOf(sample) } : { error: textOf(sample) }),
      filesModified: textOf(sample).length < 4_000 ? [`/tmp/${textOf(sample)}`] : [],
    }));
    await mutate(
      'appendTurn',
      { sessionId: log, messages: messages.slice(0, 200), toolCalls, usage: { model: short[0] } },
      'turn { id }',
    );
  }
  for (const [index, batch] of inBatches(samples, 100).entries()) {
    const callIds = batch.map((_, n) => `later-${index}-${n}`);
    await mutate(
      'appendTurn',
      { sessionId: log, messages: [], toolCalls: callIds.map((callId) => ({ callId, name: 'Bash' })) },
      'turn { id }',
    );
    const results = batch.map((sample, n) => ({
      callId: callIds[n],
      ...(n % 2 === 0 ? { result: textOf(sample) } : { error: textOf(sample) }),
      filesModified: textOf(sample).length < 4_000 ? [`/tmp/${textOf(sample)}`] : [],
    }));
    await mutate('recordToolResults', { sessionId: log, results }, 'session { id }');
  }
  for (const text of short) {
    await mutate(
      'appendTurn',
      {
        sessionId: log,
        messages: [{ role: 'ASSISTANT', content: 'Here.' }],
        toolCalls: [{ callId: text, name: 'Bash' }],
        workspace: { folder: text, branch: text, commit: text },
      },
      'turn { id }',
    );
  }
  for (const text of paragraphs)
    await mutate('recordDecision', { sessionId: log, text, idempotencyKey: `key-${(keys += 1)}` }, 'decision { id }');
  await mutate(
    'setTasks',
    { sessionId: log, tasks: paragraphs.slice(0, 400).map((content) => ({ content, status: 'PENDING' })) },
    'tasks { id }',
  );
  for (const status of paragraphs.slice(-1))
    await mutate(
      'recordWorkingTree',
      { sessionId: log, status, diffstat: status, branch: short[0], commit: short[0] },
      'session { id }',
    );
  await mutate('captureSnapshot', { sessionId: log }, 'snapshot { id }');

  for (const [index, reason] of paragraphs.entries()) {
    const [summary, data] = [pages[index % pages.length], values[index % values.length]];
    const open = async (): Promise<string> => session({ agentId: source, maxHandoffs: 100 });
    const initiate = async (sessionId: string, fields: object = {}): Promise<string> =>
      (await mutate('initiateHandoff', { sessionId, targetAgentId: target, ...fields }, 'handoff { id }'))['handoff']!
        .id;
    const ended = await open();
    const slow = await initiate(await open());
    await mutate('touchHandoff', { handoffId: slow, note: reason }, 'handoff { id }');
    const rejected = await initiate(ended, { reason, summary, contextVariables: data, metadata: data });
    await mutate('rejectHandoff', { handoffId: rejected, reason }, 'handoff { id }');
    await mutate('confirmNotice', { noticeId: rejected }, 'session { id }');
    await mutate(
      'reassignSession',
      { sessionId: ended, agentId: target, reason, summary, contextVariables: data, metadata: data },
      'handoff { id }',
    );
    await mutate('completeSession', { sessionId: ended, result: data, summary }, 'session { id }');
    const failed = await open();
    await mutate('failHandoff', { handoffId: await initiate(failed), reason }, 'handoff { id }');
    await mutate('pauseSession', { sessionId: failed, reason }, 'session { id }');
    await mutate('failSession', { sessionId: failed, reason }, 'session { id }');
    const cancelled = await open();
    await mutate('cancelHandoff', { handoffId: await initiate(cancelled), reason }, 'handoff { id }');
    await mutate('cancelSession', { sessionId: cancelled, reason }, 'session { id }');
  }
  for (const batch of inBatches(samples, 40)) {
    const entries = batch.flatMap((sample, index) => [
      {
        type: 'user',
        uuid: `u-${index}-${(keys += 1)}`,
        sessionId: 's',
        timestamp: '2024-06-01T12:00:00.000Z',
        message: { role: 'user', content: textOf(sample) },
      },
      {
        type: 'assistant',
        uuid: `a-${index}-${keys}`,
        sessionId: 's',
        timestamp: '2024-06-01T12:00:01.000Z',
        message: {
          id: `m-${keys}`,
          role: 'assistant',
          model: 'm',
          content: [
            { type: 'text', text: textOf(sample) },
            { type: 'tool_use', id: `t-${keys}`, name: 'Bash', input: { value: valueOf(sample) } },
          ],
        },
      },
      {
        type: 'user',
        uuid: `r-${index}-${keys}`,
        sessionId: 's',
        timestamp: '2024-06-01T12:00:02.000Z',
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: `t-${keys}`, content: textOf(sample) }],
        },
      },
    ]);
    await mutate(
      'importTranscript',
      { sessionId: log, content: entries.map((entry) => JSON.stringify(entry)).join('\n') },
      'session { id }',
    );
  }
}

async function everyRow(): Promise<string> {
  const { rows: tables } = await database.pool.query<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  expect(tables.length).toBeGreaterThan(12);
  const dumps: string[] = [];
  for (const { name } of tables) {
    const { rows } = await database.pool.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
    dumps.push(...rows.map(({ row }) => row));
  }
  // A row as text doubles its quotes and backslashes, and JSON in it has its own.
  return dumps.join('\n').replaceAll('""', '"').replaceAll('\\\\', '\\');
}

/** Every place where a mutation takes a text or JSON that is no id and no type. */
function textFields(): string[] {
  const fields = (path: string, type: GraphQLInputType): string[] => {
    const named = getNamedType(type);
    if (isInputObjectType(named))
      return Object.values(named.getFields()).flatMap((field) => fields(`${path}.${field.name}`, field.type));
    return ['String', 'JSON'].includes(named.name) &&
      !/\.(?:idempotencyKey|expectedContentHash|agentType|defaultType|type)$/.test(path)
      ? [path]
      : [];
  };
  return Object.values(schema.getMutationType()!.getFields()).flatMap(({ name, args }) =>
    args.flatMap((arg) => fields(name, arg.type)),
  );
}

/** Every handoff as the archive writes it, Markdown and JSON. */
async function everyArchiveFile(): Promise<string> {
  const folder = temporaryFolder('baton-leaks');
  const { pool, prisma } = database;
  const records = createRecords({
    schema,
    createContext: () =>
      contexts({ prisma, pool, env: { staleAfterMinutes: 30, handoffsEnabled: true }, log })(batonItself('archive')),
  });
  const { now: positioned } = createStamper({ pool, log, stamped: () => undefined });
  await new Archive({ folder, pool, positioned, records, maskError: createMaskError(log), log }).catchUp();
  const files = (await readdir(folder)).filter((name) => /\.(md|json)$/.test(name));
  return (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('\n');
}

test('no secret of the corpus reaches a row, an archive file or the log, whatever field of a mutation it is sent in', async () => {
  await writeEverything();
  expect(textFields().filter((path) => !written.has(path))).toEqual([]);

  // That the search finds what is there.
  await session({ title: 'A canary that sings', metadata: { path: 'C:\\canary "quoted"' } });
  const rows = await everyRow();
  expect(rows).toContain('A canary that sings');
  expect(rows).toContain('[redacted: github token]');

  const archived = await everyArchiveFile();
  expect(archived).toContain('[redacted: github token]');

  const stored = `${rows}\n${archived}\n${lines.join('\n')}`;
  expect(
    secretsIn(
      stored,
      samples.flatMap(({ secrets }) => secrets),
    ),
  ).toEqual([]);
}, 240_000);

test('a Handoff returns the number of its redacted secrets', async () => {
  const [source, target] = [await agent(), await agent()];
  await mutate('updateAgent', { id: source, collaborators: [target] }, 'agent { id }');
  const sessionId = await session({ agentId: source });
  const secret = tokenSamples().find(({ kind, form }) => kind === 'forge' && form === 'plain')!.secrets[0]!;
  await mutate('recordDecision', { sessionId, text: `Use ${secret}` }, 'decision { id }');
  await mutate(
    'initiateHandoff',
    { sessionId, targetAgentId: target, summary: `DB_PASSWORD=hunter2 and ${secret}` },
    'handoff { id }',
  );
  const { data } = await post<{ session: { handoffs: { nodes: { redactionCount: number; summary: string }[] } } }>(
    '{ session(id: "' + sessionId + '") { handoffs { nodes { redactionCount summary } } } }',
  );
  expect(data.session.handoffs.nodes).toEqual([
    { redactionCount: 3, summary: 'DB_PASSWORD=[redacted: password] and [redacted: github token]' },
  ]);
});

test('an idempotency key stays bound to an input that contained a secret', async () => {
  const title = titles.find((text) => text.length > 20)!;
  const [first, second] = [
    await session({ title, idempotencyKey: 'again' }),
    await session({ title, idempotencyKey: 'again' }),
  ];
  expect(second).toBe(first);
});
