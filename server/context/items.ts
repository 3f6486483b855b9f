import { isOwnVariable, type CarriedCall, type Context, type ContextVariable, type ToolSummary } from './context.ts';
import type { ItemKind } from './kinds.ts';

/** One piece of a Context that a prompt keeps or drops. */
export interface Item {
  /** The same in every prompt of one Handoff. */
  id: string;
  kind: ItemKind;
  content: string;
  /** How much it matters: all of one stage come before any of the next. */
  stage: Stage;
  /** What the log has more of, when the Context carries it shortened. */
  origin?: Origin;
  /** The agent that recorded it in a user's name. */
  recordedBy?: string;
  /** The least that still says something; shorter than that it is cut like any text. */
  brief?: string;
  /** A call in its two parts, which a prompt shortens apart and never shows apart. `gist`: what was done, in short. */
  call?: { made: string; gist: string; outcome: string };
}

/** `head`: what a prompt has at any size, if only its beginning. `people`: what users said. `words`: what agents said. `rest`: what is known otherwise. */
export const stages = ['head', 'work', 'files', 'people', 'words', 'tools', 'calls', 'rest'] as const;
export type Stage = (typeof stages)[number];

export type Origin = { messageSequence: number; prefix: string } | { toolCallId: string; as: 'TOOL' | 'CALL' };

/** What a Handoff was given besides its Context. */
export interface Given {
  /** Why it is handed off; null when no reason was given. */
  reason: string | null;
  /** What its caller keeps about it: any JSON. */
  metadata?: unknown;
}

/** Every item of a Context, what matters most first. */
export function itemsOf(context: Context, { reason, metadata }: Given): Item[] {
  const { originalRequest, latestRequest, compactionSummary, instructions, summaryComposed, workspace } = context;
  // Handoffs of before it had a place of its own have the last message among the recent ones.
  const said = context.recentMessages.filter(({ role }) => role === 'ASSISTANT');
  const lastMessage = context.lastMessage ?? said.at(-1) ?? null;
  const report = reportBefore(lastMessage, said);
  const told = [originalRequest, latestRequest, compactionSummary, lastMessage];
  const tasks = numbered('TASK', context.pendingTasks);
  const decisions = numbered('DECISION', context.decisions).reverse();
  const questions = numbered('QUESTION', context.openQuestions);
  const payload = metadataItems(metadata);
  const checks = context.checks.map(checkItem);
  const heads: (Item | undefined)[] = [decisions[0], tasks[0], questions[0]];
  const summary: Item = { id: 'summary-1', kind: 'SUMMARY', content: context.summary, stage: summaryComposed === true ? 'rest' : 'head' };
  const variables = context.contextVariables.map((variable, index) => variableItem(variable, index)).filter((item) => item !== null);
  const calls = (context.lastToolCalls ?? []).map((call, index) => (repeatsTasks(call, context) ? null : callItem(call, index))).reverse();
  const talk = context.recentMessages
    .map((message, index): Item | null => {
      const { role, content, sequence, shortened } = message;
      // A result without its call says nothing: results stand with their calls.
      if (role === 'TOOL' || message === lastMessage || message === report) return null;
      if (sequence !== undefined && told.some((other) => other?.sequence === sequence)) return null;
      const prefix = `${sequence === undefined ? '' : `#${sequence} `}${role.toLowerCase()}${recorder(message)}: `;
      const again = sayingAgain(context, index);
      if (again !== null) return { id: `message-${index + 1}`, kind: 'MESSAGE', content: `${prefix}(the same as ${again})`, stage: stageOf[role] };
      const origin = shortened === true && sequence !== undefined ? { origin: { messageSequence: sequence, prefix } } : {};
      return { id: `message-${index + 1}`, kind: 'MESSAGE', content: prefix + content, stage: stageOf[role], ...origin };
    })
    .reverse();
  const items: (Item | null | undefined)[] = [
    messageItem('REQUEST', 1, originalRequest),
    messageItem('LAST_MESSAGE', 1, lastMessage),
    messageItem('COMPACTION', 1, compactionSummary),
    messageItem('LAST_MESSAGE', 2, report),
    decisions[0],
    tasks[0],
    questions[0],
    messageItem('REQUEST', 2, latestRequest),
    reason === null || reason === '' ? null : { id: 'reason-1', kind: 'REASON', content: reason, stage: 'head' },
    workspaceItem(workspace),
    summaryComposed === true ? null : summary,
    instructions === null ? null : { id: 'instructions-1', kind: 'INSTRUCTIONS', content: instructions, stage: 'head' },
    ...questions.slice(1),
    ...payload.slice(0, firstEntries),
    ...checks.filter((_, index) => !isOutdated(context.checks[index]!)).reverse(),
    ...alternating(tasks.slice(1), decisions.slice(1)),
    ...context.failedAttempts.map(attemptItem).reverse(),
    ...variables.filter(({ stage }) => stage === 'work'),
    ...payload.slice(firstEntries),
    ...checks.filter((_, index) => isOutdated(context.checks[index]!)).reverse(),
    ...context.filesModified.map((content, index): Item => ({ id: `file-${index + 1}`, kind: 'FILE', content, stage: 'files' })),
    ...talk,
    ...context.toolSummaries.map((tool, index) => toolItem(saysMore(tool, context) ? tool : { ...tool, lastResult: null, lastCallId: undefined }, index)),
    ...calls,
    summaryComposed === true ? summary : null,
    ...variables.filter(({ stage }) => stage === 'rest'),
  ];
  return items
    .filter((item) => item != null)
    .map((item) => (heads.includes(item) ? { ...item, stage: 'head' as const } : item))
    .sort((a, b) => stages.indexOf(a.stage) - stages.indexOf(b.stage));
}

/** Shorter ones are repeated as they are. */
const repeatedFrom = 200;

/** Where a prompt has the same words once more: in a request, or in a later message. Null when nowhere, or when one of the two was cut. */
function sayingAgain({ originalRequest, latestRequest, recentMessages }: Context, index: number): string | null {
  const { role, content, shortened } = recentMessages[index]!;
  if (content.length < repeatedFrom || shortened !== false) return null;
  const isSame = (other: { content: string; shortened?: boolean } | null) => other !== null && other.shortened === false && other.content === content;
  if (role === 'USER' && isSame(originalRequest)) return 'the original request';
  if (role === 'USER' && isSame(latestRequest)) return 'the latest request';
  const later = recentMessages.slice(index + 1).findLast((other) => other.role === role && other.sequence !== undefined && isSame(other));
  return later === undefined ? null : `#${later.sequence!}`;
}

const stageOf = { USER: 'people', ASSISTANT: 'words', SYSTEM: 'rest', TOOL: 'rest' } as const satisfies Record<Context['recentMessages'][number]['role'], Stage>;

/** An agent may write in a user's name: then the reader has to know. */
const recorder = ({ recordedBy }: { recordedBy?: string | null }): string => (recordedBy == null ? '' : ` (recorded by agent ${recordedBy})`);

/** Tools that keep the list of tasks: what they are given is that list. */
const taskTools = new Set(['TodoWrite', 'TodoRead', 'TaskCreate', 'TaskUpdate', 'TaskList', 'TaskGet', 'update_plan', 'todo_write', 'write_todos']);
const keepsTasks = ({ toolName, failed }: CarriedCall): boolean => !failed && taskTools.has(toolName);
/** The list stands for itself; where all of it is done, the call that said so last does. */
const repeatsTasks = (call: CarriedCall, { pendingTasks, lastToolCalls }: Context): boolean => keepsTasks(call) && (pendingTasks.length > 0 || lastToolCalls?.findLast(keepsTasks) !== call);

/** Whether the last result of a tool stands nowhere else: not with its call, not as the list of tasks. */
const saysMore = ({ toolName }: ToolSummary, { lastToolCalls }: Context): boolean => !taskTools.has(toolName) && lastToolCalls?.some((call) => call.toolName === toolName) !== true;

function workspaceItem(workspace: Context['workspace']): Item | null {
  const parts = workspacePlaces(workspace).map(([name, value]) => `${name} ${value}`);
  return parts.length === 0 ? null : { id: 'workspace-1', kind: 'WORKSPACE', content: parts.join('; '), stage: 'head' };
}

/** Those that are known. */
export const workspacePlaces = (workspace: Context['workspace']): [name: string, value: string][] =>
  ([['folder', workspace?.folder], ['branch', workspace?.branch], ['last commit', workspace?.commit]] as const).flatMap(([name, value]) => (value == null ? [] : [[name, value]]));

function checkItem(check: Context['checks'][number], index: number): Item {
  const brief = checkText(check);
  return { id: `check-${index + 1}`, kind: 'CHECK', content: `${brief} (call ${check.callId})`, brief, stage: 'work' };
}

const checkText = ({ command, outcome, stale }: Context['checks'][number]): string => `${outcome.toLowerCase()}${stale ? ', but files changed since' : ''}: ${command}`;

/** That it passed once says little when files changed since. */
const isOutdated = ({ outcome, stale }: Context['checks'][number]): boolean => stale && outcome === 'PASSED';

function attemptItem({ what, error, callId }: Context['failedAttempts'][number], index: number): Item {
  const call = { made: `${what} (call ${callId})`, gist: what, outcome: error };
  return { id: `failed-attempt-${index + 1}`, kind: 'FAILED_ATTEMPT', content: `${call.made} -> ${error}`, stage: 'work', call };
}

/** One item for each entry of an object, since callers put several things into it; texts as they are. */
const metadataItems = (metadata: unknown): Item[] => metadataTexts(metadata).map((content, index) => ({ id: `metadata-${index + 1}`, kind: 'METADATA', content, stage: 'work' }));

export function metadataTexts(metadata: unknown): string[] {
  if (metadata == null) return [];
  if (typeof metadata !== 'object' || Array.isArray(metadata)) return [textOf(metadata)];
  return Object.entries(metadata).map(([name, value]) => `${name}: ${textOf(value)}`);
}

/** So many entries come before the tasks: more of them could leave these no room. */
const firstEntries = 5;

/** Lists of texts are lines; all else is JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'string')) return value.map((entry) => `\n- ${entry}`).join('');
  return JSON.stringify(value);
}

/** Shorter than this, a last message may be no more than a reply in passing; the report of the work then stands before it. */
const reportFrom = 400;

function reportBefore<M extends { content: string; sequence?: number }>(last: { content: string; sequence?: number } | null, said: readonly M[]): M | null {
  if (last === null || last.content.length >= reportFrom) return null;
  return said.findLast((message) => message.content.length >= reportFrom && message.sequence !== undefined && message.sequence < (last.sequence ?? 0)) ?? null;
}

const numbered = (kind: 'TASK' | 'DECISION' | 'QUESTION', contents: readonly string[]): Item[] =>
  contents.map((content, index) => ({ id: `${kind.toLowerCase()}-${index + 1}`, kind, content, stage: 'work' }));

const namesOfMessages = { REQUEST: 'request', COMPACTION: 'compaction', LAST_MESSAGE: 'last-message' };

function messageItem(
  kind: keyof typeof namesOfMessages,
  number: 1 | 2,
  message: { content: string; sequence?: number; shortened?: boolean; recordedBy?: string | null } | null,
): Item | null {
  if (message === null) return null;
  const { content, sequence, shortened, recordedBy } = message;
  const origin = shortened === true && sequence !== undefined ? { origin: { messageSequence: sequence, prefix: '' } } : {};
  return { id: `${namesOfMessages[kind]}-${number}`, kind, content, stage: 'head', ...origin, ...(kind === 'REQUEST' && recordedBy != null ? { recordedBy } : {}) };
}

/** What the heading of a prompt says already. */
const inHeading = new Set(['_handoff_chain', '_handoff_depth', '_handoff_from', '_handoff_reason', '_handoff_to']);

const variableItem = (variable: ContextVariable, index: number): Item | null =>
  inHeading.has(variable.name)
    ? null
    : {
        id: `variable-${index + 1}`,
        kind: 'VARIABLE',
        content: `${variable.name} = ${JSON.stringify(variable.value)} (set by ${variable.setBy})`,
        stage: isOwnVariable(variable) ? 'rest' : 'work',
      };

export const toolStatistics = ({ toolName, callCount, errorCount }: ToolSummary): string =>
  `${toolName}: ${callCount} ${callCount === 1 ? 'call' : 'calls'}${errorCount === 0 ? '' : `, ${errorCount} failed`}`;

export function toolItem(tool: ToolSummary, index: number): Item {
  const { lastResult, lastCallId } = tool;
  const content = `${toolStatistics(tool)}${lastResult === null ? '' : `; last: ${lastResult}`}`;
  const origin = lastCallId === undefined ? {} : { origin: { toolCallId: lastCallId, as: 'TOOL' as const } };
  return { id: `tool-${index + 1}`, kind: 'TOOL', content, stage: 'tools', brief: toolStatistics(tool), ...origin };
}

export function callItem(given: CarriedCall, index: number): Item {
  const call = { made: `${given.toolName} ${given.arguments}`, gist: `${given.toolName} ${gistOf(given.arguments)}`, outcome: `${given.failed ? 'failed: ' : ''}${given.outcome}` };
  const origin = given.shortened ? { origin: { toolCallId: given.toolCallId, as: 'CALL' as const } } : {};
  return { id: `call-${index + 1}`, kind: 'CALL', content: `${call.made} -> ${call.outcome}`, stage: 'calls', call, ...origin };
}

const mainArgument = /"(?:command|cmd|file_path|notebook_path|path|query|pattern|url)": ?("(?:[^"\\]|\\.)*")/;

/** The argument that says most, where a tool has one of the usual names for it; JSON may be cut, so it is not parsed as a whole. */
function gistOf(json: string): string {
  const found = mainArgument.exec(json)?.[1];
  if (found === undefined) return json;
  try {
    return JSON.parse(found) as string;
  } catch {
    return json;
  }
}

/** One of each in turn, as long as there are both. */
function alternating<T>(a: readonly T[], b: readonly T[]): T[] {
  const most = Math.max(a.length, b.length);
  return Array.from({ length: most }, (_, index) => [a[index], b[index]]).flat().filter((item) => item !== undefined);
}

interface Log {
  message(sequence: number): Promise<string | undefined>;
  call(id: string): Promise<{ name: string; arguments: unknown; result: string | null; error: string | null } | undefined>;
}

/** An item as it was recorded: what the Context carries shortened is read from the log, which never changes. */
export async function wholeContent({ content, origin, brief }: Item, log: Log): Promise<string> {
  if (origin === undefined) return content;
  if ('messageSequence' in origin) {
    const said = await log.message(origin.messageSequence);
    return said === undefined ? content : origin.prefix + said;
  }
  const call = await log.call(origin.toolCallId);
  if (call === undefined) return content;
  const outcome = call.error ?? call.result ?? '';
  if (origin.as === 'TOOL') return `${brief!}; last: ${outcome}`;
  return `${call.name} ${JSON.stringify(call.arguments ?? {})} -> ${call.error === null ? '' : 'failed: '}${outcome}`;
}
