import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callsIn, readText, saidIn } from '../../../../test/readTranscripts.ts';

const jsonLines = (entries: readonly object[]): string => entries.map((entry) => JSON.stringify(entry)).join('\n');
const claude = (uuid: string, parentUuid: string | null, type: 'user' | 'assistant', content: unknown, second = 0) => ({
  type,
  uuid,
  parentUuid,
  sessionId: 's',
  timestamp: new Date(Date.UTC(2026, 2, 2, 9, 0, second)).toISOString(),
  message: { role: type, content, ...(type === 'assistant' && { id: uuid }) },
});

/** Calls that create tasks and write files, and their results, in the formats of Claude Code and Codex. */
const made = {
  claude: (count: number): [object[], object[]] => [
    Array.from({ length: count }, (_, n) =>
      claude(`a${n}`, null, 'assistant', [
        n % 2 === 0
          ? { type: 'tool_use', id: `c${n}`, name: 'Write', input: { file_path: `${n}.ts` } }
          : { type: 'tool_use', id: `c${n}`, name: 'TaskCreate', input: { subject: `Task ${n}` } },
      ]),
    ),
    Array.from({ length: count }, (_, n) =>
      claude(`r${n}`, null, 'user', [
        { type: 'tool_result', tool_use_id: `c${n}`, is_error: n % 5 === 0, content: `Task #${n} created` },
      ]),
    ),
  ],
  codex: (count: number): [object[], object[]] => [
    Array.from({ length: count }, (_, n) => ({
      type: 'response_item',
      payload: {
        type: 'function_call',
        call_id: `c${n}`,
        name: 'update_plan',
        arguments: JSON.stringify({ plan: [{ step: `Task ${n}`, status: 'pending' }] }),
      },
    })),
    Array.from({ length: count }, (_, n) => ({
      type: 'response_item',
      payload: {
        type: 'function_call_output',
        call_id: `c${n}`,
        output: n % 5 === 0 ? 'x failed: no' : 'Plan updated',
      },
    })),
  ],
};

test.each(['claude', 'codex'] as const)('gives each call of %s its outcome, wherever that stands', async (format) => {
  const facts = async (entries: readonly object[]) => {
    const read = await readText(jsonLines(entries));
    return {
      calls: callsIn(read)
        .map(({ callId, result, error }) => `${callId} ${String(result)} ${String(error)}`)
        .sort(),
      errors: read.facts.toolErrors,
      files: read.facts.filesModified,
      tasks: format === 'codex' ? null : read.facts.tasks.map(({ content }) => content).sort(),
    };
  };
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.infiniteStream(fc.nat()), async (count, order) => {
      const [calls, results] = made[format](count);
      const shuffled = [...calls, ...results]
        .map((entry) => ({ entry, at: order.next().value as number }))
        .sort((one, other) => one.at - other.at)
        .map(({ entry }) => entry);
      const expected = await facts([...calls, ...results]);
      expect(await facts(shuffled)).toEqual(expected);
      expect(await facts([...results, ...calls])).toEqual(expected);
    }),
    { numRuns: 40 },
  );
});

test('takes a branch that a person left out of the conversation, in any order of the lines', async () => {
  const lines = [
    claude('u1', null, 'user', 'Mend the fence.', 1),
    claude('a1', 'u1', 'assistant', [{ type: 'text', text: 'How?' }], 2),
    claude('u2', 'a1', 'user', 'With wire.', 3),
    claude('a2', 'u2', 'assistant', [{ type: 'tool_use', id: 'c1', name: 'Write', input: { file_path: 'a' } }], 4),
    claude('r2', 'a2', 'user', [{ type: 'tool_result', tool_use_id: 'c1', content: 'ok' }], 5),
    claude('a3', 'r2', 'assistant', [{ type: 'text', text: 'Wired.' }], 6),
    claude('u3', 'a1', 'user', 'With oak.', 7),
    claude('a4', 'u3', 'assistant', [{ type: 'text', text: 'Oak it is.' }], 8),
  ];
  const said = async (entries: readonly object[]) => {
    const read = await readText(jsonLines(entries));
    expect(read.facts).toMatchObject({ filesModified: ['a'], toolErrors: 0 });
    return saidIn(read)
      .map((line) => line.replace(/^\d+ /, ''))
      .sort();
  };
  const expected = [
    'ASSISTANT: How?',
    'ASSISTANT: Oak it is.',
    'SYSTEM: Wired.',
    'SYSTEM: With wire.',
    'USER: Mend the fence.',
    'USER: With oak.',
  ];
  expect(await said(lines)).toEqual(expected);
  expect(await said([...lines.slice(6), ...lines.slice(0, 6)])).toEqual(expected);
  expect(await said(lines.toReversed())).toEqual(expected);
});

test('takes turns that a person took back in Codex out of the conversation', async () => {
  const message = (role: string, text: string) => ({
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type: 'text', text }] },
  });
  const read = await readText(
    jsonLines([
      message('user', 'Mend the fence.'),
      message('assistant', 'How?'),
      message('user', 'With wire.'),
      message('assistant', 'Wired.'),
      { type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } },
      message('user', 'With oak.'),
    ]),
  );
  expect(saidIn(read)).toEqual([
    '0 USER: Mend the fence.',
    '0 ASSISTANT: How?',
    '1 SYSTEM: With wire.',
    '1 SYSTEM: Wired.',
    '2 USER: With oak.',
  ]);
});

test('keeps several messages of a person that follow each other, and copies of a resumed file once', async () => {
  const lines = [
    claude('u1', null, 'user', 'Mend the fence.', 1),
    claude('u2', 'u1', 'user', 'With oak.', 2),
    claude('a1', 'u2', 'assistant', [{ type: 'text', text: 'Yes.' }], 3),
  ];
  const expected = ['0 USER: Mend the fence.', '1 USER: With oak.', '1 ASSISTANT: Yes.'];
  expect(saidIn(await readText(jsonLines(lines)))).toEqual(expected);
  expect(saidIn(await readText(jsonLines([...lines, ...lines])))).toEqual(expected);
});
