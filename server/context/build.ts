import { createHash } from 'node:crypto';
import { canonicalJson } from '../core/canonicalJson.ts';
import { listVariables, type Context, type RecentMessage, type StoredVariables } from './context.ts';
import { bounds, type Sources } from './sources.ts';

export interface BuildInput {
  /** The caller's words; composed from the log when null. */
  summary: string | null;
  variables: StoredVariables;
  instructions: string | null;
}

const recentBudget = 16_000;

/** Deterministic: the same log and input give the same Context. */
export function buildContext(sources: Sources, { summary, variables, instructions }: BuildInput): Context {
  return {
    summary: summary ?? composeSummary(sources),
    toolSummaries: sources.tools.map(({ name, calls, errors, lastResult }) => ({
      toolName: name,
      callCount: calls,
      errorCount: errors,
      lastResult: lastResult === null ? null : shorten(lastResult, bounds.toolResultCharacters),
    })),
    filesModified: sources.files,
    pendingTasks: pendingTasks(sources),
    decisions: sources.decisions,
    recentMessages: recentMessages(sources),
    contextVariables: listVariables(variables),
    instructions,
  };
}

/**
 * Equal for two Contexts that tell the next agent the same. A composed summary is left out: it follows from the
 * rest, and its counts would hide that nothing else is new.
 */
export function contentHash(context: Context, callerSummary: string | null, lastAgentTurnHash: string | null): string {
  const told = [
    callerSummary,
    context.filesModified,
    context.pendingTasks,
    context.decisions,
    context.contextVariables.map(({ name, value }) => [name, value]),
    lastAgentTurnHash,
  ];
  return createHash('sha256').update(canonicalJson(told)).digest('hex');
}

const pendingTasks = (sources: Sources): string[] =>
  sources.tasks.filter((task) => task.status !== 'DONE').map((task) => task.content);

/** The last messages within the budget; the last assistant message is always among them. */
function recentMessages({ recent, lastAssistant }: Sources): RecentMessage[] {
  const kept = new Map<number, RecentMessage>();
  let left = recentBudget;
  const keep = ({ sequence, role, content }: Sources['recent'][number]): boolean => {
    const short = shorten(content, bounds.messageCharacters);
    if (short.length > left) return false;
    left -= short.length;
    kept.set(sequence, { role, content: short });
    return true;
  };
  if (lastAssistant !== null) keep(lastAssistant);
  for (const message of recent.toReversed()) {
    if (!kept.has(message.sequence) && !keep(message)) break;
  }
  return [...kept].sort(([a], [b]) => a - b).map(([, message]) => message);
}

function composeSummary(sources: Sources): string {
  const calls = sum(sources.tools.map((tool) => tool.calls));
  const errors = sum(sources.tools.map((tool) => tool.errors));
  const pending = pendingTasks(sources);
  const sentences = [
    `"${sources.title}": ${count(sources.turns, 'turn')} so far` +
      (calls === 0 ? '.' : `, ${count(calls, 'tool call')}${errors === 0 ? '' : ` (${errors} failed)`}.`),
    sources.files.length === 0 ? 'No file was changed.' : `${count(sources.files.length, 'file')} changed, last ${sources.files[0]!}.`,
    sources.tasks.length === 0
      ? ''
      : pending.length === 0
        ? 'All tasks are done.'
        : `${count(pending.length, 'task')} left, next: ${clause(pending[0]!, 200)}.`,
    sources.decisions.length === 0 ? '' : `Last decision: ${clause(sources.decisions.at(-1)!, 300)}.`,
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

/** A text as the end of a sentence: shortened, on one line, without a full stop of its own. */
const clause = (text: string, characters: number): string => shorten(text.replaceAll(/\s+/g, ' ').trim().replace(/\.$/, ''), characters);

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** Cuts a text to `characters` UTF-16 units at most, never inside a surrogate pair, and marks the cut. */
export function shorten(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const end = characters - 1;
  const cut = /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? end - 1 : end;
  return `${text.slice(0, cut)}…`;
}
