import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { callsIn, fixture, readFixture, readText, saidIn } from '../../../../test/readTranscripts.ts';
import { BadUserInputError } from '../../../core/errors.ts';
import { readTranscript } from './detect.ts';
import { maxLineCharacters, piecesOf } from './lines.ts';

const person = (content: unknown, uuid = 'u1') =>
  JSON.stringify({
    type: 'user',
    sessionId: 's',
    uuid,
    timestamp: '2026-03-02T09:00:00Z',
    message: { role: 'user', content },
  });
const answer = (...content: object[]) =>
  JSON.stringify({ type: 'assistant', sessionId: 's', uuid: 'a1', message: { id: 'm1', content } });

test.each([
  ['claude-compaction', 'CLAUDE_CODE'],
  ['claude-subagent', 'CLAUDE_CODE'],
  ['claude-broken-lines', 'CLAUDE_CODE'],
  ['codex-rollout', 'CODEX'],
])('AUTO detects %s as %s', async (name, format) => {
  expect((await readFixture(name, { skipDamaged: true })).format).toBe(format);
});

test('leaves out and counts damaged lines when told to, also at the beginning', async () => {
  expect(await readText(`garbage\n{"type":"butterfly"}\n${person('Hello')}`, { skipDamaged: true })).toMatchObject({
    format: 'CLAUDE_CODE',
    facts: { badLines: 1, lines: 3 },
  });
});

test.each([
  ['', 'it is empty'],
  ['\n \n', 'it is empty'],
  ['Dear Sir or Madam,\nhello', "line 1: it is not a JSON object; it begins with 'Dear Sir or Madam,'"],
  ['\n[{"role":"user"}]', `line 2: it is not a JSON object; it begins with '[{"role":"user"}]'`],
  ['{"role":"user","content":"hi"}', 'line 1: it is a JSON object with the fields role, content'],
  ['{"messages": [],\n"role":"user"}', 'line 1: it begins a JSON object with the fields role, messages'],
  ['{}', 'line 1: it is a JSON object with no fields'],
  ['x\n'.repeat(100_000), "line 1: it is not a JSON object; it begins with 'x'"],
])('AUTO rejects another file and names what it contains: %#', async (text, saw) => {
  const refusal = await readText(text).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(BadUserInputError);
  expect(refusal).toMatchObject({
    path: ['input', 'content'],
    message: expect.stringContaining(`(${saw}): give `) as unknown,
  });
});

test('accepts a named format when no line contradicts it', async () => {
  const lines = [...Array.from({ length: 60 }, () => '{"type":"butterfly"}'), person('Hello')].join('\n');
  expect((await readText(lines, { format: 'CLAUDE_CODE' })).facts).toMatchObject({ lines: 61, humanMessages: 1 });
  expect(
    (await readText('{"type":"user","message":{"content":"Hello"}}', { format: 'CLAUDE_CODE' })).facts,
  ).toMatchObject({ humanMessages: 1 });
});

test.each([
  ['Dear Sir or Madam,\nhello', 'CLAUDE_CODE', 'content', "it begins with 'Dear Sir or Madam,'"],
  ['', 'CODEX', 'content', 'it is empty'],
  ['{"type":"butterfly"}\n'.repeat(100), 'CODEX', 'content', 'is a JSON object with the fields type'],
  [person('Hello'), 'CODEX', 'format', 'the file is a transcript of Claude Code: give CLAUDE_CODE'],
  [
    await readFile(fixture('codex-rollout'), 'utf8'),
    'CLAUDE_CODE',
    'format',
    'the file is a rollout of OpenAI Codex: give CODEX',
  ],
] as const)('rejects a named format that does not fit the file: %#', async (text, format, field, says) => {
  const refusal = await readText(text, { format }).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(BadUserInputError);
  expect(refusal).toMatchObject({ path: ['input', field], message: expect.stringContaining(says) as unknown });
});

test('skips and counts a line that is too long, and reads the others', async () => {
  const { facts, lines } = await readText(
    `${person('Before')}\n${'x'.repeat(maxLineCharacters + 1)}\n${answer({ type: 'text', text: 'After' })}`,
  );
  expect(facts).toMatchObject({ lines: 3, badLines: 1, hugeLines: 1, humanMessages: 1, assistantMessages: 1 });
  expect(new Set(lines.map(({ key }) => key)).size).toBe(3);
});

test('shortens and counts texts and values larger than a field', async () => {
  const transcript = await readText(
    [
      person('é'.repeat(200_000)),
      answer({ type: 'tool_use', id: 'c1', name: 'Write', input: { file_path: 'a.ts', content: 'y'.repeat(400_000) } }),
      person([{ type: 'tool_result', tool_use_id: 'c1', content: 'z'.repeat(300_000) }], 'u2'),
    ].join('\n'),
  );
  const [said] = saidIn(transcript);
  expect(said).toMatch(/é\n\[\.\.\. 137856 bytes more were not kept\]$/);
  expect(Buffer.byteLength(said!)).toBeLessThanOrEqual(256 * 1024);
  const [call] = callsIn(transcript);
  expect(JSON.stringify(call?.arguments).length).toBeLessThanOrEqual(256 * 1024);
  expect(call?.arguments).toMatchObject({ file_path: 'a.ts' });
  expect(Buffer.byteLength(call?.result ?? '')).toBeLessThanOrEqual(256 * 1024);
  expect(transcript.facts.shortened).toBe(3);
});

test('flattens deeply nested arguments, and leaves out a line that is nested deeper', async () => {
  const deep = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`;
  const { facts } = await readText(
    `${answer({ type: 'tool_use', id: 'c1', name: 'Odd', input: JSON.parse(deep) as object })}\n{"a":${'['.repeat(3_000_000)}}`,
  );
  expect(facts).toMatchObject({ lines: 2, badLines: 1, hugeLines: 1, shortened: 1 });
});

test('joins characters that arrive in pieces', async () => {
  expect(saidIn(await readText(person('é😀'.repeat(2_000))))).toEqual([`0 USER: ${'é😀'.repeat(2_000)}`]);
});

test('reads files alike with carriage returns, a byte order mark and no last line end', async () => {
  const plain = await readFile(fixture('claude-sidechain-inline'), 'utf8');
  const expected = await readFixture('claude-sidechain-inline');
  for (const text of [
    plain,
    plain.trimEnd(),
    plain.replaceAll('\n', '\r\n'),
    `\uFEFF${plain}`,
    plain.replaceAll('\n', '\n\n'),
  ]) {
    expect(await readText(text)).toEqual(expected);
    expect(await readTranscript(piecesOf(text), { format: 'AUTO', sidechain: false })).toEqual(expected);
  }
});

test('identifies lines by session and uuid, else by content and repetition', async () => {
  const keys = async (...lines: string[]) =>
    (await readText(lines.join('\n'), { format: 'CLAUDE_CODE' })).lines.map(({ key }) => key);
  const [first, changed, other] = await keys(person('One'), person('Another text'), person('One', 'u2'));
  expect(changed).toBe(first);
  expect(other).not.toBe(first);
  const summary = '{"type":"summary","summary":"S"}';
  const [one, two] = await keys(summary, summary);
  expect(two).not.toBe(one);
  expect(await keys(summary, summary, summary)).toEqual([one, two, expect.not.stringMatching(`^(${one}|${two})$`)]);
});

test('rejects a file with more than 200000 messages and tool calls', async () => {
  const calls = (line: number): string =>
    JSON.stringify({
      type: 'assistant',
      uuid: `u${line}`,
      sessionId: 's',
      message: {
        id: `m${line}`,
        content: Array.from({ length: 10_001 }, (_, n) => ({ type: 'tool_use', id: `${line}-${n}`, name: 'x' })),
      },
    });
  await expect(
    readTranscript(piecesOf(Array.from({ length: 20 }, (_, n) => calls(n)).join('\n')), {
      format: 'AUTO',
      sidechain: false,
    }),
  ).rejects.toMatchObject({
    message: expect.stringMatching(/more than 200000 messages and tool calls: import it in parts/) as string,
    path: ['input', 'content'],
  });
});

const writes = (line: number, paths: string[]): string =>
  [
    JSON.stringify({
      type: 'assistant',
      uuid: `a${line}`,
      sessionId: 's',
      message: {
        id: `m${line}`,
        content: paths.map((file_path, n) => ({
          type: 'tool_use',
          id: `${line}-${n}`,
          name: 'Write',
          input: { file_path },
        })),
      },
    }),
    JSON.stringify({
      type: 'user',
      uuid: `r${line}`,
      sessionId: 's',
      message: {
        role: 'user',
        content: paths.map((_, n) => ({ type: 'tool_result', tool_use_id: `${line}-${n}`, content: 'ok' })),
      },
    }),
  ].join('\n');
const pathsOf = (line: number, count: number, characters = 10): string[] =>
  Array.from({ length: count }, (_, n) => `/${line}/${n}`.padEnd(characters, 'x'));

test.each([
  ['10000 modified files', [0, 1, 2].map((line) => writes(line, pathsOf(line, 3_334)))],
  ['524288 characters of their paths', [0, 1, 2].map((line) => writes(line, pathsOf(line, 100, 2_000)))],
])('rejects a file with more than %s', async (_limit, lines) => {
  const read = (kept: string[]) => readTranscript(piecesOf(kept.join('\n')), { format: 'AUTO', sidechain: false });
  await expect(read(lines)).rejects.toMatchObject({
    message:
      'input.content modifies more than 10000 files, or their paths have more than 524288 characters: import it in parts',
    path: ['input', 'content'],
  });
  const { facts } = await read([...lines.slice(1), ...lines.slice(1)]);
  expect(facts.filesModified.length).toBe(new Set(facts.filesModified).size);
  expect(facts.filesModified.length).toBeGreaterThan(0);
});

test('parses each line of an unknown file once', async () => {
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  const lines = Array.from({ length: 50 }, (_, n) => JSON.stringify({ unknown: n, filler: 'x'.repeat(200_000) })).join(
    '\n',
  );
  await expect(readTranscript(piecesOf(lines), { format: 'AUTO', sidechain: false })).rejects.toMatchObject({
    message: expect.stringContaining('not a known transcript') as string,
  });
  // The first line once more, for the message.
  expect(parse.mock.calls.length).toBeLessThanOrEqual(51);
});
