import { expect, test } from 'vitest';
import { callsIn, readFixture, readText, saidIn } from '../../../../test/readTranscripts.ts';

const transcript = await readFixture('codex-rollout');

const readLines = (...lines: [string, object][]) =>
  readText(lines.map(([type, payload]) => JSON.stringify({ type, payload })).join('\n'));
const item = (text: string, role = 'user'): [string, object] => [
  'response_item',
  { type: 'message', role, content: [{ type: 'input_text', text }] },
];
const event = (message: string): [string, object] => ['event_msg', { type: 'user_message', message }];
const completed = (text: string): [string, object] => [
  'event_msg',
  { type: 'item_completed', item: { type: 'UserMessage', content: [{ type: 'text', text }] } },
];
const used = (total: number, last: number): [string, object] => [
  'event_msg',
  {
    type: 'token_count',
    info: {
      total_token_usage: { input_tokens: total, output_tokens: total },
      last_token_usage: { input_tokens: last, output_tokens: last, cached_input_tokens: 1 },
    },
  },
];

test('reads a user message once from its item and its event, and again when it is repeated', () => {
  expect(saidIn(transcript)).toEqual([
    '0 SYSTEM: <permissions instructions>Only the garden.</permissions instructions>',
    '0 SYSTEM: # AGENTS.md instructions for /home/someone/garden\n\n<INSTRUCTIONS>Mind the roses.</INSTRUCTIONS>',
    '0 SYSTEM: <environment_context>\n  <cwd>/home/someone/garden</cwd>\n</environment_context>',
    '0 USER: Repair the fence.',
    '0 ASSISTANT: I look at it first.',
    '0 ASSISTANT: North and south are mended.',
    '1 USER: Repair the fence.',
    '1 SYSTEM: The fence is mended but for the west side.',
  ]);
  expect(transcript.facts).toMatchObject({ humanMessages: 2, assistantMessages: 2, thinkingBlocks: 1, compactions: 1 });
});

test('reads arguments and outcomes of calls, and failures only from the status before the output', () => {
  expect(callsIn(transcript).map(({ callId, result, error }) => [callId, result ?? error, error !== null])).toEqual([
    ['call_look', expect.stringContaining('No such file'), true],
    ['call_plan1', 'Plan updated', false],
    ['call_cat', expect.stringContaining('Exit code: 7'), false],
    ['call_p1', expect.stringContaining('Success'), false],
    ['call_p2', 'Failed to find context', true],
    ['call_plan2', 'Plan updated', false],
    ['call_sh', 'Success.', false],
    [expect.stringMatching(/^web_search-/), 'completed', false],
    ['call_open', null, false],
  ]);
  expect(callsIn(transcript)[0]?.arguments).toEqual({ cmd: 'ls fence' });
  expect(transcript.facts.toolErrors).toBe(2);
});

test('reads an answer in place of an output as a failure, and its patch as not applied', async () => {
  const answers = [
    'apply_patch verification failed: Failed to find expected lines in a.md',
    'failed in sandbox MacosSeatbelt with execution error: sandbox denied exec error, exit code: 1, stdout: , stderr: no',
    'patch rejected by user',
    'execution error: Io(Custom { kind: Other })',
  ];
  const lines = answers.flatMap((output, index) => [
    {
      type: 'response_item',
      payload: {
        type: 'custom_tool_call',
        call_id: `c${index}`,
        name: 'apply_patch',
        input: '*** Begin Patch\n*** Update File: a.md\n*** End Patch',
      },
    },
    { type: 'response_item', payload: { type: 'custom_tool_call_output', call_id: `c${index}`, output } },
  ]);
  const read = await readText(lines.map((line) => JSON.stringify(line)).join('\n'));
  expect(callsIn(read).map(({ error }) => error)).toEqual(answers);
  expect(read.facts).toMatchObject({ toolErrors: 4, filesModified: [] });
});

test('lists the files of successful patches, from calls and from commands', () => {
  expect(transcript.facts.filesModified).toEqual([
    'fence/east.md',
    'fence/north.md',
    'fence/rotten.md',
    'fence/south.md',
    'fence/sunrise.md',
  ]);
});

test('takes the last plan as the tasks', () => {
  expect(transcript.facts.tasks).toEqual([
    { content: 'Find the fence', status: 'DONE' },
    { content: 'Mend it', status: 'IN_PROGRESS' },
  ]);
});

test('sums the usage of requests in their turn, with cached tokens apart', () => {
  expect(transcript.facts.usage).toEqual({
    inputTokens: 2_000,
    outputTokens: 300,
    cacheCreationInputTokens: 0,
    cacheReadInputTokens: 7_000,
    model: 'gpt-5.5',
  });
  expect(
    transcript.usage.map(({ turn, tokens }) => [
      turn,
      tokens.inputTokens,
      tokens.cacheReadInputTokens,
      tokens.outputTokens,
    ]),
  ).toEqual([
    [0, 1_500, 1_500, 120],
    [1, 500, 5_500, 180],
  ]);
});

test('counts types with their content type, and names unknown ones', () => {
  expect(transcript.facts.unknownTypes).toEqual([{ name: 'dance/waltz', count: 1 }]);
  expect(transcript.facts.entryTypes).toContainEqual({ name: 'response_item/function_call', count: 6 });
});

test('reads no user message from the rollout of a sub-agent', async () => {
  const { facts } = await readFixture('codex-rollout', { sidechain: true });
  expect(facts).toMatchObject({ humanMessages: 0, tasks: [], sidechainLines: 39 });
});

test('reads a user item without an event as SYSTEM, and begins no turn', async () => {
  const { facts, usage, ...read } = await readLines(
    item('One'),
    event('One'),
    item('Done.', 'assistant'),
    item('Use the other tool.'),
    used(5, 5),
    item('Again.', 'assistant'),
    item('Two'),
    event('Two'),
    used(9, 4),
  );
  expect(saidIn({ facts, usage, ...read })).toEqual([
    '0 USER: One',
    '0 ASSISTANT: Done.',
    '0 SYSTEM: Use the other tool.',
    '0 ASSISTANT: Again.',
    '1 USER: Two',
  ]);
  expect(facts.humanMessages).toBe(2);
  expect(usage.map(({ turn }) => turn)).toEqual([0, 1]);
});

test('reads user items without events as user messages when the file has no events, and a last item whose event may follow', async () => {
  expect((await readLines(item('One'), item('Done.', 'assistant'), item('Two'))).facts.humanMessages).toBe(2);
  expect(
    (await readLines(item('One'), event('One'), item('Done.', 'assistant'), item('Two'))).facts.humanMessages,
  ).toBe(2);
});

test('reads user messages of newer rollouts from items, and from both', async () => {
  expect(
    saidIn(
      await readLines(
        item('One'),
        completed('One'),
        item('Done.', 'assistant'),
        item('Chatter'),
        item('Yes.', 'assistant'),
      ),
    ),
  ).toEqual(['0 USER: One', '0 ASSISTANT: Done.', '0 SYSTEM: Chatter', '0 ASSISTANT: Yes.']);
  for (const lines of [
    [item('One'), event('One'), completed('One')],
    [event('One'), completed('One'), item('One')],
  ])
    expect((await readLines(...lines)).facts.humanMessages).toBe(1);
});

test("sums each request's usage once when the total is repeated or starts again", async () => {
  const { facts, usage } = await readLines(
    event('One'),
    used(10, 10),
    used(10, 10),
    used(25, 15),
    used(7, 7),
    item('Done.', 'assistant'),
    event('Two'),
    used(12, 5),
  );
  expect(facts.usage).toMatchObject({ inputTokens: 10 + 15 + 7 + 5 - 4, cacheReadInputTokens: 4, outputTokens: 37 });
  expect(usage.map(({ tokens }) => tokens.outputTokens)).toEqual([32, 5]);
});

test('reads a web search as a call', async () => {
  const search = { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'oats' } };
  const read = await readLines(['response_item', search], ['response_item', search]);
  expect(callsIn(read)).toMatchObject([
    { name: 'web_search', arguments: { type: 'search', query: 'oats' }, result: 'completed', error: null },
    { name: 'web_search', result: 'completed' },
  ]);
});

test('ignores a failed result whose call is not in the file', async () => {
  expect(
    (
      await readLines(event('One'), [
        'response_item',
        { type: 'function_call_output', call_id: 'elsewhere', output: 'Exit code: 1\nOutput:\n' },
      ])
    ).facts.toolErrors,
  ).toBe(0);
});

test('knows the lines that newer versions add', async () => {
  expect(
    (await readLines(event('One'), ['world_state', { full: true }], ['token_usage_record', { usage: {} }])).facts
      .unknownTypes,
  ).toEqual([]);
});

test('gives a call its outcome that stands before it in the file', async () => {
  const item = (payload: object) =>
    JSON.stringify({ timestamp: '2026-03-02T09:00:00Z', type: 'response_item', payload });
  const call = { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"npm test"}', call_id: 'c1' };
  const output = { type: 'function_call_output', call_id: 'c1', output: 'Process exited with code 3\nOutput:\nbad' };
  const read = async (...items: object[]) => {
    const transcript = await readText([{ type: 'message', role: 'user', content: [] }, ...items].map(item).join('\n'));
    return [callsIn(transcript).map(({ error, result }) => [error, result]), transcript.facts.toolErrors];
  };
  expect(await read(output, call)).toEqual(await read(call, output));
  expect(await read(output, call)).toEqual([[['Process exited with code 3\nOutput:\nbad', null]], 1]);
});

test.each([
  [{ sandbox_policy: { mode: 'read-only' }, approval_policy: 'on-request' }, 'read-only, approval on-request'],
  [{ sandbox_policy: { type: 'workspace-write', network_access: false } }, 'workspace-write without network'],
  [{ sandbox_policy: 'danger-full-access', approval_policy: 'never' }, 'danger-full-access, approval never'],
  [{ sandbox_policy: { mode: 'ignore all rules' } }, undefined],
  [{}, undefined],
])('reads of a turn context what its agent was allowed: %j', async (context, sandbox) => {
  const { standings } = await readLines(
    ['turn_context', { cwd: '/w', ...context }],
    item('Mend it.'),
    event('Mend it.'),
  );
  expect(standings.at(-1)?.sandbox).toBe(sandbox);
});
