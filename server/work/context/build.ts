import { createHash } from 'node:crypto';
import { canonicalJson } from '../../core/canonicalJson.ts';
import { countRedactions } from '../redaction/redact.ts';
import { composeSummary } from './compose.ts';
import {
  byName,
  isOwnVariable,
  listVariables,
  ownVariables,
  type CarriedMessage,
  type Context,
  type Passage,
  type StoredVariables,
} from './context.ts';
import { bodyOf, changedBy, inFolder, readActions, type Actions } from './derive/actions.ts';
import { answersOf } from './derive/answers.ts';
import { checksOf } from './derive/checks.ts';
import { commitsOf } from './derive/commits.ts';
import { failedAttemptsOf } from './derive/failedAttempts.ts';
import { findingsOf, tellerOf } from './derive/findings.ts';
import { seenTreeOf } from './derive/gitStatus.ts';
import { observationsOf } from './derive/observations.ts';
import { solvedOf } from './derive/solved.ts';
import { isTold } from './derive/lastCalls.ts';
import type { RecordedLog } from './derive/log.ts';
import { openBoxesOf, type OpenBoxes } from './derive/openBoxes.ts';
import { openQuestionsOf } from './derive/openQuestions.ts';
import { answeredTo, repliedTo } from './derive/replies.ts';
import { reportsOf } from './derive/reports.ts';
import { stepsOf } from './derive/steps.ts';
import { standingOf, type Standing } from './derive/standing.ts';
import { replacedSince, summaryNow, type Replaced } from './derive/superseded.ts';
import { LaterWords } from './derive/saidAgain.ts';
import { isOnlyOf, tellingOf, toldIn, type Telling } from './derive/talk.ts';
import { withoutEdits } from './derive/textEdits.ts';
import { withoutThoughts } from './derive/thoughts.ts';
import { subagentTool, taskTool, webTool } from './derive/tools.ts';
import { gistCharacters, webGist } from './derive/web.ts';
import { workspaceOf } from './derive/workspace.ts';
import { fitContext } from './fitContext.ts';
import { ownWords } from './ownWords.ts';
import { requestsAmong, weightOf, withoutResent } from './requests.ts';
import { abridge, shorten } from './shorten.ts';
import { bounds, type Sources } from './sources.ts';

export interface BuildInput {
  /** The caller's summary; composed from the log when null. */
  summary: string | null;
  variables: StoredVariables;
  instructions: string | null;
  /** Values of Baton's own variables, as far as they are known. */
  passage?: Omit<Passage, 'from' | 'chain'>;
  /** A composed summary then does not say that no file was changed. */
  filesWithheld?: boolean;
  tasksWithheld?: boolean;
}

/** Characters for messages other than the requests and the last message, by author. */
const budgets = { users: 48_000, others: 40_000 };

/** Deterministic: the same log and input give the same Context. The result fits `contextBytes`. */
export function buildContext(
  recorded: Sources,
  { summary, variables, instructions, passage = {}, filesWithheld = false, tasksWithheld = false }: BuildInput,
): Context {
  const told = withOwnWords(recorded);
  const log = logOf(told);
  const actions = readActions(log);
  const { withFiles, standing } = filesWithheld ? { withFiles: told, standing: null } : withFilesOf(actions, told);
  const sources = withoutToldEdits(actions, withFiles);
  const { lastAssistant, totals } = sources;
  const compaction = summaryOf(sources.compaction, log);
  const isUndone = (name: string): boolean => standing?.undone.has(inFolder(actions.root, name)) === true;
  const recentMessages = recentOf(sources, compaction?.replaced, isUndone);
  const pending = tasksLeft(sources, log);
  const begun = pending.flatMap(({ status }, position) => (status === 'IN_PROGRESS' ? [position] : []));
  const replies = repliesAmong(sources);
  // An answer to a question is no request.
  const requests = requestsAmong(
    sources.byUsers.filter(({ answerTo = null }) => answerTo === null),
    new Set(replies.map(({ sequence }) => sequence)),
  );
  const originalRequest = requests.original ?? sources.compaction;
  const compactionSummary = requests.original === null || compaction?.content === '' ? null : compaction;
  const shownWhole = new Set(
    sources.lastCalls
      .filter((call) => !isTold(call, lastAssistant?.sequence ?? 0, actions))
      .map(({ callId }) => callId),
  );
  const others = sources.tools.flatMap(({ name, lastSequence = 0 }) =>
    subagentTool.test(name) ? [lastSequence + 1] : [],
  );
  const spoken = sources.byUsers.map(({ sequence }) => sequence);
  const chain = passage.to === undefined ? sources.chain : [...sources.chain, passage.to];
  const facts = factsOf(log, actions, sources);
  const treeSeen = filesWithheld
    ? null
    : seenTreeOf(actions, {
        spoke: Math.max(0, ...others, ...spoken),
        whole: sources.calls.length < bounds.factCalls,
        isRepository: (facts.workspace?.branch ?? facts.workspace?.commit ?? null) !== null,
      });
  const said = [...recentMessages, lastAssistant].map((message) => message?.content ?? '').join('\n');
  const findings = [...findingsOf(actions, said), ...commitsOf(actions, [said, ...(treeSeen?.since ?? [])].join('\n'))];
  const observations = observationsOf(
    actions,
    sources.reads,
    sources.files,
    [
      said,
      ...[requests.original, requests.latest, sources.compaction].map((message) => message?.content ?? ''),
      ...findings.map(({ line }) => line),
      ...facts.failedAttempts.map(({ error }) => error),
    ].join('\n'),
  ).filter(({ callId }) => !shownWhole.has(callId));
  const answers = answersOf(log, actions);
  const solved = filesWithheld ? [] : solvedOf(actions);
  const tells = tellerOf(said);
  const toldCalls = [...facts.checks, ...facts.failedAttempts, ...solved, ...findings, ...observations, ...answers];
  const steps = stepsOf(actions, [...(sources.looks ?? []), ...sources.calls], {
    calls: new Set([...shownWhole, ...toldCalls.map(({ callId }) => callId)].filter((id) => id != null)),
    files: new Set(sources.files.map((file) => inFolder(actions.root, file))),
    tells,
    spokeAt: lastAssistant?.sequence ?? 0,
  });
  return fitContext({
    summary: summary ?? composeSummary(sources, filesWithheld),
    summaryComposed: summary === null,
    originalRequest: carried(originalRequest),
    latestRequest: carried(requests.latest),
    compactionSummary: carried(compactionSummary),
    lastMessage: carried(lastAssistant),
    toolSummaries: sources.tools.map(({ name, calls, errors, lastResult, lastCallId, lastSequence }) => ({
      toolName: name,
      callCount: calls,
      errorCount: errors,
      lastResult: lastResult === null ? null : shorten(bodyOf(lastResult), bounds.toolResultCharacters),
      ...(lastResult !== null && lastResult.length > bounds.toolResultCharacters ? { lastCallId } : {}),
      ...((subagentTool.test(name) || (lastSequence ?? Infinity) < (lastAssistant?.sequence ?? 0)) && {
        told: true as const,
      }),
    })),
    lastToolCalls: sources.lastCalls.map((call, index, { length }) => {
      const { id, name, arguments: given, outcome, outcomeShortened, failed } = call;
      const gist = webTool.test(name)
        ? webGist(bodyOf(outcome), gistCharacters[index === length - 1 ? 'newest' : 'earlier'])
        : null;
      return {
        toolCallId: id,
        toolName: name,
        arguments: shorten(given ?? '{}', bounds.argumentCharacters),
        outcome: gist ?? bodyOf(outcome),
        failed,
        shortened:
          outcomeShortened || (given ?? '').length > bounds.argumentCharacters || (gist !== null && gist !== outcome),
        ...((subagentTool.test(name) || isTold(call, lastAssistant?.sequence ?? 0, actions)) && {
          told: true as const,
        }),
      };
    }),
    filesModified: sources.files,
    pendingTasks: pending.map(({ content }) => content),
    decisions: sources.decisions,
    recentMessages,
    ...listed('tasksInProgress', begun),
    ...(pending.length > 0 && listedAt(sources) < (lastAssistant?.sequence ?? 0) && { tasksOlder: true as const }),
    ...listed('filesGone', placesAmong(actions, sources.files, standing?.gone)),
    ...listed('filesStashed', placesAmong(actions, sources.files, standing?.stashed)),
    ...listed('replies', replies),
    ...listed('answers', answers),
    ...listed('earlierReasons', (sources.reasons ?? []).map(reasonText)),
    ...listed('openBoxes', tasksWithheld ? [] : openBoxesIn(actions, sources.files, standing?.gone)),
    ...listed('solved', solved),
    ...listed('steps', steps),
    ...listed('findings', findings),
    ...listed('observations', observations),
    ...listed(
      'reports',
      reportsOf(
        sources.reports ?? [],
        lastAssistant === null ? sources.recent : [...sources.recent, lastAssistant],
        tells,
      ),
    ),
    ...(sources.workingTree != null ? { workingTree: sources.workingTree } : treeSeen !== null && { treeSeen }),
    ...facts,
    contextVariables: [
      ...ownVariables({ ...passage, from: sources.sourceAgentId, chain }),
      ...listVariables(variables),
    ].sort(byName),
    instructions,
    leftOut: {
      tasks: 0,
      decisions: totals.decisions - sources.decisions.length,
      files: totals.files - sources.files.length,
      tools: totals.tools - sources.tools.length,
      calls: totals.calls - totals.unansweredCalls - sources.lastCalls.length,
      unansweredCalls: totals.unansweredCalls,
      messages:
        totals.messages -
        distinct([...recentMessages, originalRequest, requests.latest, compactionSummary, lastAssistant]),
      shortened: 0,
    },
  });
}

/**
 * A step through a pipeline. A reviewer that rejects again for another reason is not in a loop, nor is the agent that answers it,
 * nor one that said something since.
 */
interface Step {
  payload: unknown;
  reason: string | null;
  /** Number of the last Message of an agent. */
  words: number | null;
  /** With which the stage that is left began; the payload as a hash. */
  came: { payload: string | null; reason: string | null };
}

/**
 * Equal for two Contexts with the same content. Leaves out a composed summary and Baton's own variables: they follow
 * from the rest or from the move, and would differ although nothing else is new.
 */
export function contentHash(
  context: Context,
  callerSummary: string | null,
  lastAgentTurnHash: string | null,
  step: Step | null = null,
): string {
  const content = [
    callerSummary,
    context.filesModified,
    context.pendingTasks,
    context.decisions,
    context.contextVariables.filter((variable) => !isOwnVariable(variable)).map(({ name, value }) => [name, value]),
    lastAgentTurnHash,
    ...(step === null ? [] : [step.payload ?? null, step.reason, step.words, step.came.payload, step.came.reason]),
  ];
  return createHash('sha256').update(canonicalJson(content)).digest('hex');
}

const distinct = (messages: readonly ({ sequence: number } | null)[]): number =>
  new Set(messages.flatMap((message) => (message === null ? [] : [message.sequence]))).size;

interface Source {
  sequence: number;
  content: string;
  shortened: boolean;
  agentId?: string | null;
  recordedBy?: string | null;
}

const carried = (message: Source | null): CarriedMessage | null =>
  message === null
    ? null
    : {
        sequence: message.sequence,
        content: message.content,
        shortened: message.shortened,
        agentId: message.agentId ?? null,
        recordedBy: message.recordedBy ?? null,
      };

type Recent = Context['recentMessages'][number] & { sequence: number };

const charactersOf = {
  USER: bounds.mainMessageCharacters,
  ASSISTANT: bounds.messageCharacters,
  SYSTEM: bounds.systemMessageCharacters,
  TOOL: bounds.messageCharacters,
};

/** Without what programs wrote in a person's place, and without what models thought. */
function withOwnWords(sources: Sources): Sources {
  const spoken = <M extends { content: string }>(message: M): M => {
    const content = withoutThoughts(message.content);
    return content === message.content ? message : { ...message, content };
  };
  return {
    ...sources,
    byUsers: withoutResent(
      sources.byUsers
        .map((message) => ({ ...message, content: ownWords(message.content) }))
        .filter(({ content }) => content.trim() !== ''),
    ),
    recent: sources.recent.map((message) => (message.role === 'ASSISTANT' ? spoken(message) : message)),
    lastAssistant: sources.lastAssistant && spoken(sources.lastAssistant),
  };
}

/** The summary of a cut window as far as it is still true, and what later words replaced of it. */
function summaryOf(
  message: Sources['compaction'],
  { messages }: RecordedLog,
): (NonNullable<Sources['compaction']> & { replaced: Replaced }) | null {
  if (message === null) return null;
  const replaced = replacedSince(message.sequence, messages);
  const knowsPeople = messages.some(({ role, sequence }) => role === 'USER' && sequence < message.sequence);
  const content = summaryNow(message.content, replaced, knowsPeople);
  return { ...message, content, shortened: message.shortened || content !== message.content, replaced };
}

/** Without those that the agent had begun when it said that all is done, if there are no others. */
function tasksLeft(sources: Sources, { messages }: RecordedLog): Sources['tasks'] {
  const pending = sources.tasks.filter(({ status }) => status !== 'DONE');
  const areBegun = pending.every(({ status }) => status === 'IN_PROGRESS');
  return areBegun && replacedSince(listedAt(sources), messages, false) === 'ALL' ? [] : pending;
}

/** A list that a Context has only when it is not empty. */
const listed = <Name extends string, T>(name: Name, entries: readonly T[]): Partial<Record<Name, T[]>> =>
  entries.length === 0 ? {} : ({ [name]: [...entries] } as Partial<Record<Name, T[]>>);

const reasonText = ({ from, to, reason, declined = null }: NonNullable<Sources['reasons']>[number]): string =>
  [`${from === null ? '' : `${from} `}to ${to}`, reason, declined].filter((part) => part !== null).join(': ');

/** With the files that commands changed, newest first, and without those whose changes were taken back. */
function withFilesOf(actions: Actions, sources: Sources): { withFiles: Sources; standing: Standing } {
  const { list, root } = actions;
  const known = new Set(sources.files.map((file) => inFolder(root, file)));
  const relative = sources.files.some((file) => !file.startsWith('/'));
  const changed = [...new Set(list.toReversed().flatMap((action) => changedBy(action, root)))]
    .filter((file) => !known.has(file))
    .map((file) => (relative && root !== '' && file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file));
  const all = [...changed, ...sources.files];
  const standing = standingOf(actions, all, sources.filesBefore);
  const files = all.filter((file) => !standing.undone.has(inFolder(root, file)) && !ofAgentProgram.test(file));
  const total = sources.totals.files + files.length - sources.files.length;
  return { withFiles: { ...sources, files, totals: { ...sources.totals, files: total } }, standing };
}

/** Where programs of agents keep plans and notes of their own. */
const ofAgentProgram =
  /(?:^|\/)\.(?:claude\/(?:plans|projects|todos|tasks|session-env|shell-snapshots)|codex\/(?:sessions|memories|plans)|gemini\/tmp|(?:opencode|cursor)\/plans)\/|^\/(?:private\/)?tmp\/claude-/;

/** Positions of the files that are among others. */
const placesAmong = ({ root }: Actions, files: readonly string[], among: ReadonlySet<string> = new Set()): number[] =>
  files.flatMap((file, position) => (among.has(inFolder(root, file)) ? [position] : []));

/** Open tasks in the files that changed and are still there. */
function openBoxesIn(actions: Actions, files: readonly string[], gone: ReadonlySet<string> = new Set()): OpenBoxes[] {
  const changed = new Set(files.map((file) => inFolder(actions.root, file)));
  return openBoxesOf(actions, (file) => changed.has(file) && !gone.has(file));
}

/** Agents' messages without the edits of files that are told as changed: the files have them. */
function withoutToldEdits({ root, list }: Actions, sources: Sources): Sources {
  const written = new Map<number, Set<string>>();
  for (const { call, command, ending, files } of list)
    if (command === null && ending === 'PASSED')
      written.set(call.sequence, new Set([...(written.get(call.sequence) ?? []), ...files]));
  const changed = new Set(sources.files.map((file) => inFolder(root, file)));
  const short = <M extends { sequence: number; content: string; shortened?: boolean }>(message: M): M => {
    const content = withoutEdits(
      message.content,
      (path) => changed.has(inFolder(root, path)),
      (path) => written.get(message.sequence)?.has(inFolder(root, path)) === true,
    );
    return content === message.content ? message : { ...message, content, shortened: true };
  };
  const { recent, lastAssistant } = sources;
  return {
    ...sources,
    recent: recent.map((message) => (message.role === 'ASSISTANT' ? short(message) : message)),
    lastAssistant: lastAssistant && short(lastAssistant),
  };
}

/** Characters of a message while others still need room. */
const firstCharacters = { USER: 4_000, ASSISTANT: 2_000, SYSTEM: bounds.systemMessageCharacters, TOOL: 2_000 };

/**
 * Messages of users that have a weight, and the newest others, each within their budget; always includes the last assistant message.
 * What their beginnings leave goes to the rest of the longer ones, in the same order.
 */
function recentOf(
  { recent, byUsers, lastAssistant, compaction }: Sources,
  replaced: Replaced = 'NOTHING',
  isUndone: (file: string) => boolean = () => false,
): Recent[] {
  const kept = new Map<number, Recent>();
  const told = new Map<number, string>();
  const fill = (messages: readonly Recent[], budget: number): void => {
    let left = budget;
    for (const limits of [firstCharacters, charactersOf])
      for (const { sequence, role, content, recordedBy, shortened: isCut } of messages) {
        const before = kept.get(sequence);
        if (before !== undefined && limits === firstCharacters) continue;
        const whole = told.get(sequence) ?? content;
        const short = role === 'ASSISTANT' ? abridge(whole, limits[role]) : shorten(whole, limits[role]);
        const more = short.length - (before?.content.length ?? 0);
        if (more > left || (before !== undefined && more <= 0)) continue;
        left -= more;
        kept.set(sequence, {
          sequence,
          role,
          content: short,
          shortened: isCut === true || short !== content,
          ...(recordedBy == null ? {} : { recordedBy }),
        });
      }
  };
  const people = byUsers.filter(({ content }) => weightOf(content) > 0).reverse();
  fill(
    people.toSorted((a, b) => weightOf(b.content) - weightOf(a.content)),
    budgets.users,
  );
  const others = recent.filter(({ ofProgram }) => ofProgram !== true).reverse();
  const telling = tellingOf(
    others.filter(({ role }) => role === 'ASSISTANT'),
    people,
  );
  // A summary of a cut window tells what the agent said before it.
  const rank = (message: (typeof others)[number]): Telling => {
    const rated = telling.get(message) ?? 2;
    return message.sequence < (compaction?.sequence ?? 0) && (replaced === 'ALL' || rated < 3) ? 0 : rated;
  };
  const later = new LaterWords();
  if (lastAssistant !== null) later.without(lastAssistant.content);
  const worth = others.filter((message) => {
    if (rank(message) === 0 || message.role !== 'ASSISTANT' || message.sequence === lastAssistant?.sequence)
      return rank(message) > 0;
    const tells = toldIn(message.content, rank(message));
    if (rank(message) < 3 && isOnlyOf(tells, isUndone)) return false;
    const words = later.without(tells);
    told.set(message.sequence, words);
    return words !== '';
  });
  fill(
    [...(lastAssistant === null ? [] : [lastAssistant]), ...worth.sort((a, b) => rank(b) - rank(a))],
    budgets.others,
  );
  return [...kept.values()].sort((a, b) => a.sequence - b.sequence);
}

/** Of the newest, so that they stay a small part of a Context. */
const maxReplies = 50;
/** What people's few words answer: the question that they were asked, else the agent's message right before them. */
function repliesAmong({ byUsers, recent, lastAssistant }: Sources): NonNullable<Context['replies']> {
  const others = lastAssistant === null ? recent : [...recent, lastAssistant];
  const said: (Recent & { answerTo?: string | null })[] = [
    ...byUsers,
    ...others.filter(({ role }) => role === 'ASSISTANT'),
  ].sort((a, b) => a.sequence - b.sequence);
  return said
    .flatMap(({ role, sequence, content, answerTo = null }, index) => {
      const before = said[index - 1];
      const to =
        answerTo !== null
          ? answeredTo(content, answerTo)
          : role === 'USER' && before?.role === 'ASSISTANT'
            ? repliedTo(content, before.content)
            : null;
      return to === null ? [] : [{ sequence, to }];
    })
    .slice(-maxReplies);
}

/** Number of the last message before the list of tasks was written: by the newest call for it, else as it was recorded. */
function listedAt({ tools, tasks }: Sources): number {
  const calls = tools.filter(({ name }) => taskTool.test(name)).map(({ lastSequence }) => lastSequence ?? Infinity);
  return Math.max(...(calls.length > 0 ? calls : tasks.map(({ sequence }) => sequence ?? Infinity)));
}

const longestPlace = 1_000;

function factsOf(
  log: RecordedLog,
  actions: Actions,
  { asked = null }: Sources,
): Pick<Context, 'workspace' | 'checks' | 'failedAttempts' | 'openQuestions'> {
  const { folder, branch, commit, host, repository, sandbox } = workspaceOf(log, actions);
  const place = (value: string | null): string | null => value && shorten(value, longestPlace);
  return {
    workspace:
      folder === null && branch === null && commit === null
        ? null
        : {
            folder: place(folder),
            branch: place(branch),
            commit: place(commit),
            ...(host != null && { host: place(host) }),
            ...(repository != null && { repository: place(repository) }),
            ...(sandbox != null && { sandbox: place(sandbox) }),
          },
    checks: checksOf(log, actions),
    failedAttempts: failedAttemptsOf(log, actions),
    openQuestions: openQuestionsOf(log, asked),
  };
}

function logOf({ byUsers, recent, lastAssistant, calls, workspaces, stops = [] }: Sources): RecordedLog {
  // A command to the program (`/clear`) does not answer a question.
  const users = byUsers.filter(({ content }) => weightOf(content) > 0);
  // A message that was cut has no end to search for a question.
  const others = recent
    .filter(({ sequence }) => sequence !== lastAssistant?.sequence)
    .map((message) => (message.content.length > bounds.messageCharacters ? { ...message, content: '' } : message));
  const messages = [...users, ...others, ...(lastAssistant === null ? [] : [lastAssistant])].sort(
    (a, b) => a.sequence - b.sequence,
  );
  return { messages, calls, workspaces, stops };
}

export const redactionsIn = (context: Context): number => countRedactions(JSON.stringify(context));
