import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { expectedOf, isSubagent, realDataFolder, realPath, realTranscripts } from '../../../../test/realData.ts';
import { readTranscript } from './detect.ts';
import type { Count, Transcript } from './transcript.ts';

/** As few as there must be for the check to be worth its name. */
const atLeast = 8;
const files = realTranscripts();

interface ExpectedTask {
  content?: string;
  subject?: string;
  step?: string;
  status: string;
}

interface Expected {
  lines: number;
  bad_lines: number;
  entry_types: Record<string, number>;
  files_modified: string[];
  tool_calls: Record<string, number>;
  tool_errors: number;
  last_todos: ExpectedTask[] | null;
  task_list: ExpectedTask[] | null;
  user_messages: { human: number };
  assistant_messages: number;
  usage_once_per_message_id: Record<string, number>;
  sidechain_lines: number;
  compact_boundaries: number;
  first_timestamp: string;
  last_timestamp: string;
}

interface ExpectedOfCodex {
  lines: number;
  item_types: Record<string, number>;
  tool_calls: Record<string, number>;
  apply_patch_files: string[];
  last_plan: { plan: ExpectedTask[] };
  nonzero_exec_exits: number;
  event_user_messages: number;
  event_agent_messages: number;
  final_total_token_usage: { input_tokens: number; cached_input_tokens: number; output_tokens: number };
  first_timestamp: string;
  last_timestamp: string;
}

const byName = (counts: Count[]): Record<string, number> =>
  Object.fromEntries(counts.map(({ name, count }) => [name, count]));
const status = { pending: 'PENDING', in_progress: 'IN_PROGRESS', completed: 'DONE' } as Record<string, string>;
const tasks = (list: ExpectedTask[]) =>
  list.map((task) => ({ content: task.content ?? task.subject ?? task.step, status: status[task.status] }));

function agrees({ facts }: Transcript, expected: Expected): void {
  const { inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens } = facts.usage;
  expect({
    lines: facts.lines,
    bad_lines: facts.badLines,
    entry_types: byName(facts.entryTypes),
    unknown: facts.unknownTypes,
    files_modified: facts.filesModified,
    tool_calls: byName(facts.toolCalls),
    tool_errors: facts.toolErrors,
    tasks: facts.tasks,
    human: facts.humanMessages,
    assistant_messages: facts.assistantMessages,
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cache_creation_input_tokens: cacheCreationInputTokens,
      cache_read_input_tokens: cacheReadInputTokens,
      total: inputTokens + outputTokens + cacheCreationInputTokens + cacheReadInputTokens,
    },
    sidechain_lines: facts.sidechainLines,
    compactions: facts.compactions,
    first: facts.firstAt?.toISOString(),
    last: facts.lastAt?.toISOString(),
  }).toEqual({
    lines: expected.lines,
    bad_lines: expected.bad_lines,
    entry_types: expected.entry_types,
    unknown: [],
    files_modified: expected.files_modified,
    tool_calls: expected.tool_calls,
    tool_errors: expected.tool_errors,
    tasks: tasks(expected.last_todos ?? expected.task_list ?? []),
    human: expected.user_messages.human,
    assistant_messages: expected.assistant_messages,
    usage: expected.usage_once_per_message_id,
    sidechain_lines: expected.sidechain_lines,
    compactions: expected.compact_boundaries,
    first: expected.first_timestamp,
    last: expected.last_timestamp,
  });
}

function codexAgrees({ facts }: Transcript, expected: ExpectedOfCodex): void {
  const final = expected.final_total_token_usage;
  expect({
    lines: facts.lines,
    types: Object.fromEntries(facts.entryTypes.map(({ name, count }) => [name, count])),
    unknown: facts.unknownTypes,
    tool_calls: byName(facts.toolCalls),
    tool_errors: facts.toolErrors,
    files: facts.filesModified,
    plan: facts.tasks,
    human: facts.humanMessages,
    assistant: facts.assistantMessages,
    tokens: [
      facts.usage.inputTokens + facts.usage.cacheReadInputTokens,
      facts.usage.cacheReadInputTokens,
      facts.usage.outputTokens,
    ],
    first: facts.firstAt?.toISOString(),
    last: facts.lastAt?.toISOString(),
  }).toEqual({
    lines: expected.lines,
    types: expected.item_types,
    unknown: [],
    // Its searches on the web are items of a type of their own.
    tool_calls: { ...expected.tool_calls, web_search: expected.item_types['response_item/web_search_call'] },
    tool_errors: expected.nonzero_exec_exits,
    files: expected.apply_patch_files,
    plan: tasks(expected.last_plan.plan),
    human: expected.event_user_messages,
    assistant: expected.event_agent_messages,
    tokens: [final.input_tokens, final.cached_input_tokens, final.output_tokens],
    first: expected.first_timestamp,
    last: expected.last_timestamp,
  });
}

describe.runIf(realDataFolder !== undefined)('real transcripts', () => {
  it(`include at least ${atLeast} with expected facts`, () => {
    expect(files.length, `transcripts with expected facts in ${realDataFolder}`).toBeGreaterThanOrEqual(atLeast);
  });

  it.for(files)('%s gives its expected facts', async (file, { task }) => {
    const expected: unknown = JSON.parse(await readFile(expectedOf(realPath(file)), 'utf8'));
    const transcript = await readTranscript(createReadStream(realPath(file)), {
      format: 'AUTO',
      sidechain: isSubagent(file),
    });
    if (transcript.format === 'CODEX') codexAgrees(transcript, expected as ExpectedOfCodex);
    else agrees(transcript, expected as Expected);
    // The run's closing lines count these.
    task.meta.realTranscript = true;
  });
});

describe.runIf(realDataFolder !== undefined)('real rollouts without expected facts', () => {
  // Tokens in, the cached ones excepted, and out; what persons sent, saved prompts too; calls that failed. Counted by a script of their own.
  it.for([
    ['cpolar-613a9a68-token-restart', [333_830, 42_482, 13, 3]],
    ['moonmind-019a7ae6-token-restart', [385_593, 45_096, 6, 15]],
    ['test-framework-019c2a1a-warning', [740_350, 14_609, 4, 0]],
    ['scripted-0.169.0', [30, 15, 1, 1]],
  ] as const)('%s gives the expected counts', async ([name, expected]) => {
    const { facts } = await readTranscript(createReadStream(realPath(`codex/${name}.jsonl`)), {
      format: 'AUTO',
      sidechain: false,
    });
    expect([facts.usage.inputTokens, facts.usage.outputTokens, facts.humanMessages, facts.toolErrors]).toEqual(
      expected,
    );
    expect(facts.unknownTypes).toEqual([]);
  });
});

if (realDataFolder === undefined)
  it.skip('are skipped: set BATON_REAL_DATA to the folder of real transcripts', () => undefined);
