import { describe, expect, test } from 'vitest';
import { callsIn, readFixture, readText, saidIn } from '../../../../test/readTranscripts.ts';

test('lists no file as modified when its only Write failed', async () => {
  const transcript = await readFixture('claude-failed-write');
  expect(transcript.facts).toMatchObject({
    filesModified: [],
    toolErrors: 1,
    toolCalls: [{ name: 'Write', count: 1 }],
  });
  expect(callsIn(transcript)).toMatchObject([
    {
      callId: 'toolu_w',
      result: null,
      error: '<tool_use_error>File has not been read yet.</tool_use_error>',
      filesModified: [],
    },
  ]);
});

test('reads a slash command as a user message, and the text behind it as SYSTEM', async () => {
  const transcript = await readFixture('claude-failed-write');
  expect(transcript.facts.humanMessages).toBe(1);
  expect(saidIn(transcript)).toEqual([
    '0 USER: <command-message>init is analyzing your codebase…</command-message>\n<command-name>/init</command-name>',
    '0 SYSTEM: Look at this codebase and write down what a newcomer needs.',
    '0 ASSISTANT: NOTES.md was there already; nothing was written.',
  ]);
});

test("puts a sub-agent's lines into the turn, and its messages under TOOL", async () => {
  const transcript = await readFixture('claude-sidechain-inline');
  expect(transcript.facts).toMatchObject({ sidechainLines: 6, humanMessages: 1, assistantMessages: 10 });
  expect(saidIn(transcript)).toEqual([
    '0 USER: Update the notes.',
    '0 SYSTEM: Look around in the garden.',
    '0 TOOL: I look around.',
    '0 TOOL: There is one file, NOTES.md.',
    '0 ASSISTANT: The notes are up to date.',
  ]);
});

test('lists files with successful results as modified, and takes the last valid task list of the main chain', async () => {
  const { facts } = await readFixture('claude-sidechain-inline');
  expect(facts).toMatchObject({
    filesModified: ['/home/someone/garden/NOTES.md', '/home/someone/garden/plan.ipynb'],
    toolErrors: 2,
    tasks: [
      { content: 'Ask a helper', status: 'DONE' },
      { content: 'Update the notes', status: 'IN_PROGRESS' },
    ],
  });
});

test('reads interruptions, output of local commands and notifications as SYSTEM', async () => {
  const transcript = await readFixture('claude-interrupts');
  expect(transcript.facts).toMatchObject({
    humanMessages: 3,
    toolErrors: 1,
    unknownTypes: [],
    entryTypes: [
      { name: 'file-history-snapshot', count: 1 },
      { name: 'progress', count: 1 },
      { name: 'user', count: 9 },
      { name: 'assistant', count: 2 },
      { name: 'system', count: 1 },
      { name: 'queue-operation', count: 1 },
    ],
  });
  expect(saidIn(transcript).map((said) => said.slice(0, 40))).toEqual([
    '0 USER: Start the server in the backgrou',
    '0 SYSTEM: [Request interrupted by user f',
    '0 SYSTEM: <local-command-caveat>Caveat: ',
    '1 USER: <command-name>/mcp</command-name',
    '1 SYSTEM: <local-command-stdout>Reconnec',
    '1 SYSTEM: <task-notification>\n<task-id>b',
    '2 USER: And now stop it again.',
    '2 ASSISTANT: It is stopped.',
    '2 SYSTEM: [Request interrupted by user]',
  ]);
});

test('takes times from the lines, not from their content', async () => {
  const { facts } = await readFixture('claude-interrupts');
  expect([facts.firstAt, facts.lastAt]).toEqual([new Date('2026-03-02T09:00:01Z'), new Date('2026-03-02T09:00:30Z')]);
});

test('ignores progress lines that repeat a sub-agent', async () => {
  const transcript = await readFixture('claude-subagent-parent');
  expect(callsIn(transcript).map(({ name, result }) => [name, result])).toEqual([
    ['Task', 'It is 4 by 6 metres.'],
    ['AskUserQuestion', 'User has answered your questions: Glass or foil? = Glass'],
    ['ExitPlanMode', 'User has approved your plan.'],
  ]);
  expect(transcript.facts).toMatchObject({ assistantMessages: 4, thinkingBlocks: 1, filesModified: [] });
});

test.each([true, false])('reads no user message from the file of a sub-agent (sidechain: %s)', async (sidechain) => {
  const transcript = await readFixture('claude-subagent', { sidechain });
  expect(transcript.facts).toMatchObject({
    humanMessages: 0,
    assistantMessages: 2,
    sidechainLines: 5,
    toolErrors: 1,
    tasks: [],
  });
  expect(saidIn(transcript)).toEqual(['0 SYSTEM: Measure the plot.', '0 TOOL: It is 4 by 6 metres.']);
});

test("reads every line as a sub-agent's with sidechain: true", async () => {
  const { facts } = await readFixture('claude-sidechain-inline', { sidechain: true });
  expect(facts).toMatchObject({ humanMessages: 0, sidechainLines: 21, tasks: [], assistantMessages: 10 });
});

test('puts a compaction where it happened, before its summary', async () => {
  const { entries, facts } = await readFixture('claude-compaction');
  expect(entries.map((entry) => (entry.kind === 'message' ? entry.role : entry.kind))).toEqual([
    'USER',
    'ASSISTANT',
    'call',
    'compaction',
    'SYSTEM',
    'ASSISTANT',
    'call',
    'ASSISTANT',
  ]);
  expect(facts).toMatchObject({ compactions: 1, humanMessages: 1 });
});

test('joins a message that spans several lines, with the usage of its last line', async () => {
  const transcript = await readFixture('claude-several-lines');
  expect(transcript.facts).toMatchObject({
    lines: 8,
    assistantMessages: 2,
    thinkingBlocks: 2,
    usage: {
      inputTokens: 4,
      outputTokens: 47,
      cacheCreationInputTokens: 200,
      cacheReadInputTokens: 2_000,
      model: 'claude-opus-4-6',
    },
  });
  expect(saidIn(transcript)).toEqual(['0 USER: Count the apples.', '0 ASSISTANT: I count.', '0 ASSISTANT: Seven.']);
  const [call] = callsIn(transcript);
  expect(call?.message?.parts[0]?.text).toBe('I count.');
});

test('builds the task list from single creations and updates, without failed and deleted ones', async () => {
  const { facts } = await readFixture('claude-tasks');
  expect(facts.tasks).toEqual([
    { content: 'Saw the boards', status: 'DONE' },
    { content: 'Sand the boards', status: 'IN_PROGRESS' },
    { content: 'Paint it', status: 'PENDING' },
  ]);
});

test('counts broken, unknown and odd lines, and reads the others', async () => {
  const transcript = await readFixture('claude-broken-lines', { skipDamaged: true });
  expect(transcript.facts).toMatchObject({
    lines: 13,
    badLines: 4,
    hugeLines: 0,
    unknownTypes: [
      { name: 'butterfly', count: 2 },
      { name: '(none)', count: 1 },
    ],
    humanMessages: 1,
    assistantMessages: 3,
    toolCalls: [],
    usage: { inputTokens: 3, outputTokens: 10, cacheCreationInputTokens: 100, cacheReadInputTokens: 1_000 },
  });
  expect(saidIn(transcript)).toEqual(['0 USER: Weed the path.', '0 ASSISTANT: The path is clean.']);
});

test('replaces NUL and unpaired surrogates with U+FFFD everywhere, and counts them', async () => {
  const transcript = await readFixture('claude-unstorable');
  expect(transcript.facts.replacedCharacters).toBe(6);
  expect(saidIn(transcript)).toEqual(['0 USER: A NUL \uFFFD in words.', '0 ASSISTANT: half \uFFFD half']);
  expect(callsIn(transcript)).toMatchObject([
    { arguments: { command: 'printf \uFFFD', 'deep\uFFFDkey': ['x\uFFFD'] }, result: 'out\uFFFDput' },
  ]);
});

test('knows titles, links and modes, and ignores a failed result without its call', async () => {
  const lines = ['permission-mode', 'custom-title', 'ai-title', 'last-prompt', 'pr-link'].map((type) => ({
    type,
    sessionId: 's',
  }));
  const stray = {
    type: 'user',
    sessionId: 's',
    uuid: 'u',
    message: { content: [{ type: 'tool_result', tool_use_id: 'elsewhere', is_error: true, content: 'bad' }] },
  };
  expect((await readText([...lines, stray].map((line) => JSON.stringify(line)).join('\n'))).facts).toMatchObject({
    unknownTypes: [],
    toolErrors: 0,
  });
});

test('reads words that a person sent while the agent worked, and no other queued text', async () => {
  const queued = (prompt: string, fields: object) => ({
    type: 'attachment',
    attachment: { type: 'queued_command', prompt, ...fields },
  });
  const transcript = await readText(
    [
      { type: 'user', message: { content: 'Repair the fence.' } },
      queued('Use oak.', { commandMode: 'prompt', origin: { kind: 'human' } }),
      queued('Go on.', { commandMode: 'prompt', origin: { kind: 'auto-continuation' } }),
      queued('<task-notification>done</task-notification>', { commandMode: 'task-notification' }),
    ]
      .map((entry, index) => JSON.stringify({ sessionId: 's', uuid: `u${index}`, ...entry }))
      .join('\n'),
  );
  expect(saidIn(transcript).filter((text) => text.includes('USER'))).toEqual([
    '0 USER: Repair the fence.',
    '1 USER: Use oak.',
  ]);
});

describe('words of people outside of their own entries', () => {
  const entries = (...list: object[]): string =>
    list.map((entry, index) => JSON.stringify({ sessionId: 's', uuid: `u${index}`, ...entry })).join('\n');
  const user = (content: unknown) => ({ type: 'user', message: { content } });
  const agent = (...content: object[]) => ({ type: 'assistant', message: { content } });
  const call = (id: string) => ({ type: 'tool_use', id, name: 'Edit', input: { file_path: '/f', new_string: id } });
  const refused = (id: string, text: string) =>
    user([{ type: 'tool_result', tool_use_id: id, is_error: true, content: text }]);
  const queue = (operation: string, content?: string) => ({ type: 'queue-operation', operation, content });
  const said = async (text: string): Promise<string[]> =>
    saidIn(await readText(text)).filter((line) => line.includes('USER'));
  const how =
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";

  test.each([
    ['after a colon', `${how} To tell you how to proceed, the user said:\nUse oak.\nNot pine.`, 'Use oak.\nNot pine.'],
    [
      'as a reason',
      "The user doesn't want to take this action right now. The user provided the following reason for the rejection: Use oak.",
      'Use oak.',
    ],
    [
      'before a note of the program',
      `${how} To tell you how to proceed, the user said:\nUse oak.\n\nNote: The user's next message may contain a correction or preference. Pay close attention.`,
      'Use oak.',
    ],
    ['without words', `${how} STOP what you are doing and wait for the user to tell you how to proceed.`, null],
    ['in the output of a command', `exit 1\nthe user said:\nUse oak.`, null],
  ])('reads what a person wrote with a refusal: %s', async (_name, result, words) => {
    const text = entries(user('Repair the fence.'), agent(call('c1')), refused('c1', result));
    expect(await said(text)).toEqual(['0 USER: Repair the fence.', ...(words === null ? [] : [`1 USER: ${words}`])]);
  });

  test.each([
    ['taken out while the agent works', [queue('enqueue', 'Use oak.'), queue('remove')], ['Use oak.']],
    ['in their order', [queue('enqueue', 'a'), queue('enqueue', 'b'), queue('remove'), queue('remove')], ['a', 'b']],
    ['by their text', [queue('enqueue', 'a'), queue('enqueue', 'b'), queue('remove', 'b')], ['b']],
    ['taken back into the input', [queue('enqueue', 'Use oak.'), queue('popAll'), queue('remove')], []],
    ['with an entry of their own', [queue('enqueue', 'Use oak.'), queue('dequeue'), user('Use oak.')], ['Use oak.']],
    [
      'taken out, and then with an entry of their own',
      [queue('enqueue', 'Use oak.'), queue('remove'), user('Use oak.')],
      ['Use oak.'],
    ],
    [
      'taken out, and then as an attachment',
      [
        queue('enqueue', 'Use oak.'),
        queue('remove'),
        { type: 'attachment', attachment: { type: 'queued_command', commandMode: 'prompt', prompt: 'Use oak.' } },
      ],
      ['Use oak.'],
    ],
    ['of the program', [queue('enqueue', '<task-notification>done</task-notification>'), queue('remove')], []],
    ['a command of the program', [queue('enqueue', '/exit'), queue('remove')], []],
  ])('reads queued words once: %s', async (_name, list, words) => {
    const text = entries(user('Repair the fence.'), agent({ type: 'text', text: 'I do.' }), ...list);
    expect((await said(text)).map((line) => line.replace(/^\d+ USER: /, ''))).toEqual(['Repair the fence.', ...words]);
  });
});
