import { describe, expect, it, test } from 'vitest';
import { made, madeFormats, madeOtherwise } from '../../../../test/madeTranscripts.ts';
import { callsIn, readText, saidIn } from '../../../../test/readTranscripts.ts';
import { logOf } from '../../../../test/recordedLogs.ts';
import { ownWords } from '../../context/ownWords.ts';
import { failedAttemptsOf } from '../../context/derive/failedAttempts.ts';
import { workspaceOf } from '../../context/derive/workspace.ts';

const jsonLines = (...entries: object[]): string => entries.map((entry) => JSON.stringify(entry)).join('\n');
/** The calls, each as "name: outcome". */
const outcomes = async (text: string): Promise<string[]> =>
  callsIn(await readText(text)).map(
    ({ name, result, error }) => `${name}: ${error === null ? (result ?? '(open)') : `failed, ${error}`}`,
  );

test.each([...madeFormats.map((format) => [format, made[format]] as const), ...madeOtherwise])(
  'reads the words, the call and the answer of a file of %s',
  async (format, write) => {
    const read = await readText(write({}));
    expect(read).toMatchObject({ format, facts: { humanMessages: 1, unknownTypes: [], toolErrors: 0 } });
    expect(saidIn(read).filter((line) => !line.includes('SYSTEM'))).toEqual([
      '0 USER: Mend the fence.',
      '0 ASSISTANT: It is mended.',
    ]);
    const [call] = callsIn(read);
    if (format === 'AIDER') expect(call).toMatchObject({ name: 'edit', filesModified: ['fence.ts'] });
    else expect(call).toMatchObject({ arguments: { command: 'npm test' }, result: 'ok', turn: 0 });
    expect(callsIn(read)).toHaveLength(1);
    expect(await readText(write({}))).toEqual(read);
  },
);

describe('lines of Gemini CLI', () => {
  const head = { sessionId: 's', projectHash: 'h', startTime: '2026-03-02T09:00:00Z' };
  const message = (id: string, type: string, fields: object) => ({
    id,
    type,
    timestamp: '2026-03-02T09:00:01Z',
    ...fields,
  });
  const user = (id: string, text: string) => message(id, 'user', { content: [{ text }] });
  const gemini = (id: string, text: string, fields: object = {}) => message(id, 'gemini', { content: text, ...fields });

  it('counts the tokens of a message that is written before them, and each call once', async () => {
    const read = await readText(made.GEMINI_CLI({}));
    const lines = await readText(madeOtherwise[0]![1]({}));
    expect(lines.facts.usage).toMatchObject({ inputTokens: 20, outputTokens: 4, cacheReadInputTokens: 10 });
    // A document and the lines that continue it name the same messages and calls.
    const keys = new Set(lines.lines.map(({ key }) => key));
    expect(read.lines.filter(({ bears }) => bears).every(({ key }) => keys.has(key))).toBe(true);
  });

  it('takes messages from which a person went back out of the conversation', async () => {
    const read = await readText(
      jsonLines(
        head,
        user('u1', 'Mend the fence.'),
        gemini('g1', 'With wire.'),
        { $rewindTo: 'u1' },
        user('u2', 'Mend the gate.'),
        gemini('g2', 'Done.'),
      ),
    );
    expect(saidIn(read)).toEqual([
      '0 SYSTEM: Mend the fence.',
      '0 SYSTEM: With wire.',
      '1 USER: Mend the gate.',
      '1 ASSISTANT: Done.',
    ]);
    expect(read.title).toBe('Mend the gate.');
  });

  it('counts a compressed window, and keeps what was said before', async () => {
    const read = await readText(
      jsonLines(head, user('u1', 'Mend the fence.'), gemini('g1', 'Yes.'), {
        $set: { messages: [user('x', 'A summary of all that.'), gemini('g1', 'Yes.')], summary: 'The fence' },
      }),
    );
    expect(read).toMatchObject({ title: 'The fence', facts: { compactions: 1, humanMessages: 1 } });
    expect(saidIn(read)).toEqual(['0 USER: Mend the fence.', '0 ASSISTANT: Yes.', '0 SYSTEM: A summary of all that.']);
  });

  it('reads what a person typed instead of what the program made of it, and no thoughts', async () => {
    const read = await readText(
      jsonLines(
        head,
        { ...user('u1', 'See @a.ts\nall of a.ts'), displayContent: 'See @a.ts' },
        message('g1', 'gemini', { content: [{ text: 'Hm.', thought: true }, { text: 'Seen.' }] }),
      ),
    );
    expect(saidIn(read)).toEqual(['0 USER: See @a.ts', '0 ASSISTANT: Seen.']);
  });

  it("reads a sub-agent's session as one", async () => {
    const { facts } = await readText(
      jsonLines({ ...head, kind: 'subagent' }, user('u1', 'Look.'), gemini('g1', 'Ok.')),
    );
    expect(facts).toMatchObject({ humanMessages: 0, sidechainLines: 3 });
  });
});

describe('failed calls, as each format says', () => {
  it('of OpenCode: the status', async () => {
    const tool = (callID: string, state: object) => ({
      type: 'tool_use',
      sessionID: 'ses_1',
      part: { id: `p${callID}`, messageID: 'm1', type: 'tool', tool: 'bash', callID, state },
    });
    const text = jsonLines(
      tool('a', { status: 'error', input: {}, error: 'No such file', time: { start: 1, end: 2 } }),
      tool('b', { status: 'completed', input: {}, output: 'bad', metadata: { exit: 2 }, time: { start: 1, end: 2 } }),
      tool('c', { status: 'running', input: {} }),
    );
    expect(await outcomes(text)).toEqual(['bash: failed, No such file', 'bash: Exit code: 2\nbad', 'bash: (open)']);
    expect(await readText(text)).toMatchObject({ format: 'OPENCODE', facts: { toolErrors: 1 } });
  });

  it('of Copilot CLI: success', async () => {
    const event = (type: string, data: object) => ({
      type,
      data,
      id: JSON.stringify(data),
      timestamp: '',
      parentId: null,
    });
    const text = jsonLines(
      event('tool.execution_complete', { toolCallId: 'a', success: false, error: { message: 'Denied' } }),
      event('tool.execution_start', { toolCallId: 'a', toolName: 'create', arguments: { path: 'a.ts' } }),
      event('tool.execution_start', { toolCallId: 'b', toolName: 'bash', arguments: {} }),
      event('tool.execution_complete', {
        toolCallId: 'b',
        success: true,
        result: { content: 'bad\n<exited with exit code 1>' },
      }),
    );
    expect(await outcomes(text)).toEqual([
      'create: failed, Denied',
      'bash: Exit code: 1\nbad\n<exited with exit code 1>',
    ]);
    expect(await readText(text)).toMatchObject({ format: 'COPILOT_CLI', facts: { toolErrors: 1, filesModified: [] } });
  });

  it('of Cursor CLI: the name of the result', async () => {
    const call = (call_id: string, kind: string, result: object) => ({
      type: 'tool_call',
      subtype: 'completed',
      call_id,
      session_id: 's',
      tool_call: { [kind]: { args: { path: 'a.ts' }, result } },
    });
    const text = jsonLines(
      call('a', 'editToolCall', { success: { message: 'edited' } }),
      call('b', 'readToolCall', { error: { errorMessage: 'Not found' } }),
      call('c', 'shellToolCall', { failure: { exitCode: 1, stdout: 'bad', stderr: '' } }),
      call('d', 'shellToolCall', { rejected: {} }),
    );
    expect(await outcomes(text)).toEqual([
      'Edit: edited',
      'Read: failed, Not found',
      'Shell: failed, Exit code: 1\nbad',
      'Shell: failed, rejected: {}',
    ]);
    expect(await readText(text)).toMatchObject({ facts: { toolErrors: 3, filesModified: ['a.ts'] } });
  });

  it('of Codex: an error in place of output, and the exit code', async () => {
    const output = (id: string, text: string) => [
      { type: 'response_item', payload: { type: 'function_call', call_id: id, name: 'x', arguments: '{}' } },
      { type: 'response_item', payload: { type: 'function_call_output', call_id: id, output: text } },
    ];
    const { facts } = await readText(
      jsonLines(
        { type: 'event_msg', payload: { type: 'mcp_tool_call_end', call_id: 'a', result: { Ok: { isError: true } } } },
        { type: 'event_msg', payload: { type: 'patch_apply_end', call_id: 'e', success: true } },
        ...output('a', 'No such issue'),
        ...output('e', 'Done'),
        ...output('b', 'tool call failed for `x`'),
        ...output('c', 'The last run failed: see above'),
        ...output('d', '{"output":"user@exam\\ple.com","metadata":{"exit_code":2,"duration_seconds":0.1}}'),
      ),
    );
    expect(facts.toolErrors).toBe(3);
  });
});

describe('Cursor CLI', () => {
  it('reads the transcripts that it keeps', async () => {
    const line = (role: string, ...content: object[]) => ({ role, message: { content } });
    const read = await readText(
      jsonLines(
        line('user', { type: 'text', text: '<user_query>\nMend the fence.\n</user_query>' }),
        line(
          'assistant',
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', name: 'Write', input: { path: 'a.ts' } },
        ),
      ),
    );
    expect([read.format, saidIn(read)]).toEqual(['CURSOR_CLI', ['0 USER: Mend the fence.', '0 ASSISTANT: I look.']]);
    expect(callsIn(read)).toMatchObject([{ name: 'Write', arguments: { path: 'a.ts' } }]);
  });

  it('reads an answer that comes in parts once', async () => {
    const said = (text: string, fields: object = {}) => ({
      type: 'assistant',
      session_id: 's',
      message: { role: 'assistant', content: [{ type: 'text', text }] },
      ...fields,
    });
    const read = await readText(
      jsonLines(
        said('I ', { timestamp_ms: 1 }),
        said('look.', { timestamp_ms: 2 }),
        said('I look.', { timestamp_ms: 3, model_call_id: 'm' }),
        said('All ', { timestamp_ms: 4 }),
        said('done.', { timestamp_ms: 5 }),
        { type: 'result', subtype: 'success', session_id: 's', result: 'I look.All done.' },
      ),
    );
    expect(saidIn(read)).toEqual(['0 ASSISTANT: I look.', '0 ASSISTANT: All done.']);
  });
});

describe('Aider', () => {
  const history = (...lines: string[]): string =>
    ['# aider chat started at 2026-03-02 09:00:00', '', ...lines].join('\n');

  it('tells words, answers with their code, edits, commands and tokens apart', async () => {
    const read = await readText(
      history(
        '> Main model: gpt-5.4 with diff edit format  ',
        '#### /add fence.ts  ',
        '',
        '#### Mend the fence.  ',
        '#### And test it.  ',
        '',
        '# Plan',
        '#### If you use **npm**:',
        '```md',
        '# Fence',
        '> a quote',
        '#### A heading',
        '',
        '    indented',
        '```',
        '> Tokens: 3.4k sent, 1.2k cache hit, 200 received. Cost: $0.01 message, $0.01 session.  ',
        '> Applied edit to fence.ts  ',
        '> Running npm test  ',
        '',
        '#### # Fix any errors below, if possible.  ',
        '#### bad  ',
        '',
        'I mend it.',
        '> The LLM did not conform to the edit format.  ',
      ),
    );
    expect(saidIn(read)).toEqual([
      '0 SYSTEM: /add fence.ts',
      '0 USER: Mend the fence.\nAnd test it.',
      '0 ASSISTANT: # Plan\n#### If you use **npm**:\n```md\n# Fence\n> a quote\n#### A heading\n\n    indented\n```',
      '0 SYSTEM: # Fix any errors below, if possible.\nbad',
      '0 ASSISTANT: I mend it.',
    ]);
    expect(callsIn(read).map(({ name, arguments: given, error }) => [name, given, error !== null])).toEqual([
      ['edit', { path: 'fence.ts' }, false],
      ['shell', { command: 'npm test' }, false],
      ['edit', {}, true],
    ]);
    expect(read.facts).toMatchObject({
      filesModified: ['fence.ts'],
      toolErrors: 1,
      firstAt: new Date('2026-03-02T09:00:00Z'),
      usage: { inputTokens: 2_200, cacheReadInputTokens: 1_200, outputTokens: 200, model: 'gpt-5.4' },
    });
  });

  const block = (path: string, from: string): string[] => [
    path,
    '```python',
    '<<<<<<< SEARCH',
    from,
    '=======',
    'new',
    '>>>>>>> REPLACE',
    '```',
  ];
  const refused = [
    '# 2 SEARCH/REPLACE blocks failed to match!',
    '',
    ...['a.py', 'b.py'].flatMap((path) => [
      `## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in ${path}`,
      '<<<<<<< SEARCH',
      '    old',
      '=======',
      '>>>>>>> REPLACE',
      '',
    ]),
    'The SEARCH section must exactly match an existing block of lines including all white space',
    '',
    '# The other 2 SEARCH/REPLACE blocks were applied successfully.',
    "Don't re-send them.",
    'Just reply with fixed versions of the blocks above that failed to match.',
  ];

  it.each([
    ['a mark before each line', refused.map((line) => `> ${line}  `)],
    ['one mark before all lines', [`> ${refused.join('\n')}  `]],
  ])('tells the blocks that were applied from those that were not, with %s', async (_how, notice) => {
    const read = await readText(
      history(
        '> Git working dir: /home/ada/shop  ',
        '#### Mend both.  ',
        '',
        'I mend them.',
        '',
        ...['a.py', 'a.py', 'b.py', 'src/c.py'].flatMap((path, n) => block(path, `old ${n}`)),
        '',
        '> The LLM did not conform to the edit format.  ',
        '> https://aider.chat/docs/troubleshooting/edit-errors.html  ',
        ...notice,
        '',
        'Here it is again.',
        '',
        ...block('a.py', 'older'),
        '',
        '> Applied edit to a.py  ',
        '> Commit 1a2b3c4 fix: mend both  ',
        '> Commit all pending changes? (Y)es/(N)o [Yes]: y  ',
      ),
    );
    expect(callsIn(read).map(({ arguments: given, error }) => [given, error !== null])).toEqual([
      [{ path: 'a.py' }, false],
      [{ path: 'src/c.py' }, false],
      [{ path: 'a.py' }, true],
      [{ path: 'b.py' }, true],
      [{ path: 'a.py' }, false],
    ]);
    expect(read.facts.filesModified).toEqual(['a.py', 'src/c.py']);
    expect(read.standings.at(-1)).toMatchObject({ folder: '/home/ada/shop', commit: '1a2b3c4' });
    expect(saidIn(read).map((said) => said.slice(0, 30))).toEqual([
      '0 USER: Mend both.',
      '0 ASSISTANT: I mend them.\n\na.p',
      '0 ASSISTANT: Here it is again.',
    ]);
    const log = logOf(read);
    expect(failedAttemptsOf(log)).toMatchObject([
      { what: 'edit /home/ada/shop/b.py', error: expect.stringContaining('b.py') as string },
    ]);
    expect(workspaceOf(log)).toMatchObject({ commit: '1a2b3c4' });
  });

  it('goes back to the commit before one that was undone', async () => {
    const read = await readText(
      history(
        '> Commit 1a2b3c4 one  ',
        '> Commit 2b3c4d5 two  ',
        '#### /undo  ',
        '> Removed: 2b3c4d5 two  ',
        '> Now at:  1a2b3c4 one  ',
      ),
    );
    expect(read.standings.at(-1)).toMatchObject({ commit: '1a2b3c4' });
  });

  it('adds only what is new of a longer history', async () => {
    const begun = history('#### Mend the fence.  ', '', 'Done.', '> Applied edit to a.ts  ', '');
    const keys = async (text: string): Promise<string[]> => (await readText(text)).lines.map(({ key }) => key);
    const longer = await keys(`${begun}\n#### And the gate.  \n\nDone.\n> Applied edit to a.ts  \n`);
    expect(longer.slice(0, 4)).toEqual(await keys(begun));
    expect(new Set(longer).size).toBe(longer.length);
  });
});

test('reads each part of an export of OpenCode of which the ids were blacked out', async () => {
  const out = made.OPENCODE({}).replace(/"(?:prt|msg)_[1-5]"/g, '"REDACTED"');
  expect(saidIn(await readText(out)).filter((line) => !line.includes('SYSTEM'))).toEqual([
    '0 USER: Mend the fence.',
    '0 ASSISTANT: It is mended.',
  ]);
});

describe('a command of OpenCode', () => {
  const review = (words: string): string =>
    `You are a code reviewer. Your job is to review code changes and provide actionable feedback.\n\n---\n\nInput: ${words}\n\n---\n\n## Determining What to Review`;
  const withPart = (part: object): string => {
    const document = JSON.parse(made.OPENCODE({})) as { messages: { parts: object[] }[] };
    document.messages[0]!.parts = [{ id: 'prt_1', messageID: 'msg_1', sessionID: 'ses_1', ...part }];
    return JSON.stringify(document);
  };
  const wordsIn = async (text: string): Promise<string[]> =>
    logOf(await readText(text))
      .messages.filter(({ role }) => role === 'USER')
      .map(({ content }) => ownWords(content));

  it.each([
    ['as text', { type: 'text', text: review('the last commit') }, '/review the last commit'],
    [
      'of a sub-agent',
      { type: 'subtask', command: 'review', agent: 'build', description: 'review', prompt: review('the last commit') },
      '/review the last commit',
    ],
    [
      'of a project, of a sub-agent',
      { type: 'subtask', command: 'deploy', agent: 'build', description: '', prompt: 'Deploy it all.' },
      '/deploy',
    ],
  ])('is as it was typed, %s', async (_how, part, typed) => {
    expect(await wordsIn(withPart(part))).toEqual([typed]);
  });

  it('gives its words to the title', async () => {
    const read = await readText(
      withPart({ type: 'text', text: review('the last commit') }).replace(/"title":/, '"was":'),
    );
    expect(read.title).toBe('the last commit');
  });

  it('is no message of a person without a name', async () => {
    expect(await wordsIn(withPart({ type: 'subtask', agent: 'build', prompt: 'Look around.' }))).toEqual([]);
  });
});
