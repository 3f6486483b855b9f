import { expect, it, vi } from 'vitest';
import { createApi } from '../../client/api/request.ts';
import { testDatabase } from '../../test/database.ts';
import { runFolder, startRun } from '../../test/running.ts';
import { startApp } from '../../test/server.ts';
import { vendorServer, type VendorAnswer } from '../../test/vendorServer.ts';

vi.setConfig({ testTimeout: 120_000 });

const database = await testDatabase();
const { url } = await startApp(database);
const ask = createApi({ url });

const providers = ['anthropic', 'openai', 'google', 'openai-compatible'] as const;
const agents = providers.flatMap((provider) =>
  [false, true].map((stream) => ({ id: `${provider}-${stream ? 'stream' : 'whole'}`, provider, stream })),
);

const call = (name: string, args: object | string = {}) => ({ name, args });
const note = (decision: unknown) => call('note', { decision });

/** The same hard way for each. */
const script: VendorAnswer[] = [
  { text: 'I begin.', calls: [note('First'), note('Second')] },
  { status: 429, retryAfter: '1' },
  { calls: [note(5), call('bash', { command: 'ls' })] },
  { status: 500 },
  { text: 'Third, which breaks.', calls: [note('Third')], fault: 'broken' },
  { fault: 'silent' },
  {},
  { text: 'This answer is cut', isCut: true },
  { calls: [call('transfer_to_nobody')] },
  { text: 'The closer goes on.', calls: [call('transfer_to_closer', { reason: 'All is said' })] },
];

interface Read {
  session: {
    status: string;
    result: unknown;
    agent: { id: string };
    decisions: { text: string }[];
    turns: {
      nodes: {
        index: number;
        usage: { inputTokens: number; outputTokens: number; model: string } | null;
        messages: { content: string }[];
        toolCalls: { name: string; error: string | null }[];
      }[];
    };
  };
}
const query = `query ($id: ID!) { session(id: $id) { status result agent { id } decisions { text }
  turns(last: 20) { nodes { index usage { inputTokens outputTokens model } messages { content } toolCalls { name error } } } } }`;

it('works the same with every provider, whole answers and streams: parallel calls, wrong arguments, unknown tools and targets, 429, 500, a broken connection, silence, an empty and a cut answer', async () => {
  const model = await vendorServer(Object.fromEntries(agents.map(({ id }) => [id, script])));
  const folder = runFolder({
    'models.json': Object.fromEntries(
      agents.map(({ id, provider, stream }) => [
        id,
        { provider, model: 'test', baseURL: `${model.url}/${id}`, apiKeyEnv: 'TEST_KEY', stream, timeoutSeconds: 2 },
      ]),
    ),
    'answers.json': {
      closer: [[{ calls: [call('finish')].map(({ name }) => ({ name, arguments: { result: 'Closed' } })) }]],
    },
  });
  const files = [...agents.map(({ id }) => ({ id, model: id })), { id: 'closer', model: 'script/answers.json' }].map(
    ({ id, model: name }) => ({
      path: `${id}.md`,
      content: `---\nname: ${id}\ntype: TEST\nmodel: ${name}\n---\nYou are ${id}.${id === 'closer' ? '' : '\n\n## Collaborations\n- closer: at the end'}`,
    }),
  );
  const imported = await fetch(`${url}/agents/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ files }),
  });
  expect(await imported.json()).toMatchObject({ problems: [] });
  await ask(
    'mutation { answer: updateAgent(input: { id: "closer", maxCapacity: 20 }) { __typename ... on Error { code message } } }',
    {},
  );
  const ids = new Map<string, string>();
  for (const { id } of agents) {
    const { session } = await ask<{ session: { id: string } }>(
      `mutation ($input: CreateSessionInput!) { answer: createSession(input: $input) {
        ... on CreateSessionPayload { session { id } } ... on Error { code message } } }`,
      { input: { title: id, request: 'Say it all.', agentId: id } },
    );
    ids.set(id, session.id);
  }
  const running = await startRun(folder, ['--url', url, '--models', 'models.json', '--parallel', '10'], {
    TEST_KEY: 'key-that-stays-here',
  });
  for (const { id } of agents) {
    const done = await vi.waitFor(
      async () => {
        const { session } = await ask<Read>(query, { id: ids.get(id)! });
        expect([id, session.status]).toEqual([id, 'COMPLETED']);
        return session;
      },
      { timeout: 60_000, interval: 100 },
    );
    const turns = done.turns.nodes.toSorted((a, b) => a.index - b.index).slice(1);
    expect([id, turns.map(({ messages }) => messages.map(({ content }) => content).join())]).toEqual([
      id,
      ['I begin.', '', 'This answer is cut', '', 'The closer goes on.', ''],
    ]);
    expect(
      turns.flatMap(({ toolCalls }) => toolCalls.map(({ name, error }) => `${name} ${error?.slice(0, 22) ?? ''}`)),
    ).toEqual([
      'note ',
      'note ',
      'note The arguments are wron',
      "bash There is no tool 'bash",
      "transfer_to_nobody No agent is named 'nob",
      'transfer_to_closer ',
      'finish ',
    ]);
    expect(done.decisions.map(({ text }) => text).sort()).toEqual(['First', 'Second']);
    expect(turns[0]!.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
    // The request and the results reached the model.
    expect(JSON.stringify(model.received[id]![0])).toContain('Say it all.');
    expect(JSON.stringify(model.received[id]!.at(-1))).toContain("There is no tool 'bash'");
    if (id.startsWith('google')) expect(JSON.stringify(model.received[id]!.at(-1))).toContain('signature of note');
  }
  running.kill('SIGTERM');
  expect(await running.exited).toBe(0);
  const told = running.lines.filter(({ event }) => event === 'retry').map(({ text }) => text);
  expect(told).toContainEqual(expect.stringMatching(/answered 429 .*asked again in 1\.0 s/));
  expect(told).toContainEqual(expect.stringMatching(/did not end its answer in 2 s/));
  expect([...model.keys].every((key) => key.includes('key-that-stays-here'))).toBe(true);
  expect(JSON.stringify([running.lines, running.stderr()])).not.toContain('key-that-stays-here');
});

it.each([false, true])('lets no key that a model says reach Baton or a line, streamed: %s', async (stream) => {
  const key = 'plain passphrase of mine';
  const id = `leaky-${stream}`;
  const model = await vendorServer({
    [id]: [
      { text: `I know ${key}.`, calls: [call('note', { decision: `It is ${key}` })] },
      { calls: [call('finish', { result: { deep: [`${key}!`] } })] },
    ],
  });
  const folder = runFolder({
    'models.json': {
      [id]: {
        provider: 'openai-compatible',
        model: 'test',
        baseURL: `${model.url}/${id}`,
        apiKeyEnv: 'TEST_KEY',
        stream,
      },
    },
    'team/one.md': `---\nname: ${id}\ntype: TEST\nmodel: ${id}\n---\nYou are it.`,
  });
  const asked = await startRun(
    folder,
    ['--url', url, '--models', 'models.json', '--agents', 'team', '--agent', id, 'Say it'],
    { TEST_KEY: key },
    ['ask'],
  );
  expect(await asked.exited).toBe(0);
  expect(asked.lines.map(({ text }) => text).join()).toContain('I know [redacted].');
  expect(model.keys).toContain(`Bearer ${key}`);
  const { rows } = await database.pool.query<{ found: string }>(
    `SELECT content AS found FROM messages UNION ALL SELECT arguments::text FROM tool_calls
     UNION ALL SELECT text FROM decisions UNION ALL SELECT result::text FROM sessions`,
  );
  expect(rows.map(({ found }) => found).filter((found) => found?.includes(key))).toEqual([]);
  expect(JSON.stringify([asked.lines, asked.stderr()])).not.toContain(key);
});
