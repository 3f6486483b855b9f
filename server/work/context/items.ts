import { alternating } from './alternating.ts';
import {
  isOwnVariable,
  type CarriedCall,
  type Context,
  type ContextVariable,
  type RecentMessage,
  type ToolSummary,
} from './context.ts';
import { carriedOut } from './derive/proposals.ts';
import { sizeOf, tellingOf } from './derive/talk.ts';
import { isStandardTool, taskTool, webTool } from './derive/tools.ts';
import { attemptItem, findingItem, observationItem, placeOf, solvedItem, stepItem } from './callItems.ts';
import { editedItem, originalsItem } from './edited.ts';
import { type Item, type Stage, stages } from './item.ts';
import { replied, timesGiven, toldAgain } from './repeated.ts';
import { weightOf } from './requests.ts';
import { plainText } from './plainText.ts';
import { abridge } from './shorten.ts';
import { seenTreeText } from './seenTree.ts';
import { stageItems, type StageGuide, type StagePayload } from './stage.ts';

/** Parts of a Handoff outside its Context. */
export interface Given {
  /** Null when no reason was given. */
  reason: string | null;
  /** The caller's own data: any JSON. */
  metadata?: unknown;
  /** Null outside of pipelines. */
  guide?: StageGuide | null;
  payloads?: readonly StagePayload[];
}

/** Of a proposal that was carried out: below what else the agent said, above what it found on the way. */
const rankOfHistory = 1.5;

/** Every item of a Context, most important first. */
export function itemsOf(context: Context, { reason, metadata, guide = null, payloads = [] }: Given): Item[] {
  const { originalRequest, latestRequest, compactionSummary, instructions, summaryComposed, workspace } = context;
  // Older Handoffs have the last message only among the recent ones.
  const assistantMessages = context.recentMessages.filter(({ role }) => role === 'ASSISTANT');
  const lastMessage = context.lastMessage ?? assistantMessages.at(-1) ?? null;
  const accounts = carriedOut(
    context.recentMessages.flatMap(({ role, sequence, content }) =>
      sequence === undefined ? [] : [{ role, sequence, content }],
    ),
  );
  const report = reportBefore(
    lastMessage,
    assistantMessages.filter(({ sequence }) => !accounts.has(sequence ?? 0)),
  );
  const ownFields = [originalRequest, latestRequest, compactionSummary, lastMessage];
  const begun = new Set(context.tasksInProgress);
  const gone = new Set(context.filesGone);
  const stashed = new Set(context.filesStashed);
  const tasks = numbered(
    'TASK',
    context.pendingTasks.map((task, position) => (begun.has(position) ? `[in progress] ${task}` : task)),
  ).map((item) => (context.tasksOlder === true ? { ...item, order: 'OLDER' as const } : item));
  const earlier = (context.earlierReasons ?? []).join('\n');
  const findings = (context.findings ?? [])
    .filter(
      ({ callId, line }) => !context.failedAttempts.some((other) => other.callId === callId && other.error === line),
    )
    .map(findingItem);
  const decisions = numbered('DECISION', context.decisions).reverse();
  const questions = numbered('QUESTION', context.openQuestions);
  const payload = metadataItems(metadata);
  const checks = context.checks.map(checkItem);
  const heads: (Item | undefined)[] = [decisions[0], tasks[0], questions[0]];
  const summary: Item = {
    id: 'summary-1',
    kind: 'SUMMARY',
    content: context.summary,
    stage: 'head',
  };
  const ofStage = stageItems(guide, payloads);
  const variables = context.contextVariables
    .map((variable, index) => variableItem(variable, index))
    .filter((item) => item !== null)
    // Those of the stages before have it.
    .filter(({ content }) => payloads.length === 0 || !content.startsWith('_handoff_payload ='));
  const calls = (context.lastToolCalls ?? [])
    .map((call, index) => (call.told === true || keepsTasks(call) ? null : callItem(call, index)))
    .reverse();
  const telling = tellingOf(
    assistantMessages.filter((message) => message.sequence !== undefined) as { sequence: number; content: string }[],
    context.recentMessages.flatMap(({ role, sequence, content }) =>
      role === 'USER' && sequence !== undefined ? [{ sequence, content }] : [],
    ),
  );
  const replies = new Map((context.replies ?? []).map(({ sequence, to }) => [sequence, to]));
  const again = toldAgain(context, replies);
  const given = timesGiven(context);
  const asked = (request: Context['originalRequest']): Context['originalRequest'] => {
    const same = context.recentMessages.find(({ sequence }) => sequence === request?.sequence);
    const times = same === undefined ? undefined : given.get(same);
    const told = replied(request, replies);
    return told === null || times === undefined ? told : { ...told, content: told.content + times };
  };
  const lastWords = lastWordsOf(context);
  const isStale = (lastMessage?.sequence ?? Infinity) < lastWords;
  const isAfterRequest = (sequence: number | undefined): boolean =>
    latestRequest?.sequence !== undefined && (sequence ?? 0) > latestRequest.sequence;
  const accountOf = ({ sequence }: RecentMessage): string => {
    const account = accounts.get(sequence ?? 0);
    return account === undefined
      ? ''
      : ` (agreed to; ${account === lastMessage?.sequence ? 'the last message' : `#${account}`} tells what was done)`;
  };
  const rankOf = (message: RecentMessage): number =>
    message.role === 'USER'
      ? weightOf(message.content)
      : accounts.has(message.sequence ?? 0)
        ? rankOfHistory
        : (telling.get(message as never) ?? 2);
  const messages = context.recentMessages
    .map((message, index) => ({ message, index, rank: rankOf(message) }))
    .sort((a, b) => b.rank - a.rank || b.index - a.index)
    .map(({ message, index, rank }): Item | null => {
      const { role, content, sequence, shortened } = message;
      const to = replies.get(sequence ?? 0);
      // Results are shown with their calls.
      if (role === 'TOOL' || message === lastMessage || message === report) return null;
      if (sequence !== undefined && ownFields.some((other) => other?.sequence === sequence)) return null;
      const prefix = `${sequence === undefined ? '' : `#${sequence} `}${role.toLowerCase()}${recorder(message)}${accountOf(message)}: `;
      if (again.has(message)) return null;
      const origin =
        shortened === true && sequence !== undefined ? { origin: { messageSequence: sequence, prefix } } : {};
      return {
        id: `message-${index + 1}`,
        kind: 'MESSAGE',
        content: `${prefix}${content}${to === undefined ? '' : ` (to: ${to})`}${given.get(message) ?? ''}`,
        stage: role === 'ASSISTANT' && rank === 1 ? 'notes' : stageOf[role],
        ...(role === 'USER' && isAfterRequest(sequence) && { order: 'AFTER' as const }),
        ...origin,
      };
    });
  const ordered = (item: Item | null, order: NonNullable<Item['order']>, isSo: boolean): Item | null =>
    item !== null && isSo ? { ...item, order } : item;
  const summaryOfWork = messageItem('COMPACTION', 1, compactionSummary);
  const isOldSummary = assistantMessages.some(
    ({ sequence = 0, content }) =>
      sizeOf(content) >= reportFrom && sequence > (compactionSummary?.sequence ?? Infinity),
  );
  const items: (Item | null | undefined)[] = [
    ordered(
      messageItem('REQUEST', 1, asked(originalRequest)),
      'UNANSWERED',
      lastMessage === null && latestRequest === null,
    ),
    onlyAsks(lastMessage, context.openQuestions)
      ? null
      : ordered(messageItem('LAST_MESSAGE', 1, lastMessage), 'BEFORE', isStale),
    isOldSummary ? null : summaryOfWork,
    ordered(messageItem('LAST_MESSAGE', 2, report), 'BEFORE', (report?.sequence ?? Infinity) < lastWords),
    decisions[0],
    tasks[0],
    questions[0],
    isSameText(latestRequest, originalRequest)
      ? null
      : ordered(
          messageItem('REQUEST', 2, asked(latestRequest)),
          'UNANSWERED',
          isStale && !isAfterRequest(lastMessage?.sequence),
        ),
    reason === null || reason === '' ? null : { id: 'reason-1', kind: 'REASON', content: reason, stage: 'head' },
    editedItem(context),
    ...ofStage,
    workspaceItem(workspace),
    workingTreeItem(context.workingTree) ?? seenTreeItem(context),
    // A composed summary only repeats other items.
    summaryComposed === true ? null : summary,
    instructions === null ? null : { id: 'instructions-1', kind: 'INSTRUCTIONS', content: instructions, stage: 'head' },
    ...questions.slice(1),
    ...(context.answers ?? []).map(answerItem).reverse(),
    ...payload.slice(0, firstEntries),
    ...checks.filter((_, index) => !isOutdated(context.checks[index]!)).reverse(),
    ...alternating(tasks.slice(1), decisions.slice(1)),
    ...(context.openBoxes ?? []).map((boxes, index) => openItem(boxes, index, workspace?.folder ?? null)),
    earlier === '' ? null : { id: 'reason-2', kind: 'REASON', content: earlier, stage: 'work' },
    originalsItem(context),
    ...findings.reverse(),
    ...context.failedAttempts.map(attemptItem).reverse(),
    ...(context.solved ?? [])
      .map(solvedItem)
      .reverse()
      .map((item, at) => (at < firstSolved ? item : { ...item, stage: 'words' as const })),
    ...variables.filter(({ stage }) => stage === 'work'),
    ...payload.slice(firstEntries),
    ...checks.filter((_, index) => isOutdated(context.checks[index]!)).reverse(),
    ...context.filesModified.map((path, index): Item => ({
      id: `file-${index + 1}`,
      kind: 'FILE',
      content: `${below(workspace?.folder ?? null, path)}${gone.has(index) ? ' (removed)' : stashed.has(index) ? ' (in git stash)' : ''}`,
      stage: 'files',
    })),
    ...(context.reports ?? []).map(reportItem).reverse(),
    isOldSummary && summaryOfWork !== null ? { ...summaryOfWork, stage: 'words', order: 'OLDER' } : null,
    ...messages,
    ...context.toolSummaries.map((tool, index) => (hasOwnResult(tool, context) ? toolItem(tool, index) : null)),
    ...(context.observations ?? []).map(observationItem).reverse(),
    ...calls,
    ...(context.steps ?? []).map(stepItem).reverse(),
    ...variables.filter(({ stage }) => stage === 'rest'),
  ];
  return items
    .filter((item) => item != null)
    .map((item) => (heads.includes(item) ? { ...item, stage: 'head' as const } : item))
    .sort((a, b) => stages.indexOf(a.stage) - stages.indexOf(b.stage));
}

/** Number of the last message in which a person said something; 0 without one. */
const lastWordsOf = ({ originalRequest, latestRequest, recentMessages }: Context): number =>
  Math.max(
    ...[originalRequest, latestRequest, ...recentMessages.filter(({ role }) => role === 'USER')].map((message) =>
      message !== null && weightOf(message.content) > 0 ? (message.sequence ?? 0) : 0,
    ),
  );

const isSameText = (one: { content: string } | null, other: { content: string } | null): boolean =>
  one !== null && other !== null && one.content.trim() === other.content.trim();

/** Whether a message only repeats questions that have items of their own. */
function onlyAsks(message: { content: string } | null, questions: readonly string[]): boolean {
  if (message === null || questions.length === 0) return false;
  const asked = new Set(
    questions.flatMap((question) => [plainText(question), plainText(question.replace(/ \([^()]*\)$/, ''))]),
  );
  return message.content
    .split('\n')
    .map(plainText)
    .every((line) => line === '' || asked.has(line));
}

const stageOf = { USER: 'people', ASSISTANT: 'words', SYSTEM: 'rest', TOOL: 'rest' } as const satisfies Record<
  Context['recentMessages'][number]['role'],
  Stage
>;

/** Agents may record Messages in a user's name; the reader must see that. */
const recorder = ({ recordedBy }: { recordedBy?: string | null }): string =>
  recordedBy == null ? '' : ` (recorded by agent ${recordedBy})`;

/** The tasks have items of their own. */
const keepsTasks = ({ toolName, failed }: CarriedCall): boolean => !failed && taskTool.test(toolName);

/** Whether the last result of a tool appears nowhere else. */
const hasOwnResult = ({ toolName, lastResult, told }: ToolSummary, { lastToolCalls }: Context): boolean =>
  lastResult !== null &&
  told !== true &&
  !isStandardTool(toolName) &&
  lastToolCalls?.some((call) => call.toolName === toolName && call.told !== true) !== true;

/** A path in the workspace without its folder, which the prompt names. */
const below = (folder: string | null, path: string): string =>
  folder !== null && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;

function workspaceItem(workspace: Context['workspace']): Item | null {
  const parts = workspacePlaces(workspace).map(([name, value]) => `${name} ${value}`);
  return parts.length === 0 ? null : { id: 'workspace-1', kind: 'WORKSPACE', content: parts.join('; '), stage: 'head' };
}

function workingTreeItem(tree: Context['workingTree']): Item | null {
  const content = treeText(tree);
  return content === '' ? null : { id: 'working-tree-1', kind: 'WORKING_TREE', content, stage: 'work' };
}

function seenTreeItem({ treeSeen: seen, filesModified, workspace }: Context): Item | null {
  if (seen === undefined) return null;
  const files = filesModified.map((path) => below(workspace?.folder ?? null, path));
  const content = seenTreeText(seen, files);
  return content === '' ? null : { id: 'working-tree-1', kind: 'WORKING_TREE', content, stage: 'work' };
}

/** What it is, when it was recorded, then what git said; empty without one. */
export function treeText(tree: Context['workingTree']): string {
  if (tree === undefined) return '';
  const { branch, commit, status, diffstat, takenAt, agentId } = tree;
  const at = [branch === null ? '' : `branch ${branch}`, commit === null ? '' : `commit ${commit}`].filter(Boolean);
  const changed = status === '' ? 'nothing is changed since the commit' : 'git status --porcelain:';
  return [
    `${takenAt.slice(0, 19).replace('T', ' ')} UTC${agentId === null ? '' : `, of ${agentId}`}${at.length === 0 ? '' : `, ${at.join(', ')}`}: ${changed}`,
    ...(status === '' ? [] : [status.trimEnd()]),
    ...(diffstat === '' ? [] : [diffstat.trimEnd()]),
  ].join('\n');
}

export const workspacePlaces = (workspace: Context['workspace']): [name: string, value: string][] =>
  (
    [
      ['machine', workspace?.host],
      ['repository', workspace?.repository],
      ['folder', workspace?.folder],
      ['branch', workspace?.branch],
      ['last commit', workspace?.commit],
      // The usual one explains little.
      ['sandbox', workspace?.sandbox?.startsWith('workspace-write') === true ? null : workspace?.sandbox],
    ] as const
  ).flatMap(([name, value]) => (value == null ? [] : [[name, value]]));

function checkItem(check: Context['checks'][number], index: number): Item {
  const [brief, place] = [checkText(check), placeOf(check)];
  return { id: `check-${index + 1}`, kind: 'CHECK', content: brief + place, brief, place, stage: 'work' };
}

const checkText = ({ command, outcome, stale, changed = 'files' }: Context['checks'][number]): string =>
  `${outcome.toLowerCase().replace('_', ' ')}${stale ? `, but ${changed} changed since` : ''}: ${command}`;

function answerItem(answer: NonNullable<Context['answers']>[number], index: number): Item {
  const place = answer.callId === null ? '' : placeOf({ callId: answer.callId });
  const [first = '', ...rest] = answer.what.split('\n');
  return {
    id: `answer-${index + 1}`,
    kind: 'ANSWER',
    content: [first + place, ...rest].join('\n'),
    stage: 'work',
  };
}

/** A pass says little after files changed. */
const isOutdated = ({ outcome, stale }: Context['checks'][number]): boolean => stale && outcome === 'PASSED';

const openItem = (boxes: NonNullable<Context['openBoxes']>[number], index: number, folder: string | null): Item => ({
  id: `open-${index + 1}`,
  kind: 'TASK',
  content: `${below(folder, boxes.file)} (${boxes.orMore ? 'at least ' : ''}${boxes.open} open${boxes.doneBefore === undefined ? '' : `; written over a list with at least ${boxes.doneBefore} done`}): ${[...boxes.first, ...(boxes.open > boxes.first.length ? ['…'] : [])].join('; ')}`,
  stage: 'work',
});

/** One item for each entry of an object, or one for the whole value. */
const metadataItems = (metadata: unknown): Item[] =>
  metadataTexts(metadata).map((content, index) => ({
    id: `metadata-${index + 1}`,
    kind: 'METADATA',
    content,
    stage: 'work',
  }));

export function metadataTexts(metadata: unknown): string[] {
  if (metadata == null) return [];
  if (typeof metadata !== 'object' || Array.isArray(metadata)) return [textOf(metadata)];
  return Object.entries(metadata).map(([name, value]) => `${name}: ${textOf(value)}`);
}

/** Lessons that come before files. */
const firstSolved = 3;

/** Entries that come before the tasks; more could leave the tasks no room. */
const firstEntries = 5;

/** Lists of texts become lines; other values become JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'string'))
    return value.map((entry) => `\n- ${entry}`).join('');
  return JSON.stringify(value);
}

/** A last message shorter than this may be a passing reply; an earlier, longer message then is the report. */
const reportFrom = 400;

function reportBefore<M extends { content: string; sequence?: number }>(
  last: { content: string; sequence?: number } | null,
  assistantMessages: readonly M[],
): M | null {
  if (last === null || sizeOf(last.content) >= reportFrom) return null;
  return (
    assistantMessages.findLast(
      (message) =>
        sizeOf(message.content) >= reportFrom &&
        message.sequence !== undefined &&
        message.sequence < (last.sequence ?? 0),
    ) ?? null
  );
}

const numbered = (kind: 'TASK' | 'DECISION' | 'QUESTION', contents: readonly string[]): Item[] =>
  contents.map((content, index) => ({ id: `${kind.toLowerCase()}-${index + 1}`, kind, content, stage: 'work' }));

const namesOfMessages = { REQUEST: 'request', COMPACTION: 'compaction', LAST_MESSAGE: 'last-message' };

function messageItem(
  kind: keyof typeof namesOfMessages,
  number: 1 | 2,
  message: { content: string; sequence?: number; shortened?: boolean; cut?: true; recordedBy?: string | null } | null,
): Item | null {
  if (message === null) return null;
  const { content, sequence, shortened, cut, recordedBy } = message;
  const origin =
    shortened === true && cut !== true && sequence !== undefined
      ? { origin: { messageSequence: sequence, prefix: '' } }
      : {};
  return {
    id: `${namesOfMessages[kind]}-${number}`,
    kind,
    content,
    stage: 'head',
    ...origin,
    ...(kind === 'REQUEST' && recordedBy != null ? { recordedBy } : {}),
  };
}

/** Said in the heading, or of no use to the target. */
const inHeading = new Set([
  '_handoff_chain',
  '_handoff_depth',
  '_handoff_edited',
  '_handoff_from',
  '_handoff_reason',
  '_handoff_to',
  '_handoff_tool',
]);

const variableItem = (variable: ContextVariable, index: number): Item | null =>
  inHeading.has(variable.name)
    ? null
    : {
        id: `variable-${index + 1}`,
        kind: 'VARIABLE',
        content: `${variable.name} = ${JSON.stringify(variable.value)} (set by ${variable.setBy})`,
        stage:
          isOwnVariable(variable) && !['_handoff_instructions', '_handoff_payload'].includes(variable.name)
            ? 'rest'
            : 'work',
      };

export const toolStatistics = ({ toolName, callCount, errorCount }: ToolSummary): string =>
  `${toolName}: ${callCount} ${callCount === 1 ? 'call' : 'calls'}${errorCount === 0 ? '' : `, ${errorCount} failed`}`;

export function toolItem(tool: ToolSummary, index: number): Item {
  const { lastResult, lastCallId } = tool;
  const content = `${toolStatistics(tool)}${lastResult === null ? '' : `; last: ${lastResult}`}`;
  const origin = lastCallId === undefined ? {} : { origin: { toolCallId: lastCallId, as: 'TOOL' as const } };
  return { id: `tool-${index + 1}`, kind: 'TOOL', content, stage: 'tools', brief: toolStatistics(tool), ...origin };
}

const reportItem = (report: NonNullable<Context['reports']>[number], index: number): Item => ({
  id: `report-${index + 1}`,
  kind: 'TOOL',
  content: `${report.job}${placeOf(report)}: ${report.text}`,
  stage: report.older === true ? 'rest' : 'words',
  ...(report.shortened && { origin: { toolCallId: report.toolCallId, as: 'CALL' as const } }),
});

/** An outcome that no agent spoke about: the call has the rest. */
const outcomeCharacters = 600;

export function callItem(given: CarriedCall, index: number): Item {
  const outcome = abridge(given.outcome, outcomeCharacters);
  const isWeb = webTool.test(given.toolName);
  const call = {
    made: `${given.toolName} ${isWeb ? gistOf(given.arguments) : given.arguments}`,
    gist: `${given.toolName} ${gistOf(given.arguments)}`,
    outcome: `${given.failed ? 'failed: ' : ''}${outcome}`,
  };
  const origin =
    given.shortened || outcome !== given.outcome
      ? { origin: { toolCallId: given.toolCallId, as: 'CALL' as const } }
      : {};
  return {
    id: `call-${index + 1}`,
    kind: 'CALL',
    content: `${call.made} -> ${call.outcome}`,
    stage: 'calls',
    call,
    ...origin,
  };
}

const mainArgument = /"(?:command|cmd|file_path|notebook_path|path|query|pattern|url)": ?("(?:[^"\\]|\\.)*")/;

/** The main argument, when it has a usual name. The JSON may be cut, so it is not parsed as a whole. */
function gistOf(json: string): string {
  const found = mainArgument.exec(json)?.[1];
  if (found === undefined) return json;
  try {
    return JSON.parse(found) as string;
  } catch {
    return json;
  }
}

interface Log {
  message(sequence: number): Promise<string | undefined>;
  call(
    id: string,
  ): Promise<{ name: string; arguments: unknown; result: string | null; error: string | null } | undefined>;
}

/** Returns an item whole: reads from the log what the Context carries shortened. */
export async function wholeContent({ content, origin, brief }: Item, log: Log): Promise<string> {
  if (origin === undefined) return content;
  if ('messageSequence' in origin) {
    const recorded = await log.message(origin.messageSequence);
    return recorded === undefined ? content : origin.prefix + recorded;
  }
  const call = await log.call(origin.toolCallId);
  if (call === undefined) return content;
  const outcome = call.error ?? call.result ?? '';
  if (origin.as === 'TOOL') return `${brief!}; last: ${outcome}`;
  return `${call.name} ${JSON.stringify(call.arguments ?? {})} -> ${call.error === null ? '' : 'failed: '}${outcome}`;
}
