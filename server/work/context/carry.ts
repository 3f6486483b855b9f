import { canonicalJson } from '../../core/canonicalJson.ts';
import { buildContext, type BuildInput } from './build.ts';
import { isOwnVariable, type CarriedMessage, type Context, type StoredVariables } from './context.ts';
import type { ItemKind } from './kinds.ts';
import { abridge, longest } from './shorten.ts';
import type { Sources } from './sources.ts';

/** What of the Context a handoff tool or a collaboration passes on, and at most how much (rule: carry). */
export interface Carry {
  messages: 'ALL' | 'LAST' | 'HUMAN' | 'NONE';
  /** With LAST: the number of messages; null means `defaultLast`. */
  lastMessages: number | null;
  toolCalls: 'ALL' | 'SUMMARY' | 'NONE';
  files: boolean;
  tasks: boolean;
  decisions: boolean;
  /** Names of context variables; null for all. */
  variables: readonly string[] | null;
  /** Null for no limit. */
  maxTokens: number | null;
}

export const defaultLast = 10;
const everything: Carry = {
  messages: 'ALL',
  lastMessages: null,
  toolCalls: 'ALL',
  files: true,
  tasks: true,
  decisions: true,
  variables: null,
  maxTokens: null,
};

/** A stored Carry. */
export const asCarry = (stored: unknown): Carry => ({ ...everything, ...(stored as Partial<Carry>) });

/** A stored Carry to apply; null when it passes on everything. */
export function carryOf(stored: unknown): Carry | null {
  const carry = asCarry(stored ?? {});
  return canonicalJson({ ...carry, lastMessages: null }) === canonicalJson(everything) ? null : carry;
}

type Counts = Partial<Record<ItemKind, number>>;

/** Builds the Context that a Carry leaves, from what it leaves of the log. `leftOut` counts what was withheld. */
export function carriedContext(sources: Sources, input: BuildInput, carry: Carry): Context {
  const left = sourcesLeft(sources, carry);
  const variables = variablesLeft(input.variables, carry);
  const withheld: Counts = {
    MESSAGE: sources.totals.messages - left.totals.messages,
    CALL: sources.totals.calls - left.totals.calls,
    TOOL: sources.totals.tools - left.totals.tools,
    FILE: sources.totals.files - left.totals.files,
    TASK: pendingOf(sources) - pendingOf(left),
    DECISION: sources.totals.decisions - left.totals.decisions,
    VARIABLE: Object.keys(input.variables).length - Object.keys(variables).length,
  };
  if (sources.workingTree != null && left.workingTree == null) withheld.WORKING_TREE = 1;
  const whole = buildContext(left, {
    ...input,
    variables,
    filesWithheld: !carry.files || input.filesWithheld === true,
    tasksWithheld: !carry.tasks || input.tasksWithheld === true,
  });
  const context = carry.maxTokens === null ? whole : withinTokens(whole, carry.maxTokens, withheld);
  return {
    ...context,
    leftOut: {
      ...context.leftOut!,
      withheld: Object.fromEntries(Object.entries(withheld).filter(([, count]) => count > 0)),
    },
  };
}

const pendingOf = ({ tasks }: Sources): number => tasks.filter(({ status }) => status !== 'DONE').length;

const variablesLeft = (variables: StoredVariables, { variables: names }: Carry): StoredVariables =>
  names === null ? variables : Object.fromEntries(Object.entries(variables).filter(([name]) => names.includes(name)));

function sourcesLeft(sources: Sources, carry: Carry): Sources {
  const { totals, tools, files, tasks, decisions, lastCalls, calls } = sources;
  const withCalls = carry.toolCalls === 'ALL';
  const withTools = carry.toolCalls !== 'NONE';
  return {
    ...sources,
    ...messagesLeft(sources, carry),
    // A tool's last result is part of a call. Checks and failed attempts are derived from the calls.
    tools: withCalls ? tools : withTools ? tools.map((tool) => ({ ...tool, lastResult: null })) : [],
    lastCalls: withCalls ? lastCalls : [],
    reads: withCalls ? sources.reads : [],
    looks: withCalls ? (sources.looks ?? []) : [],
    reports: withCalls ? (sources.reports ?? []) : [],
    calls: !withCalls ? [] : carry.files ? calls : calls.map((call) => ({ ...call, filesModified: [] })),
    files: carry.files ? files : [],
    workingTree: carry.files ? (sources.workingTree ?? null) : null,
    tasks: carry.tasks ? tasks : [],
    decisions: carry.decisions ? decisions : [],
    stops: carry.messages === 'ALL' ? (sources.stops ?? []) : [],
    reasons: carry.messages === 'ALL' ? (sources.reasons ?? []) : [],
    totals: {
      messages: messageCountLeft(sources, carry),
      userMessages: totals.userMessages,
      decisions: carry.decisions ? totals.decisions : 0,
      files: carry.files ? totals.files : 0,
      tools: withTools ? totals.tools : 0,
      calls: withCalls ? totals.calls : 0,
      lastCalls: withCalls ? totals.lastCalls : 0,
      unansweredCalls: withCalls ? totals.unansweredCalls : 0,
    },
  };
}

interface Said {
  sequence: number;
  role: string;
}

function messagesLeft(
  sources: Sources,
  carry: Carry,
): Pick<Sources, 'recent' | 'byUsers' | 'asked' | 'compaction' | 'lastAssistant'> {
  const passes = messageFilter(sources, carry);
  const withQuestions = carry.messages === 'ALL' || carry.messages === 'LAST';
  const one = <M extends Said>(message: M | null): M | null => (message !== null && passes(message) ? message : null);
  return {
    recent: sources.recent.filter(passes),
    // A question is the agent's words.
    byUsers: sources.byUsers
      .filter(passes)
      .map((message) => (withQuestions ? message : { ...message, answerTo: null })),
    asked: withQuestions ? (sources.asked ?? null) : null,
    compaction: one(sources.compaction),
    lastAssistant: one(sources.lastAssistant),
  };
}

function messageFilter(sources: Sources, carry: Carry): (message: Said) => boolean {
  if (carry.messages === 'ALL') return () => true;
  if (carry.messages === 'NONE') return () => false;
  if (carry.messages === 'HUMAN') return ({ role }) => role === 'USER';
  const newest = sequencesOf(sources).slice(-(carry.lastMessages ?? defaultLast));
  return ({ sequence }) => newest.includes(sequence);
}

function messageCountLeft(sources: Sources, carry: Carry): number {
  const { messages, userMessages } = sources.totals;
  if (carry.messages === 'LAST') return Math.min(carry.lastMessages ?? defaultLast, sequencesOf(sources).length);
  return { ALL: messages, NONE: 0, HUMAN: userMessages }[carry.messages];
}

/** Messages that were read, oldest first: of the newest, all but the results of tools. */
const sequencesOf = ({ recent, byUsers, compaction, lastAssistant }: Sources): number[] =>
  [
    ...new Set(
      [...recent, ...byUsers, compaction, lastAssistant].flatMap((message) =>
        message === null ? [] : [message.sequence],
      ),
    ),
  ].sort((a, b) => a - b);

/** At most these shares of the tokens for texts, so that the lists get some. */
const shares = { originalRequest: 0.25, lastMessage: 0.25, compactionSummary: 0.15, latestRequest: 0.1, summary: 0.1 };
/** A text is cut to no fewer characters. */
const shortest = 40;

/** Keeps the most important parts within a number of estimated tokens, and counts the others in `withheld`. A cut text ends there for its reader too. */
function withinTokens(context: Context, maxTokens: number, withheld: Counts): Context {
  const bytes = maxTokens * 4;
  let left = bytes;
  const take = (size: number): boolean => {
    if (size > left) return false;
    left -= size;
    return true;
  };
  const drop = (kind: ItemKind): null => {
    withheld[kind] = (withheld[kind] ?? 0) + 1;
    return null;
  };
  const cutText = (text: string, share: number): string | null => {
    const room = Math.min(left, bytes * share);
    return longest(
      (characters) => abridge(text, characters),
      Math.min(shortest, text.length),
      text.length,
      (form) => sizeOf(form) <= room,
    );
  };
  const cutMessage = (
    name: 'originalRequest' | 'lastMessage' | 'compactionSummary' | 'latestRequest',
    kind: ItemKind,
  ): CarriedMessage | null => {
    const message = context[name];
    if (message === null) return null;
    const content = cutText(message.content, shares[name]);
    if (content === null || !take(sizeOf(content))) return drop(kind);
    return content === message.content ? message : { ...message, content, shortened: true, cut: true };
  };
  const fill = <T>(entries: readonly T[], kind: ItemKind): T[] =>
    entries.filter((entry) => take(sizeOf(entry)) || drop(kind) !== null);
  /** The newest first. */
  const fillBack = <T>(entries: readonly T[], kind: ItemKind): T[] => fill(entries.toReversed(), kind).reverse();

  const messages = {
    originalRequest: cutMessage('originalRequest', 'REQUEST'),
    lastMessage: cutMessage('lastMessage', 'LAST_MESSAGE'),
    compactionSummary: cutMessage('compactionSummary', 'COMPACTION'),
    latestRequest: cutMessage('latestRequest', 'REQUEST'),
  };
  const summary = cutText(context.summary, shares.summary) ?? '';
  take(sizeOf(summary));
  const own = [context.originalRequest, context.lastMessage, context.compactionSummary, context.latestRequest].flatMap(
    (message) => (message === null ? [] : [message.sequence]),
  );
  const { workingTree, treeSeen, ...rest } = context;
  const hasTree = workingTree !== undefined && (take(sizeOf(workingTree)) || drop('WORKING_TREE') !== null);
  const hasSeen = treeSeen !== undefined && (take(sizeOf(treeSeen)) || drop('WORKING_TREE') !== null);
  return {
    ...rest,
    ...(hasTree && { workingTree }),
    ...(hasSeen && { treeSeen }),
    ...messages,
    summary,
    workspace: context.workspace !== null && !take(sizeOf(context.workspace)) ? drop('WORKSPACE') : context.workspace,
    openQuestions: fill(context.openQuestions, 'QUESTION'),
    pendingTasks: fill(context.pendingTasks, 'TASK'),
    // Positions in a list that is shorter now.
    ...(context.tasksInProgress && { tasksInProgress: [] }),
    ...(context.filesGone && { filesGone: [] }),
    ...(context.filesStashed && { filesStashed: [] }),
    decisions: fillBack(context.decisions, 'DECISION'),
    checks: fillBack(context.checks, 'CHECK'),
    failedAttempts: fillBack(context.failedAttempts, 'FAILED_ATTEMPT'),
    ...(context.openBoxes && { openBoxes: fillBack(context.openBoxes, 'TASK') }),
    ...(context.solved && { solved: fillBack(context.solved, 'FAILED_ATTEMPT') }),
    ...(context.findings && { findings: fillBack(context.findings, 'FINDING') }),
    ...(context.observations && { observations: fillBack(context.observations, 'OBSERVATION') }),
    ...(context.reports && { reports: fillBack(context.reports, 'TOOL') }),
    ...(context.answers && { answers: fillBack(context.answers, 'ANSWER') }),
    ...(context.earlierReasons && { earlierReasons: fillBack(context.earlierReasons, 'REASON') }),
    contextVariables: context.contextVariables.filter(
      (variable) => isOwnVariable(variable) || fill([variable], 'VARIABLE').length === 1,
    ),
    filesModified: fill(context.filesModified, 'FILE'),
    // Those with a field of their own would count twice.
    recentMessages: fillBack(
      context.recentMessages.filter(({ sequence }) => sequence === undefined || !own.includes(sequence)),
      'MESSAGE',
    ),
    toolSummaries: fill(context.toolSummaries, 'TOOL'),
    lastToolCalls: fillBack(context.lastToolCalls ?? [], 'CALL'),
  };
}

const sizeOf = (value: unknown): number => Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));
