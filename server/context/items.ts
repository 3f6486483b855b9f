import { isOwnVariable, type CarriedCall, type Context, type ContextVariable, type ToolSummary } from './context.ts';

export type ItemKind =
  | 'REQUEST'
  | 'LAST_MESSAGE'
  | 'REASON'
  | 'SUMMARY'
  | 'INSTRUCTIONS'
  | 'TASK'
  | 'DECISION'
  | 'VARIABLE'
  | 'FILE'
  | 'TOOL'
  | 'CALL'
  | 'MESSAGE';

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
  /** The least that still says something; shorter than that it is cut like any text. */
  brief?: string;
  /** A call in its two parts, which a prompt shortens apart and never shows apart. `gist`: what was done, in short. */
  call?: { made: string; gist: string; outcome: string };
}

/** `head`: what a prompt has at any size, if only its beginning. */
export type Stage = 'head' | 'work' | 'files' | 'tools' | 'talk';
export const stages = ['head', 'work', 'files', 'tools', 'talk'] as const satisfies Stage[];

export type Origin = { messageSequence: number; prefix: string } | { toolCallId: string; as: 'TOOL' | 'CALL' };

/** Every item of a Context, what matters most first. `reason` is why it is handed off; null when nobody said. */
export function itemsOf(context: Context, reason: string | null): Item[] {
  const { originalRequest, latestRequest, instructions, summaryComposed } = context;
  // Handoffs of before it had a place of its own have the last message among the recent ones.
  const said = context.recentMessages.filter(({ role }) => role === 'ASSISTANT');
  const lastMessage = context.lastMessage ?? said.at(-1) ?? null;
  const report = reportBefore(lastMessage, said);
  const told = [originalRequest, latestRequest, lastMessage];
  const tasks = numbered('TASK', context.pendingTasks);
  const decisions = numbered('DECISION', context.decisions).reverse();
  const summary: Item = { id: 'summary-1', kind: 'SUMMARY', content: context.summary, stage: summaryComposed === true ? 'talk' : 'head' };
  const variables = context.contextVariables.map((variable, index) => variableItem(variable, index));
  const calls = (context.lastToolCalls ?? []).map(callItem).reverse();
  const talk = context.recentMessages
    .map((message, index): Item | null => {
      const { role, content, sequence, shortened } = message;
      // A result without its call says nothing: results stand with their calls.
      if (role === 'TOOL' || message === lastMessage || message === report) return null;
      if (sequence !== undefined && told.some((other) => other?.sequence === sequence)) return null;
      const prefix = `${role.toLowerCase()}: `;
      const origin = shortened === true && sequence !== undefined ? { origin: { messageSequence: sequence, prefix } } : {};
      return { id: `message-${index + 1}`, kind: 'MESSAGE', content: prefix + content, stage: 'talk', ...origin };
    })
    .reverse();
  const items: (Item | null | undefined)[] = [
    messageItem('REQUEST', 1, originalRequest),
    messageItem('LAST_MESSAGE', 1, lastMessage),
    messageItem('LAST_MESSAGE', 2, report),
    decisions[0],
    tasks[0],
    messageItem('REQUEST', 2, latestRequest),
    reason === null || reason === '' ? null : { id: 'reason-1', kind: 'REASON', content: reason, stage: 'head' },
    summaryComposed === true ? null : summary,
    instructions === null ? null : { id: 'instructions-1', kind: 'INSTRUCTIONS', content: instructions, stage: 'head' },
    ...alternating(tasks.slice(1), decisions.slice(1)),
    ...variables.filter(({ stage }) => stage === 'work'),
    ...context.filesModified.map((content, index): Item => ({ id: `file-${index + 1}`, kind: 'FILE', content, stage: 'files' })),
    ...context.toolSummaries.map(toolItem),
    ...alternating(talk, calls),
    summaryComposed === true ? summary : null,
    ...variables.filter(({ stage }) => stage === 'talk'),
  ];
  return items
    .filter((item) => item != null)
    .map((item) => (item === decisions[0] || item === tasks[0] ? { ...item, stage: 'head' as const } : item))
    .sort((a, b) => stages.indexOf(a.stage) - stages.indexOf(b.stage));
}

/** Shorter than this, a last message may be no more than a reply in passing; the report of the work then stands before it. */
const reportFrom = 400;

function reportBefore<M extends { content: string; sequence?: number }>(last: { content: string; sequence?: number } | null, said: readonly M[]): M | null {
  if (last === null || last.content.length >= reportFrom) return null;
  return said.findLast((message) => message.content.length >= reportFrom && message.sequence !== undefined && message.sequence < (last.sequence ?? 0)) ?? null;
}

const numbered = (kind: 'TASK' | 'DECISION', contents: readonly string[]): Item[] =>
  contents.map((content, index) => ({ id: `${kind.toLowerCase()}-${index + 1}`, kind, content, stage: 'work' }));

function messageItem(kind: 'REQUEST' | 'LAST_MESSAGE', number: 1 | 2, message: { content: string; sequence?: number; shortened?: boolean } | null): Item | null {
  if (message === null) return null;
  const { content, sequence, shortened } = message;
  const origin = shortened === true && sequence !== undefined ? { origin: { messageSequence: sequence, prefix: '' } } : {};
  return { id: `${kind === 'REQUEST' ? 'request' : 'last-message'}-${number}`, kind, content, stage: 'head', ...origin };
}

const variableItem = (variable: ContextVariable, index: number): Item => ({
  id: `variable-${index + 1}`,
  kind: 'VARIABLE',
  content: `${variable.name} = ${JSON.stringify(variable.value)} (set by ${variable.setBy})`,
  stage: isOwnVariable(variable) ? 'talk' : 'work',
});

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
  return { id: `call-${index + 1}`, kind: 'CALL', content: `${call.made} -> ${call.outcome}`, stage: 'talk', call, ...origin };
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
