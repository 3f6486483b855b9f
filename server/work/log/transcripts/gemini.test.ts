import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { callsIn, readText, saidIn } from '../../../../test/readTranscripts.ts';
import { realDataFolder, realPath } from '../../../../test/realData.ts';
import { readTranscript } from './detect.ts';

const shell = (id: string, status: string, output: string) => ({
  id,
  name: 'run_shell_command',
  args: { command: 'npm test' },
  status,
  result: [{ functionResponse: { id, response: { output: `Command: npm test\nOutput: ${output}` } } }],
});
const session = {
  sessionId: 's1',
  projectHash: 'h',
  startTime: '2026-03-02T09:00:00Z',
  messages: [
    { id: 'u1', timestamp: '2026-03-02T09:00:01Z', type: 'user', content: 'Mend the fence.' },
    {
      id: 'g1',
      timestamp: '2026-03-02T09:00:02Z',
      type: 'gemini',
      content: 'I write it down.',
      thoughts: [{ subject: 'Fence', description: 'Secret thoughts.' }, { subject: 'More' }],
      tokens: { input: 100, output: 10, cached: 40, thoughts: 5, tool: 2, total: 117 },
      model: 'gemini-2.5-flash',
      toolCalls: [
        {
          id: 'w',
          name: 'write_file',
          args: { file_path: 'fence.md' },
          status: 'success',
          result: [{ functionResponse: { response: { output: 'Wrote it.' } } }],
        },
        {
          id: 'v',
          name: 'write_file',
          args: { file_path: 'gate.md' },
          status: 'error',
          result: [{ functionResponse: { response: { error: 'No.' } } }],
        },
      ],
    },
    { id: 'i1', type: 'info', content: 'An update is available.' },
    { id: 'u2', type: 'user', content: [{ text: 'And test it.' }] },
    {
      id: 'g2',
      type: 'gemini',
      content: '',
      toolCalls: [shell('t', 'success', 'bad\nExit Code: 1'), shell('o', 'executing', '')],
    },
    { id: 'u3', type: 'user', content: '/quit' },
  ],
};

test.each([undefined, 2])('reads a session on one line or on many (%s)', async (indent) => {
  const read = await readText(JSON.stringify(session, null, indent));
  expect(read).toMatchObject({ format: 'GEMINI_CLI', title: 'Mend the fence.' });
  expect(saidIn(read)).toEqual([
    '0 USER: Mend the fence.',
    '0 ASSISTANT: I write it down.',
    '0 SYSTEM: An update is available.',
    '1 USER: And test it.',
    '1 SYSTEM: /quit',
  ]);
  expect(
    callsIn(read).map(({ callId, turn, error, result }) => [
      callId,
      turn,
      error === null ? (result?.split('\n')[0] ?? 'open') : 'failed',
    ]),
  ).toEqual([
    ['w', 0, 'Wrote it.'],
    ['v', 0, 'failed'],
    ['t', 1, 'failed'],
    ['o', 1, 'open'],
  ]);
  expect(callsIn(read)[0]?.message?.parts[0]?.text).toBe('I write it down.');
  expect(read.facts).toMatchObject({
    filesModified: ['fence.md'],
    // As the file says: a command that ended with 1 was called with success.
    toolErrors: 1,
    thinkingBlocks: 2,
    humanMessages: 2,
    assistantMessages: 2,
    unknownTypes: [],
  });
  expect(read.facts.usage).toEqual({
    inputTokens: 62,
    outputTokens: 15,
    cacheCreationInputTokens: 0,
    cacheReadInputTokens: 40,
    model: 'gemini-2.5-flash',
  });
  expect(JSON.stringify(read.entries)).not.toContain('Secret thoughts');
});

test("reports the window after each request, but not a sub-agent's", async () => {
  const windows = async (sidechain: boolean) =>
    (await readText(JSON.stringify(session), { sidechain })).windows.map(({ turn, tokens }) => [turn, tokens]);
  expect([await windows(false), await windows(true)]).toEqual([[[0, 117]], []]);
});

test('gives a call with a later result a new key, and keeps the keys of the others', async () => {
  const keys = async (status: string) =>
    (
      await readText(
        JSON.stringify({
          ...session,
          messages: [{ id: 'g', type: 'gemini', content: 'x', toolCalls: [shell('t', status, '')] }],
        }),
      )
    ).lines.map(({ key }) => key);
  const [before, after] = [await keys('executing'), await keys('success')];
  expect([after[1] === before[1], after[2] === before[2]]).toEqual([true, false]);
});

test.each([
  ['half of a document', JSON.stringify(session, null, 2).slice(0, -40), 'AUTO'],
  ['a session as another format', JSON.stringify(session), 'CODEX'],
  ['another JSON document', '{"a": 1}', 'GEMINI_CLI'],
] as const)('rejects %s', async (_what, text, format) => {
  await expect(readText(text, { format })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
});

describe.runIf(realDataFolder !== undefined)('a session of the real tool', () => {
  // Persons, answers, calls, thoughts; tokens in, from the cache, out. Counted by a script of their own.
  it.for([
    ['entire-12_cbfeaa512b_0', [2, 4, 2, 6, 13_635, 35_330, 302]],
    ['entire-9c_53780d06b7_0', [1, 6, 4, 7, 12_424, 50_471, 773]],
    ['entire-ab_2b9748b105_0', [1, 11, 9, 15, 17_521, 113_854, 1_812]],
  ] as const)('%s has the expected counts', async ([name, expected]) => {
    const { facts } = await readTranscript(createReadStream(realPath(`gemini/${name}.json`)), {
      format: 'AUTO',
      sidechain: false,
    });
    const calls = facts.toolCalls.reduce((sum, { count }) => sum + count, 0);
    const { inputTokens, cacheReadInputTokens, outputTokens } = facts.usage;
    expect([
      facts.humanMessages,
      facts.assistantMessages,
      calls,
      facts.thinkingBlocks,
      inputTokens,
      cacheReadInputTokens,
      outputTokens,
    ]).toEqual(expected);
  });
});

test.each([
  ['/home/ada/shop', '/home/ada/shop/src/deep/a.ts', '/home/ada/shop'],
  ['/home/ada/shop', '/home/ada/other/a.ts', null],
  ['/home/ada/shop', 'src/a.ts', null],
])('finds the folder %s by its hash above the file %s', async (folder, file, found) => {
  const { standings } = await readText(
    JSON.stringify({
      sessionId: 's',
      projectHash: createHash('sha256').update(folder).digest('hex'),
      startTime: '2026-01-10T02:08:26.108Z',
      messages: [
        { id: 'a', timestamp: '2026-01-10T02:08:26.108Z', type: 'user', content: 'Mend it.' },
        {
          id: 'b',
          timestamp: '2026-01-10T02:08:27.108Z',
          type: 'gemini',
          content: '',
          toolCalls: [{ id: 'c', name: 'read_file', args: { absolute_path: file }, status: 'success', result: 'x' }],
        },
      ],
    }),
  );
  expect(standings.at(-1)?.folder ?? null).toBe(found);
});
