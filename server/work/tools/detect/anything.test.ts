import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  aiMessage,
  aiSdkResult,
  anthropicEvents,
  anthropicMessage,
  chatCompletion,
  chatEvents,
  converseAnswer,
  converseEvents,
  geminiResponse,
  ollamaAnswer,
  openaiResponse,
  responseEvents,
  runItems,
  serialisedAiMessage,
  sse,
  uiMessage,
  uiMessageEvents,
} from '../../../../test/answers.ts';
import { detectHandoffs } from './detectHandoffs.ts';
import type { Known } from './known.ts';

const known: Known = {
  agentId: 'triage',
  tools: [{ id: null, name: 'transfer_to_writer', targetAgentId: 'writer', generated: true }],
  agents: ['triage', 'writer', 'gone'].map((id) => ({ id, archived: id === 'gone' })),
};

/** What holds for every detection. */
function check(response: unknown): void {
  const { format, calls, chosen } = detectHandoffs(response, known);
  if (format === null) expect(calls).toEqual([]);
  expect(calls.map(({ index }) => index)).toEqual(calls.map((_call, at) => at));
  for (const call of calls) {
    expect(call.targetAgentId === null).toBe(call.kind !== 'HANDOFF');
    if (call.kind === 'HANDOFF') {
      expect(['writer']).toContain(call.targetAgentId);
      expect(
        call.problem === null ||
          call.problem.code === 'INVALID_ARGUMENTS' ||
          call.problem.code === 'RESERVED_ARGUMENTS',
      ).toBe(true);
    }
    if (call.kind === 'UNRESOLVED') expect(call.problem).not.toBeNull();
    if (call.arguments === null) expect(call.problem).not.toBeNull();
    expect((call.problem?.message ?? '').length).toBeLessThan(600);
    JSON.stringify(call);
  }
  expect(chosen).toBe(
    calls.find(({ kind }) => kind === 'HANDOFF') ?? calls.find(({ kind }) => kind === 'UNRESOLVED') ?? null,
  );
}

const called = [
  { name: 'transfer_to_writer', json: '{"reason":"r"}' },
  { name: 'handoff_to_agent', json: '{"agent_name":"writer"}' },
];
const whole = (text: string) => [text];
const answers: unknown[] = [
  anthropicMessage(called),
  chatCompletion(called),
  openaiResponse(called),
  runItems(called, () => 'writer'),
  { $schemaVersion: '1.0', lastProcessedResponse: { newItems: runItems(called) } },
  geminiResponse(called),
  converseAnswer(called),
  ollamaAnswer(called),
  aiSdkResult(called),
  uiMessage(called),
  aiMessage(called),
  serialisedAiMessage(called),
  converseEvents(called, whole),
  uiMessageEvents(called),
  anthropicEvents(called, whole),
  chatEvents(called, whole),
  responseEvents(called, whole),
];
const odd = fc.oneof(
  fc.anything({
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSparseArray: true,
    withSet: true,
    withTypedArray: true,
  }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    '',
    'transfer_to_',
    'x'.repeat(100_000),
    '{"a":'.repeat(1_000),
    -1,
    NaN,
    [],
    {},
    null,
  ),
);

/** The value with one part replaced. */
function spoilt(value: unknown, steps: readonly number[], part: unknown): unknown {
  if (typeof value !== 'object' || value === null || steps.length === 0) return part;
  const [step, ...rest] = steps;
  const keys = Object.keys(value);
  const key = keys[step! % keys.length];
  if (key === undefined) return part;
  const copy: Record<string, unknown> = { ...value };
  copy[key] = spoilt(copy[key], rest, part);
  return Array.isArray(value) ? Object.assign([...(value as unknown[])], copy) : copy;
}

it('takes any value', () => {
  fc.assert(
    fc.property(odd, (value) => check(value)),
    { numRuns: 1_000 },
  );
});

it('takes answers of each format with any part replaced by any value', () => {
  const place = fc.array(fc.nat(20), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.constantFrom(...answers), place, odd, (answer, steps, part) => check(spoilt(answer, steps, part))),
    { numRuns: 3_000 },
  );
});

it('takes any text, and streams with any characters replaced', () => {
  const streams = [anthropicEvents(called, whole), chatEvents(called, whole), responseEvents(called, whole)].map(
    (events) => sse(events),
  );
  const text = fc
    .tuple(fc.constantFrom(...streams), fc.nat(), fc.string({ maxLength: 30 }))
    .map(([stream, at, part]) => stream.slice(0, at % stream.length) + part + stream.slice((at % stream.length) + 5));
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), text), (value) => check(value)),
    { numRuns: 1_000 },
  );
});

it('takes values that are nested 100,000 levels deep', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const value = JSON.parse(deep) as unknown;
  for (const answer of [
    value,
    deep,
    { output: value },
    { choices: value },
    { type: 'message', role: 'assistant', content: value },
    [{ type: 'tool_use', name: 'transfer_to_writer', input: { a: value } }],
  ])
    check(answer);
  const { chosen } = detectHandoffs(openaiResponse([{ name: 'transfer_to_writer', json: `{"a":${deep}}` }]), known);
  expect(chosen).toMatchObject({
    kind: 'HANDOFF',
    arguments: null,
    problem: { code: 'INVALID_ARGUMENTS', message: 'The arguments are nested more than 32 levels deep: flatten them' },
  });
});

it('takes names and arguments of a megabyte', () => {
  const long = 'x'.repeat(1_000_000);
  for (const name of [
    long,
    `transfer_to_${long}`,
    `mcp__${long}`,
    `mcp__a__transfer_to_${long}`,
    `${'_'.repeat(1_000_000)}`,
    ' '.repeat(1_000_000),
  ]) {
    check(anthropicMessage([{ name, json: '{}' }]));
    check(anthropicMessage([{ name: 'transfer_to_agent', json: JSON.stringify({ agent_name: name }) }]));
  }
});

it('gives suggestions to the first 20 unknown names only, so that thousands of agents cost little', () => {
  const calls = Array.from({ length: 30 }, (_each, at) => ({ name: `transfer_to_writer${at}`, json: '{}' }));
  const found = detectHandoffs(openaiResponse(calls), known).calls.map(({ problem }) => problem!.suggestions.length);
  expect(found).toEqual([...Array<number>(20).fill(1), ...Array<number>(10).fill(0)]);
});
