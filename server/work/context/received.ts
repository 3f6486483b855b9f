import { statement } from '../../core/changes.ts';
import type { CarriedMessage, Context, StoredVariables } from './context.ts';
import { readSources, type Reader, type Sources } from './sources.ts';
import { readContext } from './storage.ts';

/** An agent that reads of a Session only what it was given and what was recorded from a number on (rule: carry). */
export interface LimitedReader {
  agentId: string;
  from: number;
}

/** Newest Contexts that an agent was given in one Session. */
const mostReceived = 20;
const findReceived = statement(`
SELECT summary, context FROM (SELECT summary, context, depth FROM handoffs WHERE session_id = $1 AND target_agent_id = $2 ORDER BY depth DESC LIMIT ${mostReceived}) h ORDER BY depth`);

/** What a reader may see of a Session, as the sources of a Context, and its variables; `limit` is null for one that reads everything. */
export async function readVisibleSources(
  reader: Reader,
  sessionId: string,
  limit: LimitedReader | null,
): Promise<{ sources: Sources; variablesOf: (stored: StoredVariables) => StoredVariables } | null> {
  const sources = await readSources(reader, sessionId, limit?.from ?? null);
  if (sources === null) return null;
  if (limit === null) return { sources, variablesOf: (stored) => stored };
  const rows = (await reader.query(findReceived, [sessionId, limit.agentId])) as Parameters<typeof readContext>[0][];
  const received = rows.map(readContext);
  const names = received.flatMap(({ contextVariables }) => contextVariables.map(({ name }) => name));
  return {
    sources: withReceived(sources, received),
    variablesOf: (stored) => visibleVariables(stored, limit.from, names),
  };
}

/** The variables that were carried, and those set from a place of the log on. */
export const visibleVariables = (stored: StoredVariables, from: number, carried: readonly string[]): StoredVariables =>
  Object.fromEntries(
    Object.entries(stored).filter(([name, { sequence = 0 }]) => carried.includes(name) || sequence >= from - 1),
  );

/** Adds what an agent was given, oldest first, to what it read of the log since. */
export function withReceived(sources: Sources, received: readonly Context[]): Sources {
  const newest = received.toReversed();
  const said = messagesOf(received);
  const isOf = (...roles: string[]) => said.filter(({ role }) => roles.includes(role));
  const compaction = first(newest, ({ compactionSummary }) => compactionSummary);
  const lastWords = first(newest, ({ lastMessage }) => lastMessage);
  const files = unique([...sources.files, ...newest.flatMap(({ filesModified }) => filesModified)]);
  const decisions = unique([...received.flatMap((context) => context.decisions), ...sources.decisions]);
  const tools = mergedTools(sources.tools, newest[0]?.toolSummaries ?? []);
  const place = first(newest, ({ workspace }) => workspace);
  return {
    ...sources,
    recent: [...isOf('ASSISTANT', 'SYSTEM'), ...sources.recent],
    byUsers: [
      ...isOf('USER').map((message) => ({ ...message, recordedBy: message.recordedBy ?? null })),
      ...sources.byUsers,
    ],
    compaction: sources.compaction ?? (compaction && { ...messageOf(compaction), role: 'SYSTEM' }),
    lastAssistant:
      sources.lastAssistant ??
      (lastWords && { ...messageOf(lastWords), role: 'ASSISTANT', agentId: lastWords.agentId }),
    // A list of tasks is replaced as a whole.
    tasks:
      sources.tasksFromBefore === true
        ? (newest[0]?.pendingTasks ?? []).map((content) => ({ content, status: 'PENDING' }))
        : sources.tasks,
    lastCalls:
      sources.lastCalls.length > 0
        ? sources.lastCalls
        : (newest[0]?.lastToolCalls ?? []).map(({ toolCallId, toolName, shortened, ...call }) => ({
            ...call,
            id: toolCallId,
            name: toolName,
            outcomeShortened: shortened,
          })),
    files,
    decisions,
    tools,
    workingTree: sources.workingTree ?? first(newest, (context) => context.workingTree ?? null),
    workspaces: place === null ? sources.workspaces : [{ ...place, turn: 0 }, ...sources.workspaces],
    totals: {
      ...sources.totals,
      messages: sources.totals.messages + said.length,
      userMessages: sources.totals.userMessages + isOf('USER').length,
      files: sources.totals.files + files.length - sources.files.length,
      decisions: sources.totals.decisions + decisions.length - sources.decisions.length,
      tools: sources.totals.tools + tools.length - sources.tools.length,
      calls: sources.totals.calls + (sources.lastCalls.length > 0 ? 0 : (newest[0]?.lastToolCalls?.length ?? 0)),
      lastCalls: sources.lastCalls.length > 0 ? sources.totals.lastCalls : (newest[0]?.lastToolCalls?.length ?? 0),
    },
  };
}

type Role = Sources['recent'][number]['role'];
type Said = ReturnType<typeof messageOf> & { role: Role };

/** A cut text has no whole one for this reader. */
const messageOf = ({ sequence, content, shortened, cut, recordedBy }: CarriedMessage) => ({
  sequence,
  content,
  shortened: shortened && cut !== true,
  recordedBy: recordedBy ?? null,
});

/** The Messages in these Contexts, each once in its longest form. */
function messagesOf(contexts: readonly Context[]): Said[] {
  const found = new Map<number, Said>();
  const add = (message: Said): void => {
    const known = found.get(message.sequence);
    if (known === undefined || known.content.length < message.content.length) found.set(message.sequence, message);
  };
  for (const { originalRequest, latestRequest, lastMessage, recentMessages } of contexts) {
    for (const { role, sequence, content, shortened = false, recordedBy } of recentMessages) {
      if (role !== 'TOOL' && sequence !== undefined)
        add({ role, sequence, content, shortened, recordedBy: recordedBy ?? null });
    }
    for (const request of [originalRequest, latestRequest])
      if (request !== null) add({ ...messageOf(request), role: 'USER' });
    if (lastMessage !== null) add({ ...messageOf(lastMessage), role: 'ASSISTANT' });
  }
  return [...found.values()].sort((a, b) => a.sequence - b.sequence);
}

function mergedTools(tools: Sources['tools'], given: Context['toolSummaries']): Sources['tools'] {
  const merged = new Map(tools.map((tool) => [tool.name, tool]));
  for (const { toolName, callCount, errorCount, lastResult } of given) {
    const since = merged.get(toolName);
    merged.set(toolName, {
      name: toolName,
      calls: callCount + (since?.calls ?? 0),
      errors: errorCount + (since?.errors ?? 0),
      lastResult: since === undefined ? lastResult : since.lastResult,
      lastCallId: since?.lastCallId ?? '',
    });
  }
  return [...merged.values()].sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1));
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

function first<T>(contexts: readonly Context[], part: (context: Context) => T | null): T | null {
  for (const context of contexts) {
    const found = part(context);
    if (found !== null) return found;
  }
  return null;
}
