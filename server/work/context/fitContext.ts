import type { Context, LeftOut } from './context.ts';
import { abridge, longest, shorten } from './shorten.ts';

/** Greatest size of a Context in a Handoff, in bytes of JSON. */
export const contextBytes = 256 * 1024;

// Limits for single texts when the Context is too large. Variables are limited to 64 KB elsewhere; together with
// them and Baton's own, these limits leave a seventh of the size for the lists.
const textBytes = {
  request: 20_000,
  latest: 14_000,
  last: 20_000,
  compaction: 24_000,
  summary: 28_000,
  instructions: 28_000,
  place: 400,
  tree: 8_000,
  command: 300,
  failed: 200,
  error: 400,
  question: 400,
};
const shortestItem = 80;
/** Results and reasons that a large Context keeps. */
const fewest = 5;
/** Paths are kept longer: one with a missing part names no file. */
const shortestPath = 1_000;

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) + 1;

/**
 * Returns a Context of at most `contextBytes`, so that every Session can be handed off. Shortens texts first, then
 * leaves out the least important items of each list and counts them.
 */
export function fitContext(context: Context): Context {
  if (jsonBytes(context) <= contextBytes) return context;
  const leftOut: LeftOut = { ...context.leftOut! };
  const fitText = (text: string, bytes: number): string => {
    if (jsonBytes(text) <= bytes) return text;
    leftOut.shortened += 1;
    return (
      longest(
        (characters) => abridge(text, characters),
        0,
        text.length,
        (form) => jsonBytes(form) <= bytes,
      ) ?? ''
    );
  };
  const fitMessage = <M extends { content: string; shortened: boolean }>(
    message: M | null,
    bytes: number,
  ): M | null => {
    if (message === null) return null;
    const content = fitText(message.content, bytes);
    return { ...message, content, shortened: message.shortened || content !== message.content };
  };
  const fitPlace = (place: string | null): string | null => place && fitText(place, textBytes.place);
  const fixed = {
    ...context,
    summary: fitText(context.summary, textBytes.summary),
    instructions: context.instructions === null ? null : fitText(context.instructions, textBytes.instructions),
    originalRequest: fitMessage(context.originalRequest, textBytes.request),
    latestRequest: fitMessage(context.latestRequest, textBytes.latest),
    lastMessage: fitMessage(context.lastMessage, textBytes.last),
    workspace: context.workspace && {
      folder: fitPlace(context.workspace.folder),
      branch: fitPlace(context.workspace.branch),
      commit: fitPlace(context.workspace.commit),
      ...(context.workspace.host != null && { host: fitPlace(context.workspace.host) }),
      ...(context.workspace.repository != null && { repository: fitPlace(context.workspace.repository) }),
      ...(context.workspace.sandbox != null && { sandbox: fitPlace(context.workspace.sandbox) }),
    },
    ...(context.workingTree && {
      workingTree: {
        ...context.workingTree,
        status: fitText(context.workingTree.status, textBytes.tree),
        diffstat: fitText(context.workingTree.diffstat, textBytes.tree),
      },
    }),
    checks: context.checks.map((check) => ({ ...check, command: fitText(check.command, textBytes.command) })),
    failedAttempts: context.failedAttempts.map((attempt) => ({
      ...attempt,
      what: fitText(attempt.what, textBytes.failed),
      error: fitText(attempt.error, textBytes.error),
    })),
    openQuestions: context.openQuestions.map((question) => fitText(question, textBytes.question)),
    ...(context.openBoxes && { openBoxes: context.openBoxes.slice(-fewest) }),
    ...(context.solved && { solved: context.solved.slice(-fewest) }),
    ...(context.findings && { findings: context.findings.slice(-fewest) }),
    ...(context.observations && { observations: context.observations.slice(-fewest) }),
    ...(context.steps && { steps: context.steps.slice(-fewest) }),
    ...(context.reports && { reports: context.reports.slice(-fewest) }),
    ...(context.answers && { answers: context.answers.slice(-fewest) }),
    ...(context.earlierReasons && { earlierReasons: context.earlierReasons.slice(-fewest) }),
    compactionSummary: fitMessage(context.compactionSummary, textBytes.compaction),
  };
  const lists = {
    pendingTasks: [],
    decisions: [],
    filesModified: [],
    toolSummaries: [],
    lastToolCalls: [],
    recentMessages: [],
  };
  // 200 bytes: the counts in `leftOut` may get more digits.
  let left = contextBytes - jsonBytes({ ...fixed, ...lists }) - 200;
  /** Fits one list into a share of the remaining bytes; the next lists get what it leaves. */
  const fitList = <T>(
    items: readonly T[],
    share: number,
    short: (item: T, characters: number) => T,
    count: Exclude<keyof LeftOut, 'withheld'>,
    least = shortestItem,
  ): T[] => {
    const { kept, cut } = fitItems(items, left * share, short, least);
    left -= kept.reduce((bytes, item) => bytes + jsonBytes(item), 0);
    leftOut[count] += items.length - kept.length;
    leftOut.shortened += cut;
    return kept;
  };
  return {
    ...fixed,
    pendingTasks: fitList(context.pendingTasks, 0.4, shorten, 'tasks'),
    decisions: fitList(context.decisions.toReversed(), 0.5, shorten, 'decisions').reverse(),
    filesModified: fitList(context.filesModified, 0.5, shorten, 'files', shortestPath),
    toolSummaries: fitList(
      context.toolSummaries,
      0.4,
      (tool, characters) => ({
        ...tool,
        toolName: shorten(tool.toolName, characters),
        lastResult: tool.lastResult && shorten(tool.lastResult, characters),
      }),
      'tools',
    ),
    lastToolCalls: fitList(
      (context.lastToolCalls ?? []).toReversed(),
      0.5,
      (call, characters) => ({
        ...call,
        toolName: shorten(call.toolName, characters),
        arguments: shorten(call.arguments, characters),
        outcome: abridge(call.outcome, characters),
        shortened: true,
      }),
      'calls',
    ).reverse(),
    recentMessages: fitList(
      context.recentMessages.toReversed(),
      1,
      (message, characters) => ({ ...message, content: shorten(message.content, characters), shortened: true }),
      'messages',
    ).reverse(),
    leftOut,
  };
}

/** All items, each shortened as little as possible; when that does not fit, the first items in their shortest form. */
function fitItems<T>(
  items: readonly T[],
  bytes: number,
  short: (item: T, characters: number) => T,
  least: number,
): { kept: T[]; cut: number } {
  const sizes = items.map(jsonBytes);
  const sum = (list: readonly number[]): number => list.reduce((all, each) => all + each, 0);
  if (sum(sizes) <= bytes) return { kept: [...items], cut: 0 };
  /** The item unchanged when shortening would not make it smaller. */
  const formOf = (item: T, at: number, characters: number): { form: T; size: number } => {
    const form = short(item, characters);
    const size = jsonBytes(form);
    return size < sizes[at]! ? { form, size } : { form: item, size: sizes[at]! };
  };
  const all = longest(
    (characters) => items.map((item, at) => formOf(item, at, characters)),
    least,
    4_096,
    (forms) => sum(forms.map(({ size }) => size)) <= bytes,
  );
  const kept: T[] = (all ?? []).map(({ form }) => form);
  if (all === null) {
    let left = bytes;
    for (const [at, item] of items.entries()) {
      const { form, size } = formOf(item, at, least);
      left -= size;
      if (left < 0) break;
      kept.push(form);
    }
  }
  return { kept, cut: kept.filter((item, index) => item !== items[index]).length };
}
