import type { Check } from './derive/checks.ts';
import type { FailedAttempt } from './derive/failedAttempts.ts';
import type { Workspace } from './derive/log.ts';

/** What a Handoff carries for the next agent. Everything in it comes from the recorded log and the caller's input. */
export interface Context {
  summary: string;
  /** Whether Baton composed the summary from the log; null in Handoffs of before this was noted. */
  summaryComposed: boolean | null;
  /** What the work began with: what a user asked for, else the summary of the work that the session goes on with; null when there is neither. */
  originalRequest: CarriedMessage | null;
  /** What the user asked for last; null when that is the original request. */
  latestRequest: CarriedMessage | null;
  /** The agent's own summary of what came before its window was cut last; null when there is none, or it is the original request. */
  compactionSummary: CarriedMessage | null;
  /** The last words of the agent that hands off; null when no agent has spoken. */
  lastMessage: CarriedMessage | null;
  toolSummaries: ToolSummary[];
  /** Calls of the last turn that made any, each with what came of it; null in Handoffs of before they were kept. */
  lastToolCalls: CarriedCall[] | null;
  filesModified: string[];
  pendingTasks: string[];
  decisions: string[];
  recentMessages: RecentMessage[];
  contextVariables: ContextVariable[];
  /** Where the work stands, as far as the log says. */
  workspace: Workspace | null;
  /** The last outcome of each test, build and lint command. */
  checks: Check[];
  /** Commands and edits that failed and were not repeated with success, oldest first. */
  failedAttempts: FailedAttempt[];
  /** The last question to a person, when it was not answered; in parts where it was asked in parts. */
  openQuestions: string[];
  /** The target agent's instructions; null when it has none. */
  instructions: string | null;
  /** Null in Handoffs of before this was counted. */
  leftOut: LeftOut | null;
}

/** A message of the log that has a place of its own. */
export interface CarriedMessage {
  sequence: number;
  content: string;
  /** Whether the log has more of it. */
  shortened: boolean;
  /** The agent that said it; null for a user. */
  agentId: string | null;
  /** The agent that recorded it in a user's name; null when that was an operator, or is not known. */
  recordedBy?: string | null;
}

export interface ToolSummary {
  toolName: string;
  callCount: number;
  errorCount: number;
  /** What the last call answered, or its error, shortened; null when it answered nothing. */
  lastResult: string | null;
  /** The call that `lastResult` is of, when the log has more of it. */
  lastCallId?: string;
}

export interface CarriedCall {
  toolCallId: string;
  toolName: string;
  /** JSON, shortened. */
  arguments: string;
  /** What it answered, or its error, shortened. */
  outcome: string;
  failed: boolean;
  /** Whether the log has more of it. */
  shortened: boolean;
}

export interface RecentMessage {
  role: 'USER' | 'ASSISTANT' | 'SYSTEM' | 'TOOL';
  content: string;
  /** Its place in the log; unknown in Handoffs of before it was kept. */
  sequence?: number;
  /** Whether the log has more of it. */
  shortened?: boolean;
  /** The agent that recorded it in a user's name; null when that was an operator, or is not known. */
  recordedBy?: string | null;
}

/** How much of the log a Context does not carry, by what it is. */
export interface LeftOut {
  tasks: number;
  decisions: number;
  files: number;
  tools: number;
  /** Calls of the last turn that made any: those before the ones that are carried. */
  calls: number;
  /** Calls of that turn that have no result yet. */
  unansweredCalls: number;
  messages: number;
  /** What is carried shortened. */
  shortened: number;
}

export interface ContextVariable {
  name: string;
  value: unknown;
  /** The agent or principal that set it last. */
  setBy: string;
}

/** Context variables as a Session keeps them. */
export type StoredVariables = Record<string, { value: unknown; setBy: string }>;

export const listVariables = (stored: StoredVariables): ContextVariable[] =>
  Object.entries(stored)
    .map(([name, { value, setBy }]) => ({ name, value, setBy }))
    .sort(byName);

export const byName = (a: ContextVariable, b: ContextVariable): number => (a.name < b.name ? -1 : 1);

/** Later values win, and are marked with who set them; the others keep their mark. */
export const mergeVariables = (stored: StoredVariables, given: Record<string, unknown>, setBy: string): StoredVariables => ({
  ...stored,
  ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, { value, setBy }])),
});

/** Whether a variable is Baton's own: a Handoff carries it, a Session does not keep it, and no caller may set it. */
export const isOwnVariable = ({ name }: { name: string }): boolean => name.startsWith('_');

/** What Baton itself tells the next agent, in variables of its own. */
export interface Passage {
  /** The source; null for an unassigned Session. */
  from: string | null;
  /** Unknown in a preview. */
  to?: string;
  /** Its place in the chain of Handoffs. */
  depth?: number;
  reason?: string | null;
  /** The agents that took the Session over, in order, the target last; only the newest when there were many. */
  chain: string[];
}

export const ownVariables = ({ from, to, depth, reason, chain }: Passage): ContextVariable[] =>
  Object.entries({ _handoff_chain: chain, _handoff_depth: depth, _handoff_from: from, _handoff_reason: reason, _handoff_to: to })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({ name, value, setBy: 'baton' }));

/** The agents that took the Session over before the target of a Handoff, in order. */
export function chainOf({ contextVariables }: Pick<Context, 'contextVariables'>, targetAgentId: string | null): string[] {
  const chain = contextVariables.find((variable) => isOwnVariable(variable) && variable.name === '_handoff_chain')?.value;
  const agents = Array.isArray(chain) ? chain.filter((agent) => typeof agent === 'string') : [];
  return targetAgentId !== null && agents.at(-1) === targetAgentId ? agents.slice(0, -1) : agents;
}
