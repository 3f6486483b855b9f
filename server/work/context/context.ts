import type { WorkingTree } from '../../core/workspace.ts';
import type { Answer } from './derive/answers.ts';
import type { Check } from './derive/checks.ts';
import type { FailedAttempt } from './derive/failedAttempts.ts';
import type { OpenBoxes } from './derive/openBoxes.ts';
import type { Solved } from './derive/solved.ts';
import type { Finding } from './derive/findings.ts';
import type { SeenTree } from './derive/gitStatus.ts';
import type { Workspace } from './derive/log.ts';
import type { Report } from './derive/reports.ts';
import type { Step } from './derive/steps.ts';
import type { ItemKind } from './kinds.ts';

/** Content of a Handoff for the next agent, taken only from the recorded log and the caller's input. */
export interface Context {
  summary: string;
  /** Whether Baton composed the summary from the log; null in Handoffs older than this field. */
  summaryComposed: boolean | null;
  /** First request of a user; without one, the summary from which the session continues; null when there is neither. */
  originalRequest: CarriedMessage | null;
  /** Last request of a user; null when that is the original request. */
  latestRequest: CarriedMessage | null;
  /** The agent's own summary of what came before its window was last cut. Null when the window was not cut, or when the summary is the original request. */
  compactionSummary: CarriedMessage | null;
  /** Last message of the agent that hands off, else of an earlier one; null when no agent wrote any. */
  lastMessage: CarriedMessage | null;
  toolSummaries: ToolSummary[];
  /** Answered calls of the last turn that has any; null in Handoffs older than this field. */
  lastToolCalls: CarriedCall[] | null;
  filesModified: string[];
  pendingTasks: string[];
  decisions: string[];
  recentMessages: RecentMessage[];
  contextVariables: ContextVariable[];
  /** As far as the log says; null when it says nothing. */
  workspace: Workspace | null;
  /** As it was recorded last before the Handoff; absent when it was not. */
  workingTree?: WorkingTree;
  /** What git last said of the working tree in the log, while nothing changed it since; absent with `workingTree`. */
  treeSeen?: SeenTree;
  checks: Check[];
  /** Commands and edits that failed and were not repeated with success, oldest first. */
  failedAttempts: FailedAttempt[];
  /** Tasks in files that the agent wrote and did not tick, oldest file first. Absent in Handoffs older than this field. */
  openBoxes?: OpenBoxes[];
  /** What failed, and what worked instead, oldest first. Absent in Handoffs older than this field. */
  solved?: Solved[];
  /** Lines of results from which later commands took a port, an id or another name. Absent in Handoffs older than this field. */
  findings?: Finding[];
  /** Warnings of commands that passed, and values that were read or printed, which nothing else tells. Absent in Handoffs older than this field. */
  observations?: Finding[];
  /** What the agent looked at, searched and ran, which nothing else tells, oldest first. Absent in Handoffs older than this field. */
  steps?: Step[];
  /** Reports of sub-agents that no message tells, oldest first. Absent in Handoffs older than this field. */
  reports?: Report[];
  /** What people's few words answer, by the number of their message. Absent in Handoffs older than this field. */
  replies?: { sequence: number; to: string }[];
  /** Answers, approved plans, refusals and stops of people, oldest first. Absent in Handoffs older than this field. */
  answers?: Answer[];
  /** Reasons of earlier Handoffs of the Session, oldest first, each with its agents. */
  earlierReasons?: string[];
  /** Positions in `pendingTasks` of those that were begun. */
  tasksInProgress?: number[];
  /** Whether the agent wrote the list of tasks before its last message. */
  tasksOlder?: true;
  /** Positions of the modified files whose last change removed them or moved them away. */
  filesGone?: number[];
  /** Positions of the modified files whose changes are only in a stash of git. */
  filesStashed?: number[];
  /** Last question to a person when it is unanswered; several entries when it has several parts. */
  openQuestions: string[];
  /** Instructions of the target agent; null when it has none. */
  instructions: string | null;
  /** Null in Handoffs older than this field. */
  leftOut: LeftOut | null;
}

/** A message that a Context carries in a field of its own. */
export interface CarriedMessage {
  sequence: number;
  content: string;
  /** Whether the log holds a longer text. */
  shortened: boolean;
  /** Whether the rest is withheld from the target, although the log holds it. */
  cut?: true;
  /** Id of the author; null for a user. */
  agentId: string | null;
  /** The agent that recorded it in a user's name; null when an operator recorded it, or when unknown. */
  recordedBy?: string | null;
}

export interface ToolSummary {
  toolName: string;
  callCount: number;
  errorCount: number;
  /** Result or error of the last call, shortened; null without an answer. */
  lastResult: string | null;
  /** The call of `lastResult`, when the log holds a longer one. */
  lastCallId?: string;
  /** Whether an agent spoke after its last call. */
  told?: true;
}

export interface CarriedCall {
  toolCallId: string;
  toolName: string;
  /** JSON, shortened. */
  arguments: string;
  /** Result or error, shortened. */
  outcome: string;
  failed: boolean;
  /** Whether the log holds longer arguments or a longer outcome. */
  shortened: boolean;
  /** Whether other parts of the Context tell its outcome, or the work itself shows it. */
  told?: true;
}

export interface RecentMessage {
  role: 'USER' | 'ASSISTANT' | 'SYSTEM' | 'TOOL';
  content: string;
  /** Unknown in Handoffs older than this field. */
  sequence?: number;
  /** Whether the log holds a longer text. */
  shortened?: boolean;
  /** The agent that recorded it in a user's name; null when an operator recorded it, or when unknown. */
  recordedBy?: string | null;
}

/** Numbers of log entries that a Context does not carry. */
export interface LeftOut {
  tasks: number;
  decisions: number;
  files: number;
  tools: number;
  /** Answered calls of the whole log that are not among `lastToolCalls`. */
  calls: number;
  /** Calls without a result of the last turn that has any. */
  unansweredCalls: number;
  messages: number;
  shortened: number;
  /** Numbers of entries that a Carry withheld, by kind; absent without one. */
  withheld?: Partial<Record<ItemKind, number>>;
}

export interface ContextVariable {
  name: string;
  value: unknown;
  /** Id of the agent, or principal of another caller, that set it last. */
  setBy: string;
}

/** `sequence`: number of the last Message in the log when it was set; absent in older ones, which counts as 0. */
export type StoredVariables = Record<string, { value: unknown; setBy: string; sequence?: number }>;

export const listVariables = (stored: StoredVariables): ContextVariable[] =>
  Object.entries(stored)
    .map(([name, { value, setBy }]) => ({ name, value, setBy }))
    .sort(byName);

export const byName = (a: ContextVariable, b: ContextVariable): number => (a.name < b.name ? -1 : 1);

/** Values in `given` win and get `setBy` and their place in the log; the others keep theirs. */
export const mergeVariables = (
  stored: StoredVariables,
  given: Record<string, unknown>,
  setBy: string,
  sequence = 0,
): StoredVariables => ({
  ...stored,
  ...Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, { value, setBy, ...(sequence > 0 && { sequence }) }]),
  ),
});

/** Baton's own variables are part of a Handoff, not of a Session, and callers may not set them. */
export const isOwnVariable = ({ name }: { name: string }): boolean => name.startsWith('_');

/** What a person changed of a proposed Handoff. */
export interface Edited {
  /** Name of the person's key; null without a stored key. */
  by: string | null;
  changes: EditedField[];
}

export interface EditedField {
  field: string;
  /** Beginning and end of what the Agent gave; null when it gave nothing. Absent where a Carry withholds things. */
  before?: string | null;
}

/** As it is stored with a Handoff; null when nothing was edited. */
export function editedOf({ contextVariables }: Pick<Context, 'contextVariables'>): Edited | null {
  const found = contextVariables.find((variable) => isOwnVariable(variable) && variable.name === '_handoff_edited');
  const value = found?.value as Edited | undefined;
  return value !== undefined && Array.isArray(value.changes) ? value : null;
}

export interface Passage {
  /** Source agent; null for an unassigned Session. */
  from: string | null;
  /** Unknown in a preview. */
  to?: string;
  /** Number of the Handoff in its Session. */
  depth?: number;
  reason?: string | null;
  /** What a person changed before approving the Handoff. */
  edited?: Edited | null;
  /** The handoff tool that was called, and the instructions of it and of the stage for the target. */
  tool?: { name: string | null; instructions: string | null };
  /** In a pipeline: the stage of the target, and what the stage before was left with; without a name out of a pipeline. */
  stage?: { name?: string; outcome?: string; payload?: unknown };
  /** Agents that took the Session over, in order, the target last; at most the newest `bounds.chain`. */
  chain: string[];
}

export const ownVariables = ({ from, to, depth, reason, edited, tool, stage, chain }: Passage): ContextVariable[] =>
  Object.entries({
    _handoff_chain: chain,
    _handoff_depth: depth,
    _handoff_edited: edited ?? undefined,
    _handoff_from: from,
    _handoff_instructions: tool?.instructions ?? undefined,
    _handoff_outcome: stage?.outcome,
    _handoff_payload: stage?.payload ?? undefined,
    _handoff_reason: reason,
    _handoff_stage: stage?.name,
    _handoff_to: to,
    _handoff_tool: tool?.name ?? undefined,
  })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({ name, value, setBy: 'baton' }));

/** A Context that was built before its target was known, for this target. */
export function addressedTo(
  context: Context,
  { from, to, instructions }: { from: string | null; to: string; instructions: string | null },
): Context {
  const own = { _handoff_chain: [...chainOf(context, null), to], _handoff_from: from, _handoff_to: to };
  const others = context.contextVariables.filter(({ name }) => !Object.hasOwn(own, name));
  const contextVariables = [
    ...others,
    ...Object.entries(own).map(([name, value]) => ({ name, value, setBy: 'baton' })),
  ].sort(byName);
  return { ...context, instructions, contextVariables };
}

/** Agents that took the Session over before the target of a Handoff, in order. */
export function chainOf(
  { contextVariables }: Pick<Context, 'contextVariables'>,
  targetAgentId: string | null,
): string[] {
  const chain = contextVariables.find(
    (variable) => isOwnVariable(variable) && variable.name === '_handoff_chain',
  )?.value;
  const agents = Array.isArray(chain) ? chain.filter((agent) => typeof agent === 'string') : [];
  return targetAgentId !== null && agents.at(-1) === targetAgentId ? agents.slice(0, -1) : agents;
}
