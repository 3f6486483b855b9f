import { cellCode, code, codeBlock, entry, plain, quoted } from './containedMarkdown.ts';
import { chainOf, isOwnVariable, type Context } from './context.ts';
import { editedText, originalsOf } from './edited.ts';
import { metadataTexts, treeText, workspacePlaces } from './items.ts';
import { shorten } from './shorten.ts';
import { logNote } from './words.ts';

export interface HandoffFacts {
  /** Public id. */
  id: string;
  title: string;
  status: string;
  depth: number;
  reason: string | null;
  /** Null for an unassigned Session. */
  sourceAgentId: string | null;
  sourceAgentType: string | null;
  targetAgentId: string;
  targetAgentType: string;
  initiatedAt: Date;
  acceptedAt: Date | null;
  completedAt: Date | null;
  closedAt: Date | null;
  deadlineAt: Date;
  /** Rejection, failure or cancellation reason, whichever there is. */
  closedBecause: string | null;
  actor: string;
  /** Who approved or declined it, and what that person said; null when nobody did. */
  decided?: { what: 'Approved' | 'Declined'; at: Date; by: string; note: string | null } | null;
  /** The caller's own data: any JSON. */
  metadata?: unknown;
}

const longestCell = 300;

/** Renders a Handoff as Markdown for people: its facts, then its Context, most important first. */
export function renderMarkdown(facts: HandoffFacts, context: Context): string {
  const { title, reason, targetAgentId } = facts;
  const lastMessage =
    context.lastMessage ?? context.recentMessages.findLast(({ role }) => role === 'ASSISTANT') ?? null;
  const speaker = context.lastMessage?.agentId ?? null;
  const messages = context.recentMessages.filter(
    (message) => message !== lastMessage && message.sequence !== (context.lastMessage?.sequence ?? -1),
  );
  const sections: [heading: string, body: string][] = [
    ['Why', reason === null ? '' : quoted(reason)],
    ['Edited before the approval', editedSection(context)],
    ['Summary', quoted(context.summary)],
    ['Given with the handoff', list(metadataTexts(facts.metadata), (text) => entry('-', text))],
    [
      `Original request${recorder(context.originalRequest)}`,
      context.originalRequest === null ? '' : quoted(context.originalRequest.content),
    ],
    [
      'Summary of the work before the window was cut',
      context.compactionSummary === null ? '' : quoted(context.compactionSummary.content),
    ],
    [
      `Latest request${recorder(context.latestRequest)}`,
      context.latestRequest === null ? '' : quoted(context.latestRequest.content),
    ],
    [
      speaker === null ? 'Last message' : `Last message of ${speaker}`,
      lastMessage === null ? '' : quoted(lastMessage.content),
    ],
    [
      `Tasks left (${count(context.pendingTasks, context.leftOut?.tasks)})`,
      list(context.pendingTasks, (task) => `- [ ] ${plain(task)}`),
    ],
    ['Questions that nobody answered', list(context.openQuestions, (question) => entry('-', question))],
    ['Decisions', list(context.decisions, (decision, index) => entry(`${index + 1}.`, decision))],
    [
      `Files changed (${count(context.filesModified, context.leftOut?.files)})`,
      list(context.filesModified, (file) => `- ${code(file)}`),
    ],
    ['Working tree', context.workingTree === undefined ? '' : codeBlock(treeText(context.workingTree))],
    ['Last checks', checkTable(context)],
    ['Failed and not repeated with success', context.failedAttempts.map(attemptBlock).join('\n\n')],
    ['Tools used', toolTable(context)],
    ['Last tool calls', (context.lastToolCalls ?? []).map(callBlock).join('\n\n')],
    ['Messages', messages.map((message) => messageBlock(message, context.replies)).join('\n\n')],
    ['Context variables', variableTable(context.contextVariables.filter((variable) => !isOwnVariable(variable)))],
    [`Instructions of ${targetAgentId}`, context.instructions === null ? '' : quoted(context.instructions)],
  ];
  const body = sections.filter(([, text]) => text !== '').map(([heading, text]) => `\n\n## ${heading}\n\n${text}`);
  return `# ${plain(title) || 'Untitled'}\n\n${factTable(facts, context)}${body.join('')}${logNote(context.leftOut)}\n`;
}

function editedSection(context: Context): string {
  const text = editedText(context);
  if (text === null) return '';
  const originals = originalsOf(context);
  const before = originals.length === 0 ? '' : `\n\nThe agent gave:\n\n${list(originals, (line) => entry('-', line))}`;
  return `${plain(text)}${before}`;
}

function factTable(facts: HandoffFacts, context: Context): string {
  const { acceptedAt, completedAt, closedAt, deadlineAt } = facts;
  const from =
    facts.sourceAgentId === null ? 'nobody' : `${facts.sourceAgentId} (${facts.sourceAgentType ?? 'unknown'})`;
  const rows: [string, string][] = [
    ['From', from],
    ['To', `${facts.targetAgentId} (${facts.targetAgentType})`],
    ['Status', facts.closedBecause === null ? facts.status : `${facts.status}: ${plain(facts.closedBecause)}`],
    ['Handoff', `${code(facts.id)}, number ${facts.depth} of its session`],
    ['Started', `${at(facts.initiatedAt)} by ${plain(facts.actor)}`],
  ];
  if (facts.decided != null) {
    const { what, at: when, by, note } = facts.decided;
    rows.push([what, `${at(when)} by ${plain(by)}${note === null ? '' : `: ${plain(note)}`}`]);
  }
  if (acceptedAt !== null) rows.push(['Accepted', at(acceptedAt)]);
  if (completedAt !== null) rows.push(['Taken over', at(completedAt)]);
  else if (closedAt !== null) rows.push(['Closed', at(closedAt)]);
  else if (acceptedAt === null) rows.push(['To be accepted by', at(deadlineAt)]);
  const before = chainOf(context, facts.targetAgentId);
  if (before.length > 0) rows.push(['Worked on before by', plain(before.join(', then '))]);
  for (const [name, value] of workspacePlaces(context.workspace))
    rows.push([`${name.charAt(0).toUpperCase()}${name.slice(1)}`, cellCode(value)]);
  return table(['', ''], rows);
}

/** Agents may record Messages in a user's name; the reader must see that. */
const recorder = (message: { recordedBy?: string | null } | null): string =>
  message?.recordedBy == null ? '' : ` (recorded by agent ${plain(message.recordedBy)})`;

/** Without milliseconds, for people. */
const at = (time: Date): string => `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;

const count = (items: readonly unknown[], leftOut = 0): string =>
  leftOut === 0 ? `${items.length}` : `${items.length} of ${items.length + leftOut}`;

const list = <T>(items: readonly T[], line: (item: T, index: number) => string): string => items.map(line).join('\n');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows.length === 0 ? '' : [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const toolTable = ({ toolSummaries }: Context): string =>
  table(
    ['Tool', 'Calls', 'Failed', 'Last result'],
    toolSummaries.map(({ toolName, callCount, errorCount, lastResult }) => [
      cellCode(toolName),
      `${callCount}`,
      `${errorCount}`,
      lastResult === null || lastResult.trim() === '' ? '' : cellCode(shorten(lastResult, longestCell)),
    ]),
  );

const callBlock = ({
  toolName,
  arguments: given,
  outcome,
  failed,
}: NonNullable<Context['lastToolCalls']>[number]): string =>
  `${code(toolName)} ${code(shorten(given, longestCell))}${failed ? ' failed:' : ''}${outcome.trim() === '' ? '' : `\n\n${codeBlock(outcome)}`}`;

const checkTable = ({ checks }: Context): string =>
  table(
    ['Command', 'Outcome', 'Call'],
    checks.map(({ command, outcome, stale, changed = 'files', callId }) => [
      cellCode(command),
      `${outcome.toLowerCase()}${stale ? `, but ${changed} changed since` : ''}`,
      cellCode(callId),
    ]),
  );

const attemptBlock = ({ what, error, callId }: Context['failedAttempts'][number]): string =>
  `${code(what)}, call ${code(callId)}\n\n${codeBlock(error)}`;

function messageBlock(message: Context['recentMessages'][number], replies: Context['replies'] = []): string {
  const { role, content, sequence, shortened } = message;
  const to = replies.find((reply) => reply.sequence === sequence)?.to;
  const byline = `**${role.toLowerCase()}**${recorder(message)}${sequence === undefined ? '' : `, message ${sequence}`}${shortened === true ? ', shortened' : ''}${to === undefined ? '' : `, to: ${plain(to)}`}`;
  return `${byline}\n\n${quoted(content)}`;
}

const variableTable = (variables: Context['contextVariables']): string =>
  table(
    ['Name', 'Value', 'Set by'],
    variables.map(({ name, value, setBy }) => [
      cellCode(name),
      cellCode(shorten(JSON.stringify(value), longestCell)),
      plain(setBy),
    ]),
  );
