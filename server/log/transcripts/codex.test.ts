import { expect, test } from 'vitest';
import { callsIn, readFixture, readText, saidIn } from './fixtures.ts';

const transcript = await readFixture('codex-rollout');

test("a person's words are taken once, though they come as an item and as an event, and again when they are said again", () => {
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

test('tool calls have their arguments and outcomes; only what a command says in front of its output is how it ended', () => {
  expect(callsIn(transcript).map(({ callId, result, error }) => [callId, result ?? error, error !== null])).toEqual([
    ['call_look', expect.stringContaining('No such file'), true],
    ['call_plan1', 'Plan updated', false],
    ['call_cat', expect.stringContaining('Exit code: 7'), false],
    ['call_p1', expect.stringContaining('Success'), false],
    ['call_p2', 'Failed to find context', true],
    ['call_plan2', 'Plan updated', false],
    ['call_sh', 'Success.', false],
    ['call_open', null, false],
  ]);
  expect(callsIn(transcript)[0]?.arguments).toEqual({ cmd: 'ls fence' });
  expect(transcript.facts.toolErrors).toBe(2);
});

test('what the program answers in place of an output is a failure, and its patch wrote nothing', async () => {
  const answers = [
    'apply_patch verification failed: Failed to find expected lines in a.md',
    'failed in sandbox MacosSeatbelt with execution error: sandbox denied exec error, exit code: 1, stdout: , stderr: no',
    'patch rejected by user',
    'execution error: Io(Custom { kind: Other })',
  ];
  const lines = answers.flatMap((output, index) => [
    { type: 'response_item', payload: { type: 'custom_tool_call', call_id: `c${index}`, name: 'apply_patch', input: '*** Begin Patch\n*** Update File: a.md\n*** End Patch' } },
    { type: 'response_item', payload: { type: 'custom_tool_call_output', call_id: `c${index}`, output } },
  ]);
  const read = await readText(lines.map((line) => JSON.stringify(line)).join('\n'));
  expect(callsIn(read).map(({ error }) => error)).toEqual(answers);
  expect(read.facts).toMatchObject({ toolErrors: 4, filesModified: [] });
});

test('patches that went well name the files, as calls and inside commands', () => {
  expect(transcript.facts.filesModified).toEqual(['fence/east.md', 'fence/north.md', 'fence/rotten.md', 'fence/south.md', 'fence/sunrise.md']);
});

test('the last plan is the tasks', () => {
  expect(transcript.facts.tasks).toEqual([
    { content: 'Find the fence', status: 'DONE' },
    { content: 'Mend it', status: 'IN_PROGRESS' },
  ]);
});

test('the last count of tokens is the usage, each turn having what it added; what came from a cache is apart', () => {
  expect(transcript.facts.usage).toEqual({ inputTokens: 2_000, outputTokens: 300, cacheCreationInputTokens: 0, cacheReadInputTokens: 7_000, model: 'gpt-5.5' });
  expect(transcript.usage.map(({ turn, tokens }) => [turn, tokens.inputTokens, tokens.cacheReadInputTokens, tokens.outputTokens])).toEqual([
    [0, 1_500, 1_500, 120],
    [1, 500, 5_500, 180],
  ]);
});

test('types are counted with what they carry; unknown ones are named', () => {
  expect(transcript.facts.unknownTypes).toEqual([{ name: 'dance/waltz', count: 1 }]);
  expect(transcript.facts.entryTypes).toContainEqual({ name: 'response_item/function_call', count: 6 });
});

test("in a sub-agent's rollout nobody is a person", async () => {
  const { facts } = await readFixture('codex-rollout', { sidechain: true });
  expect(facts).toMatchObject({ humanMessages: 0, tasks: [], sidechainLines: 39 });
});
