import { createHash } from 'node:crypto';
import { canonicalJson } from '../core/canonicalJson.ts';
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
import { readActions } from './derive/actions.ts';
import { checksOf } from './derive/checks.ts';
import { failedAttemptsOf } from './derive/failedAttempts.ts';
import type { RecordedLog } from './derive/log.ts';
import { openQuestionsOf } from './derive/openQuestions.ts';
import { workspaceOf } from './derive/workspace.ts';
import { fitContext } from './fitContext.ts';
import { requestsAmong, weightOf } from './requests.ts';
import { bounds, type Sources } from './sources.ts';
import { shorten } from './shorten.ts';

export interface BuildInput {
  /** The caller's summary; composed from the log when null. */
  summary: string | null;
  variables: StoredVariables;
  instructions: string | null;
  /** Values of Baton's own variables, as far as they are known. */
  passage?: Omit<Passage, 'from' | 'chain'>;
  /** A composed summary then does not say that no file was changed. */
  filesWithheld?: boolean;
}

/** Characters for messages other than the requests and the last message, by author. */
const budgets = { users: 48_000, others: 24_000 };

/** Deterministic: the same log and input give the same Context. The result fits `contextBytes`. */
export function buildContext(
  sources: Sources,
  { summary, variables, instructions, passage = {}, filesWithheld = false }: BuildInput,
): Context {
  const recentMessages = recentOf(sources);
  const { lastAssistant, compaction, totals } = sources;
  const requests = requestsAmong(sources.byUsers);
  const originalRequest = requests.original ?? compaction;
  const compactionSummary = originalRequest === compaction ? null : compaction;
  const chain = passage.to === undefined ? sources.chain : [...sources.chain, passage.to];
  return fitContext({
    summary: summary ?? composeSummary(sources, filesWithheld),
    summaryComposed: summary === null,
    originalRequest: carried(originalRequest),
    latestRequest: carried(requests.latest),
    compactionSummary: carried(compactionSummary),
    lastMessage: carried(lastAssistant),
    toolSummaries: sources.tools.map(({ name, calls, errors, lastResult, lastCallId }) => ({
      toolName: name,
      callCount: calls,
      errorCount: errors,
      lastResult: lastResult === null ? null : shorten(lastResult, bounds.toolResultCharacters),
      ...(lastResult !== null && lastResult.length > bounds.toolResultCharacters ? { lastCallId } : {}),
    })),
    lastToolCalls: sources.lastCalls.map(({ id, name, arguments: given, outcome, outcomeShortened, failed }) => ({
      toolCallId: id,
      toolName: name,
      arguments: shorten(given ?? '{}', bounds.argumentCharacters),
      outcome,
      failed,
      shortened: outcomeShortened || (given ?? '').length > bounds.argumentCharacters,
    })),
    filesModified: sources.files,
    pendingTasks: sources.tasks.filter((task) => task.status !== 'DONE').map((task) => task.content),
    decisions: sources.decisions,
    recentMessages,
    ...factsOf(sources),
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
      calls: totals.lastCalls - sources.lastCalls.length,
      unansweredCalls: totals.unansweredCalls,
      messages:
        totals.messages -
        distinct([...recentMessages, originalRequest, requests.latest, compactionSummary, lastAssistant]),
      shortened: 0,
    },
  });
}

/**
 * Equal for two Contexts with the same content. Leaves out a composed summary and Baton's own variables: they follow
 * from the rest or from the move, and would differ although nothing else is new.
 */
export function contentHash(
  context: Context,
  callerSummary: string | null,
  lastAgentTurnHash: string | null,
  payload: unknown = null,
): string {
  const content = [
    callerSummary,
    context.filesModified,
    context.pendingTasks,
    context.decisions,
    context.contextVariables.filter((variable) => !isOwnVariable(variable)).map(({ name, value }) => [name, value]),
    lastAgentTurnHash,
    ...(payload === null ? [] : [payload]),
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
  USER: bounds.userMessageCharacters,
  ASSISTANT: bounds.messageCharacters,
  SYSTEM: bounds.systemMessageCharacters,
  TOOL: bounds.messageCharacters,
};

/** Messages of users that have a weight, and the newest others, each within their budget; always includes the last assistant message. */
function recentOf({ recent, byUsers, lastAssistant }: Sources): Recent[] {
  const kept = new Map<number, Recent>();
  const fill = (messages: readonly Omit<Recent, 'shortened'>[], budget: number): void => {
    let left = budget;
    for (const { sequence, role, content, recordedBy } of messages) {
      if (kept.has(sequence)) continue;
      const short = shorten(content, charactersOf[role]);
      if (short.length > left) return;
      left -= short.length;
      kept.set(sequence, {
        sequence,
        role,
        content: short,
        shortened: short !== content,
        ...(recordedBy == null ? {} : { recordedBy }),
      });
    }
  };
  fill(byUsers.filter(({ content }) => weightOf(content) > 0).reverse(), budgets.users);
  fill([...(lastAssistant === null ? [] : [lastAssistant]), ...recent.toReversed()], budgets.others);
  return [...kept.values()].sort((a, b) => a.sequence - b.sequence);
}

const longestPlace = 1_000;

function factsOf(sources: Sources): Pick<Context, 'workspace' | 'checks' | 'failedAttempts' | 'openQuestions'> {
  const log = logOf(sources);
  const actions = readActions(log);
  const { folder, branch, commit, host, repository } = workspaceOf(log, actions);
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
          },
    checks: checksOf(log, actions),
    failedAttempts: failedAttemptsOf(log, actions),
    openQuestions: openQuestionsOf(log),
  };
}

function logOf({ byUsers, recent, lastAssistant, calls, workspaces }: Sources): RecordedLog {
  // A command to the program (`/clear`) does not answer a question.
  const users = byUsers.filter(({ content }) => weightOf(content) > 0);
  // A message that was cut has no end to search for a question.
  const others = recent
    .filter(({ sequence }) => sequence !== lastAssistant?.sequence)
    .map((message) => (message.content.length > bounds.messageCharacters ? { ...message, content: '' } : message));
  const messages = [...users, ...others, ...(lastAssistant === null ? [] : [lastAssistant])].sort(
    (a, b) => a.sequence - b.sequence,
  );
  return { messages, calls, workspaces };
}

export const redactionsIn = (context: Context): number => countRedactions(JSON.stringify(context));
