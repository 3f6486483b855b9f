import { beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { agentCaller, toolCall, world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { acceptHandoff, failHandoff, rejectHandoff } from '../handoffs/changeHandoff.ts';
import { setTasks } from '../log/addToLog.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { post } = client(url);
const { agent, session, reassign, turn, run } = world(database.pool);

beforeAll(async () => {
  await agent('bob', { maxCapacity: 100 });
  await agent('ada', { maxCapacity: 100, collaborators: ['bob'] });
  await agent('eve', { maxCapacity: 100 });
});

const say = (id: string, role: 'USER' | 'ASSISTANT' | 'SYSTEM' | 'TOOL', content: string) =>
  turn(id, { messages: [{ role, content }] });
const bash = (callId: string, command: string, fields: Parameters<typeof toolCall>[2] & { result?: string } = {}) => ({
  ...toolCall(callId, 'Bash', { ...fields, arguments: { command } }),
  ...(fields.result === undefined ? {} : { result: fields.result }),
});

interface Prompt {
  text: string;
  kept: { id: string; kind: string; shortened: boolean }[];
  dropped: { id: string; kind: string }[];
}
type Read = Record<string, unknown> & {
  markdown: string;
  contextPrompt: Prompt;
  contextVariables: { name: string; value: unknown }[];
};
async function read(handoffId: string | null, fields = '', budget = ''): Promise<Read> {
  const { data, errors } = await post<{ handoff: Read }>(
    `{ handoff(id: "${encodeId('handoff', handoffId!)}") { markdown contextVariables { name value } contextPrompt${budget} { text kept { id kind shortened } dropped { id kind } } ${fields} } }`,
  );
  expect(errors).toBeUndefined();
  return data.handoff;
}
const chainIn = ({ contextVariables }: Read) => contextVariables.find(({ name }) => name === '_handoff_chain')?.value;

describe('the chain of agents in a prompt', () => {
  test('lists the agents that took the session over, and not a return after a decline', async () => {
    const id = await session('ada');
    for (let n = 0; n < 3; n += 1)
      await run(rejectHandoff, { handoffId: (await reassign(id, { agentId: 'bob' })).handoffId!, reason: 'busy' });
    const first = await read((await reassign(id, { agentId: 'eve' })).handoffId);
    expect(chainIn(first)).toEqual(['ada', 'eve']);
    expect(first.contextPrompt.text).toContain('Worked on so far by ada; you are next.');
    expect(first.markdown).toContain('| Worked on before by | ada |');
  });

  test('lists an agent that failed after it accepted, and lists an agent again that got the session again', async () => {
    const id = await session('ada');
    const { handoffId } = await reassign(id, { agentId: 'bob' });
    await run(acceptHandoff, { handoffId: handoffId! });
    await run(failHandoff, { handoffId: handoffId!, reason: 'crashed' });
    const again = await reassign(id, { agentId: 'eve' });
    expect(chainIn(await read(again.handoffId))).toEqual(['ada', 'bob', 'eve']);
    await run(acceptHandoff, { handoffId: again.handoffId! });
    const back = await read((await reassign(id, { agentId: 'ada' })).handoffId);
    expect(chainIn(back)).toEqual(['ada', 'bob', 'eve', 'ada']);
    expect(back.contextPrompt.text).toContain('Worked on so far by ada, then bob, then eve; you are next.');
    expect(back.contextPrompt.text).not.toContain('_handoff_');
  });
});

describe('the original request', () => {
  test('is not a command, warning or single word when another message is a request', async () => {
    const id = await session('ada');
    const contents = [
      '<command-name>/login</command-name>',
      'login',
      'Fix the login test.',
      'And run it ten times.',
      'yes',
      'Warning: apply_patch was requested via shell_command. Use the apply_patch tool.',
    ];
    for (const content of contents) await say(id, 'USER', content);
    const handoff = await read(
      (await reassign(id, { agentId: 'bob' })).handoffId,
      'originalRequest { sequence content } latestRequest { sequence } recentMessages { sequence role content shortened }',
    );
    expect(handoff).toMatchObject({
      originalRequest: { sequence: 3, content: 'Fix the login test.' },
      latestRequest: { sequence: 4 },
      recentMessages: [
        { sequence: 3, role: 'USER', shortened: false },
        { sequence: 4 },
        { sequence: 5, content: 'yes' },
      ],
    });
    expect(handoff.contextPrompt.text).toContain('- #5 user: yes');
    expect(handoff.contextPrompt.text).not.toContain('Warning: apply_patch');
  });

  test('is from an operator when there is one, and a prompt names the agent that recorded a user message', async () => {
    const id = await session('ada');
    const words = (content: string) => ({
      messages: [
        { role: 'USER' as const, content },
        { role: 'ASSISTANT' as const, content: 'On it.' },
      ],
    });
    await turn(id, words('Delete all of it.'), { caller: agentCaller('ada') });
    await say(id, 'USER', 'Fix the login test.');
    await turn(id, words('Now deploy it.'), { caller: agentCaller('ada') });
    const handoff = await read(
      (await reassign(id, { agentId: 'bob' })).handoffId,
      'originalRequest { content recordedBy } latestRequest { content recordedBy } recentMessages { content recordedBy }',
    );
    expect(handoff).toMatchObject({
      originalRequest: { content: 'Fix the login test.', recordedBy: null },
      latestRequest: { content: 'Now deploy it.', recordedBy: 'ada' },
    });
    expect(handoff.contextPrompt.text).toContain('## Latest request (recorded by agent ada)\n```\nNow deploy it.');
    expect(handoff.contextPrompt.text).toContain('- #1 user (recorded by agent ada): Delete all of it.');
    expect(handoff.markdown).toContain('## Latest request (recorded by agent ada)');
  });

  test('is followed by the summary of a compaction, which is shortened last', async () => {
    const id = await session('ada');
    await say(id, 'USER', 'Fix the login test.');
    for (let n = 0; n < 30; n += 1) await say(id, 'ASSISTANT', `Step ${n}: ${'I looked at it. '.repeat(20)}`);
    const summary = `This is what was done. ${'It was read, changed and tested. '.repeat(200)}The end.`;
    await turn(id, {
      truncated: true,
      messages: [
        { role: 'SYSTEM', content: summary },
        { role: 'ASSISTANT', content: 'Going on.' },
      ],
    });
    const { handoffId } = await reassign(id, { agentId: 'bob' });
    const whole = await read(handoffId, 'compactionSummary { sequence content shortened }', '(maxTokens: 2500)');
    expect(whole).toMatchObject({ compactionSummary: { sequence: 32, content: summary, shortened: false } });
    expect(whole.contextPrompt.text).toContain('## Original request\n```\nFix the login test.\n```\n\n## Last');
    expect(whole.contextPrompt.text).toContain(
      `\n\n## Summary of the work before the window was cut\n\`\`\`\n${summary}\n`,
    );
    const { contextPrompt } = await read(handoffId, '', '(maxTokens: 1000)');
    expect(contextPrompt.kept.find(({ kind }) => kind === 'COMPACTION')).toEqual({
      id: 'compaction-1',
      kind: 'COMPACTION',
      shortened: true,
    });
    expect(contextPrompt.text).toContain('The end.');
  });

  test('is the summary of a compaction when no user wrote a message', async () => {
    const id = await session('ada');
    const summary =
      'This session is being continued from a previous conversation that ran out of context. The user asked for a login.';
    await say(id, 'SYSTEM', summary);
    await say(id, 'ASSISTANT', 'Going on.');
    const handoff = await read(
      (await reassign(id, { agentId: 'bob' })).handoffId,
      'originalRequest { sequence content } compactionSummary { sequence }',
    );
    expect(handoff).toMatchObject({ originalRequest: { sequence: 1, content: summary }, compactionSummary: null });
  });
});

describe('a prompt', () => {
  test('shows the metadata of the handoff, as the Markdown does', async () => {
    const id = await session('ada');
    const metadata = { plan: ['Read it', 'Change it'], review: 'Look at\nthe edges.', ticket: { number: 7 } };
    const { handoffId } = await reassign(id, { agentId: 'bob', metadata });
    const { contextPrompt, markdown } = await read(handoffId);
    expect(contextPrompt.text).toContain(
      '## Given with the handoff (3)\n```\n- plan: \n  - Read it\n  - Change it\n- review: Look at\n  the edges.\n- ticket: {"number":7}\n```',
    );
    expect(markdown).toContain('## Given with the handoff\n\n- plan: \n  - Read it');
    const item = await post(
      `{ contextItem(handoffId: "${encodeId('handoff', handoffId!)}", itemId: "metadata-3") { kind content } }`,
    );
    expect(item.data).toEqual({ contextItem: { kind: 'METADATA', content: 'ticket: {"number":7}' } });
  });

  test('shows checks, failed attempts and open questions with the id of each call', async () => {
    const id = await session('ada');
    await say(id, 'USER', 'Fix the login test.');
    await turn(id, {
      messages: [{ role: 'ASSISTANT', content: 'Looking.' }],
      toolCalls: [
        bash('t1', 'npm test', { error: 'Exit code 1\n1 failed' }),
        {
          ...toolCall('e1', 'Edit', { filesModified: ['login.ts'] }),
          arguments: { file_path: 'login.ts', old_string: 'x'.repeat(20_000), new_string: 'y' },
        },
        bash('l1', 'npx eslint .', { result: 'clean' }),
        bash('m1', 'cp a.txt /nowhere/', { error: 'Exit code 1\ncp: cannot create' }),
      ],
    });
    await say(id, 'ASSISTANT', 'The test still fails. Shall I change the cookie?');
    const fields =
      'workspace { folder branch commit } checks { command outcome callId stale } failedAttempts { what error callId } openQuestions';
    const { handoffId } = await reassign(id, { agentId: 'bob' });
    const handoff = await read(handoffId, fields);
    expect(handoff).toMatchObject({
      workspace: null,
      checks: [
        { command: 'npm test', outcome: 'FAILED', callId: 't1', stale: true },
        { command: 'npx eslint .', outcome: 'PASSED', callId: 'l1', stale: false },
      ],
      openQuestions: ['Shall I change the cookie?'],
    });
    expect(handoff['failedAttempts']).toMatchObject([{ callId: 't1' }, { what: 'cp a.txt /nowhere/', callId: 'm1' }]);
    const { text } = handoff.contextPrompt;
    expect(text).toContain(
      '- failed, but login.ts changed since: npm test (call t1)\n- passed: npx eslint . (call l1)',
    );
    expect(text).toContain('## Questions that nobody answered (1)\n```\n- Shall I change the cookie?');
    expect(text).toContain('- cp a.txt /nowhere/ (call m1) -> cp: cannot create');
    for (const part of [
      '| `npm test` | failed, but login.ts changed since | `t1` |',
      '- Shall I change the cookie?',
      '`cp a.txt /nowhere/`, call `m1`',
    ])
      expect(handoff.markdown).toContain(part);
    const json: unknown = await (await fetch(`${url}/handoffs/${encodeId('handoff', handoffId!)}.json`)).json();
    expect(json).toMatchObject({
      checks: [{ callId: 't1' }, { callId: 'l1' }],
      openQuestions: ['Shall I change the cookie?'],
      workspace: null,
      recentMessages: [{ sequence: 1, shortened: false }, {}, {}],
    });
  });

  test('shows nothing twice: neither reminders, nor task lists as calls, nor results beside their calls', async () => {
    const id = await session('ada');
    const reminder =
      '\n\n<system-reminder>\nWhenever you read a file, consider whether it is malware.\n</system-reminder>\n';
    const todos = {
      ...toolCall('c2', 'TodoWrite', { arguments: { todos: [{ content: 'Write it', status: 'pending' }] } }),
      result: 'Todos have been modified successfully.',
    };
    await turn(id, {
      toolCalls: [
        { ...toolCall('c1', 'Read', { arguments: { file_path: 'a.ts' } }), result: `the file${reminder}` },
        todos,
      ],
    });
    await run(setTasks, { sessionId: id, tasks: [{ content: 'Write it', status: 'PENDING' }] });
    const handoff = await read(
      (await reassign(id, { agentId: 'bob' })).handoffId,
      'lastToolCalls { toolName outcome shortened }',
    );
    expect(handoff['lastToolCalls']).toEqual([
      { toolName: 'Read', outcome: 'the file', shortened: true },
      { toolName: 'TodoWrite', outcome: 'Todos have been modified successfully.', shortened: false },
    ]);
    const { text } = handoff.contextPrompt;
    expect(text.match(/the file|- Write it|"Write it"|malware|modified successfully/g)).toEqual(['- Write it']);
    expect(text).not.toMatch(/Read|TodoWrite/);
  });
});

describe('what people said last', () => {
  const promptOf = async (id: string): Promise<string> =>
    (await read((await reassign(id, { agentId: 'bob' })).handoffId)).contextPrompt.text;
  const inOrder = (text: string, parts: string[]): void => {
    const places = parts.map((part) => text.indexOf(part));
    expect([parts.filter((_, index) => places[index]! < 0), places]).toEqual([[], places.toSorted((a, b) => a - b)]);
  };
  const story = async (...said: ['USER' | 'ASSISTANT', string][]): Promise<string> => {
    const id = await session('ada');
    for (const [role, content] of said) await say(id, role, content);
    return id;
  };

  test('a request without an answer stands first, and a last message that is older says so', async () => {
    const id = await story(
      ['USER', 'Mend the importer, please.'],
      ['ASSISTANT', 'This is the plan, no edits yet.'],
      ['USER', 'Use a folder clients instead of db.'],
    );
    const { handoffId } = await reassign(id, { agentId: 'bob' });
    inOrder((await read(handoffId)).contextPrompt.text, [
      '## Latest request: the agent said nothing since\n```\nUse a folder clients instead of db.',
      '## First request\n```\nMend the importer, please.',
      '## Last message of ada, from before what people said last\n```\nThis is the plan, no edits yet.',
    ]);
    for (const size of [200, 400, 4_000])
      expect((await read(handoffId, '', `(maxTokens: ${size})`)).contextPrompt.text).toContain('clients');
  });

  test('a short answer after the latest request stands after it, in the order in which it was said', async () => {
    const id = await story(
      ['USER', 'Review the configuration.'],
      ['ASSISTANT', 'Which file?'],
      ['USER', 'yes'],
      ['ASSISTANT', 'Which one of them?'],
      ['USER', 'The one in config/base.yaml please.'],
      ['ASSISTANT', 'There are two entries. Which of the two shall I take?'],
      ['USER', '2'],
    );
    inOrder(await promptOf(id), [
      'from before what people said last\n```\nThere are two entries.',
      '## Messages of people (1)\n```\n- #3 user: yes',
      '## Latest request\n```\nThe one in config/base.yaml please.',
      '## Messages of people after the latest request (1)\n```\n- #7 user: 2',
    ]);
  });

  test('a first request that nobody answered says so, and outcomes that nobody spoke about are cut', async () => {
    const id = await story(['USER', 'Export all sessions.']);
    const help = `usage: tool\n${'  --option  says more\n'.repeat(200)}the end`;
    await turn(id, { messages: [], toolCalls: [bash('h1', './tool', { result: help })] });
    const text = await promptOf(id);
    expect(text).toContain('## Original request: the agent said nothing since\n```\nExport all sessions.');
    expect(text).toContain('usage: tool');
    expect(text).toContain('the end');
    expect(text.length).toBeLessThan(2_500);
  });

  test('a list of tasks from before the last message says so', async () => {
    const id = await story(['USER', 'Mend the importer.']);
    const tasks = [{ content: 'Run the tests', status: 'PENDING' as const }];
    await run(setTasks, { sessionId: id, tasks });
    await say(id, 'ASSISTANT', 'All of it is done.');
    expect(await promptOf(id)).toContain('## Tasks left, from before the last message (1)\n```\n- Run the tests');
    const later = await story(['USER', 'Mend it.'], ['ASSISTANT', 'I will.']);
    await run(setTasks, { sessionId: later, tasks });
    expect(await promptOf(later)).toContain('## Tasks left (1)\n```\n- Run the tests');
  });

  test('a last message that answers them is just that', async () => {
    const id = await story(
      ['USER', 'Mend the importer.'],
      ['USER', 'Begin with the parser.'],
      ['ASSISTANT', 'It is mended.'],
    );
    const text = await promptOf(id);
    inOrder(text, ['## Latest request\n```\nBegin', '## Last message of ada\n```\nIt is mended.']);
  });
});

describe('what stands twice', () => {
  const promptOf = async (id: string): Promise<string> =>
    (await read((await reassign(id, { agentId: 'bob' })).handoffId)).contextPrompt.text;
  const timesIn = (text: string, words: string): number => text.split(words).length - 1;

  test.each([
    ['**Should I also update the docs?**', ['Should I also update the docs?']],
    ['1. **Which port?**\n2. _Which host?_', ['Which port?', 'Which host?']],
  ])('a last message that only asks is told as its questions: %j', async (last, questions) => {
    const id = await session('ada');
    await say(id, 'USER', 'Mend the importer.');
    await say(id, 'ASSISTANT', last);
    const text = await promptOf(id);
    for (const question of questions) expect(timesIn(text, question)).toBe(1);
    expect(text).not.toContain('## Last message');
  });

  test('a last message that says more stays beside its question', async () => {
    const id = await session('ada');
    await say(id, 'USER', 'Mend the importer.');
    await say(id, 'ASSISTANT', 'It works now.\n\n**Should I also update the docs?**');
    const text = await promptOf(id);
    expect(text).toContain('It works now.');
    expect(text).toContain('- Should I also update the docs?');
  });

  test('the same short words are told once, where they were said last', async () => {
    const id = await session('ada');
    await say(id, 'USER', 'Mend the importer, please.');
    for (let n = 0; n < 4; n += 1) {
      await say(id, 'USER', 'It still fails for empty files.');
      await say(id, 'ASSISTANT', 'I mended the reader of files.');
    }
    await say(id, 'USER', 'Mend the importer, please.');
    await say(id, 'ASSISTANT', 'Both readers are mended.');
    const text = await promptOf(id);
    for (const words of [
      'Mend the importer, please.',
      'It still fails for empty files.',
      'I mended the reader of files.',
    ])
      expect(timesIn(text, words)).toBe(1);
    expect(text).toContain('It still fails for empty files. (given 4 times: #2, #4, #6, #8)');
    expect(text).toContain('Mend the importer, please. (given 2 times: #1, #10)');
  });

  test('a request that was sent again before the agent spoke, and words that answer, were given once', async () => {
    const id = await session('ada');
    for (const words of ['Mend the importer.', 'Mend the importer.', 'yes']) await say(id, 'USER', words);
    await say(id, 'ASSISTANT', 'It is mended.');
    await say(id, 'USER', 'yes');
    expect(await promptOf(id)).not.toContain('(given');
  });
});
