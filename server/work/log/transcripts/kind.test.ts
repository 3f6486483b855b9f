import { expect, test } from 'vitest';
import { callsIn, readFixture, readText } from '../../../../test/readTranscripts.ts';
import type { Transcript } from './transcript.ts';

const kindsIn = ({ entries }: Transcript): string[] =>
  entries.flatMap((entry) =>
    entry.kind === 'message' ? [`${entry.messageKind}: ${entry.parts[0]!.text.slice(0, 24)}`] : [],
  );
const lines = (...entries: object[]): string => entries.map((entry) => JSON.stringify(entry)).join('\n');

test('gives the notices of Claude Code their kind, and leaves the words of people and agents as TEXT', async () => {
  expect(kindsIn(await readFixture('claude-interrupts'))).toEqual([
    'TEXT: Start the server in the ',
    'STATUS: [Request interrupted by ',
    'TEXT: <local-command-caveat>Ca',
    'TEXT: <command-name>/mcp</comm',
    'STATUS: <local-command-stdout>Re',
    'SUBTASK: <task-notification>\n<tas',
    'TEXT: And now stop it again.',
    'TEXT: It is stopped.',
    'STATUS: [Request interrupted by ',
  ]);
  expect(kindsIn(await readFixture('claude-sidechain-inline'))).toEqual([
    'TEXT: Update the notes.',
    'SUBTASK: Look around in the garde',
    'SUBTASK: I look around.',
    'SUBTASK: There is one file, NOTES',
    'TEXT: The notes are up to date',
  ]);
});

test('reads skills, summaries of compactions and refused requests of Claude Code', async () => {
  const user = (uuid: string, content: string, more: object = {}) => ({
    type: 'user',
    uuid,
    sessionId: 's',
    message: { role: 'user', content },
    ...more,
  });
  const refused = {
    type: 'assistant',
    uuid: 'd',
    sessionId: 's',
    isApiErrorMessage: true,
    message: { id: 'm', model: '<synthetic>', content: [{ type: 'text', text: 'API Error: 529' }] },
  };
  const read = await readText(
    lines(
      user('a', 'Write it.'),
      user('b', 'Base directory for this skill: /skills/docx\n\n# DOCX', { isMeta: true }),
      user('c', 'This session continues another one.', { isCompactSummary: true }),
      refused,
    ),
  );
  expect(kindsIn(read)).toEqual([
    'TEXT: Write it.',
    'SKILL: Base directory for this ',
    'STATUS: This session continues a',
    'ERROR: API Error: 529',
  ]);
});

test('reads the notices of Codex and of Gemini CLI', async () => {
  const said = (text: string) => ({
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
  });
  const codex = lines(
    { type: 'session_meta', payload: { id: 's' } },
    said('Build it.'),
    said('<skill>\n<name>docx</name>'),
    said('<turn_aborted>'),
    said('<subagent_notification>done'),
    said('# AGENTS.md instructions'),
  );
  expect(kindsIn(await readText(codex))).toEqual([
    'TEXT: Build it.',
    'SKILL: <skill>\n<name>docx</name',
    'STATUS: <turn_aborted>',
    'SUBTASK: <subagent_notification>d',
    'TEXT: # AGENTS.md instructions',
  ]);
  expect(kindsIn(await readText(codex, { sidechain: true })).every((kind) => kind.startsWith('SUBTASK'))).toBe(true);
  const messages = [
    { id: '1', type: 'user', content: 'Well?' },
    { id: '2', type: 'info', content: 'An update.' },
    { id: '3', type: 'error', content: 'Quota.' },
  ];
  expect(kindsIn(await readText(JSON.stringify({ sessionId: 's', messages })))).toEqual([
    'TEXT: Well?',
    'STATUS: An update.',
    'ERROR: Quota.',
  ]);
});

test('measures a call from its line to the line of its outcome', async () => {
  const at = (second: number) => `2026-03-02T09:00:0${second}Z`;
  const call = (id: string, timestamp: string) => ({
    type: 'assistant',
    uuid: id,
    sessionId: 's',
    timestamp,
    message: { id, content: [{ type: 'tool_use', id, name: 'Bash', input: {} }] },
  });
  const result = (id: string, timestamp: string) => ({
    type: 'user',
    uuid: `r-${id}`,
    sessionId: 's',
    timestamp,
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
  });
  const read = await readText(
    lines(
      call('a', at(1)),
      call('b', at(2)),
      call('c', at(3)),
      result('b', at(4)),
      result('a', at(5)),
      call('d', at(6)),
      result('d', at(5)),
    ),
  );
  expect(callsIn(read).map(({ callId, durationMs }) => [callId, durationMs])).toEqual([
    ['a', 4_000],
    ['b', 2_000],
    ['c', null],
    ['d', null],
  ]);
});
