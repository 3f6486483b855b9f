import { statement } from '../../core/changes.ts';
import { ForbiddenError, NotFoundError } from '../../core/errors.ts';
import type { Work } from '../../core/work.ts';
import type { MessageKind, MessageRole } from '../../generated/prisma/client.ts';
import type { Workspace } from '../context/derive/log.ts';
import { Custody } from '../custody/custody.ts';
import { demandAct, demandOpen, lockSession } from '../custody/demand.ts';
import { captureSnapshot, readVisible } from '../custody/snapshot.ts';
import { followWindow } from '../handoffs/pressure.ts';
import { followBudget, useOf } from '../sessions/budget.ts';
import { LogWriter } from './logWriter.ts';
import type { Usage } from './queries.ts';
import { isAgentTurn, refusalOfAgentTurn } from './rules.ts';

export interface AppendTurnInput {
  sessionId: string;
  /** Author; null means the caller, or the holder when the caller is no agent. Ignored for a turn of only USER and SYSTEM messages. */
  agentId: string | null;
  messages: readonly { role: Exclude<MessageRole, 'HANDOFF'>; content: string; kind?: MessageKind }[];
  toolCalls: readonly {
    callId: string;
    name: string;
    arguments: unknown;
    result: string | null;
    error: string | null;
    filesModified: readonly string[];
    durationMs?: number;
  }[];
  usage: Usage | null;
  /** Workspace after the turn, when the caller knows it. */
  workspace?: Workspace;
  truncated: boolean;
}

export interface TurnAnswer {
  turnId: string;
  sessionId: string;
}

/** Appends one turn. */
export async function appendTurn(
  work: Work,
  input: AppendTurnInput,
  { contextPressure }: { contextPressure: number },
): Promise<TurnAnswer> {
  await lockSession(work, input.sessionId);
  const custody = await Custody.of(work, input.sessionId, { holder: false });
  if (input.agentId !== null && input.agentId !== custody.session.agentId) await demandAgentExists(work, input.agentId);
  const earlier = await work.earlierAnswer<TurnAnswer>();
  if (earlier !== null) return earlier;
  const byAgent = isAgentTurn(input);
  demandAct(custody, 'speak', { actsFor: input.agentId });
  if (!byAgent && work.caller.agentId !== null)
    throw new ForbiddenError(
      'Only operators append turns of only USER or SYSTEM messages: add an ASSISTANT message or a tool call',
    );
  demandOpen(custody);
  if (byAgent) {
    const { status: sessionStatus, agentId: holderId } = custody.session;
    const refusal = refusalOfAgentTurn({
      sessionStatus,
      holderId,
      tenureState: custody.openTenure?.state ?? null,
      questionId: custody.questionId,
      agentId: input.agentId ?? work.caller.agentId,
    });
    if (refusal !== null) throw refusal;
  }
  const known = await findExecuted(custody, input.toolCalls);
  const toolCalls = input.toolCalls.filter((call) => !known.some((each) => isSame(each, call)));
  if (known[0] !== undefined && toolCalls.length + input.messages.length === 0)
    return { turnId: known[0].turn_id, sessionId: input.sessionId };
  if (input.truncated) await captureTruncation(custody);
  const window = windowOf(input.usage);
  const use = await useOf(custody);
  const agentSessionId = byAgent ? (custody.openTenure?.id ?? null) : null;
  const turnId = stageTurn(custody, { ...input, toolCalls }, agentSessionId);
  if (byAgent) recordTurn(custody);
  else custody.recordLog('TURN_APPENDED');
  const tokens = [...(input.truncated ? [0] : []), ...(window === null ? [] : [window])];
  await followWindow(custody, agentSessionId, { tokens, contextWindow: null, isFull: false }, contextPressure);
  if (use !== null) await followBudget(custody, use, { ...use, used: use.used + (window ?? 0) });
  return { turnId, sessionId: input.sessionId };
}

// Baton recorded these calls when it executed them, in turns of their own.
const findExecutedStatement = statement(`
SELECT DISTINCT c.call_id, c.name, c.turn_id FROM tool_calls c JOIN handoff_tool_calls t ON t.tool_call_id = c.id JOIN handoffs h ON h.id = t.handoff_id
WHERE c.session_id = $1 AND c.call_id = ANY ($2::text[]) AND h.via = 'TOOL'`);

interface ExecutedCall {
  call_id: string;
  name: string;
  turn_id: string;
}
const isSame = (executed: ExecutedCall, { callId, name }: { callId: string; name: string }): boolean =>
  executed.call_id === callId && executed.name === name;

/** The calls of a turn that handed the Session off and are in the log. */
async function findExecuted({ work, session }: Custody, calls: AppendTurnInput['toolCalls']): Promise<ExecutedCall[]> {
  if (calls.length === 0 || session.handoffCount === 0) return [];
  const found = await work.query<ExecutedCall>(findExecutedStatement, [session.id, calls.map(({ callId }) => callId)]);
  return found.filter((executed) => calls.some((call) => isSame(executed, call)));
}

/** Appends a turn of the holder with this one call, which Baton itself answered. */
export function appendCall(
  custody: Custody,
  call: { callId: string; name: string; arguments: unknown; result: string },
): { id: string; turnId: string; turn: number; sequence: number } {
  const { work, session, openTenure } = custody;
  const { id, messageCount, turnCount, toolCallCount } = session;
  const log = new LogWriter(work, { id, messageCount, turnCount, toolCallCount }, openTenure?.id ?? null);
  const turn = log.turn({ truncated: false, startedAt: work.now });
  const toolCall = log.call(turn.id, undefined, { ...call, error: null, filesModified: [] });
  work.change('sessions', session, { ...log.counts, updatedAt: work.now });
  recordTurn(custody);
  return { id: toolCall.id, turnId: turn.id, turn: turn.index, sequence: toolCall.sequence };
}

/** Appends a turn with the words of the person that calls. */
export function appendWords(custody: Custody, content: string): void {
  stageTurn(custody, { messages: [{ role: 'USER', content }], toolCalls: [], usage: null, truncated: false }, null);
  custody.recordLog('TURN_APPENDED');
}

/** Records a turn of the holder. The first one of a target that has accepted completes its Handoff (rule: complete). */
function recordTurn(custody: Custody): void {
  custody.recordLog('TURN_APPENDED');
  if (custody.openHandoff?.status === 'ACCEPTED') custody.closeHandoff(custody.openHandoff, { status: 'COMPLETED' });
}

/** Captures the visible part of the log; from here on, only later entries are visible. */
async function captureTruncation({ work, session, openTenure }: Custody): Promise<void> {
  captureSnapshot(work, session, 'TRUNCATION', openTenure?.id ?? null, await readVisible(work, session));
  work.change('sessions', session, {
    visibleFrom: session.messageCount + 1,
    visibleCallsFrom: session.toolCallCount + 1,
  });
}

type Said = Omit<AppendTurnInput, 'sessionId' | 'agentId'>;

function stageTurn({ work, session }: Custody, input: Said, agentSessionId: string | null): string {
  const { id, messageCount, turnCount, toolCallCount } = session;
  const log = new LogWriter(work, { id, messageCount, turnCount, toolCallCount }, agentSessionId);
  const { usage, workspace, truncated } = input;
  const turn = log.turn({
    ...usage,
    ...(workspace !== undefined && { workspace: { ...workspace } }),
    windowTokens: windowOf(usage),
    truncated,
    startedAt: work.now,
  });
  const messages = input.messages.map(({ role, kind, content }) =>
    log.message(turn.id, { role, ...(kind && { kind }), content, createdAt: work.now }),
  );
  // Calls belong to the last assistant message of the turn.
  const callingMessage = messages.findLast(({ role }) => role === 'ASSISTANT');
  for (const call of input.toolCalls)
    log.call(turn.id, callingMessage, { ...call, filesModified: call.error === null ? [...call.filesModified] : [] });
  work.change('sessions', session, { ...log.counts, updatedAt: work.now });
  return turn.id;
}

/** Tokens in the window after the turn: all that the model read and wrote; null without a report. */
function windowOf(usage: AppendTurnInput['usage']): number | null {
  const {
    inputTokens = null,
    outputTokens = null,
    cacheCreationInputTokens = null,
    cacheReadInputTokens = null,
  } = usage ?? {};
  const reported = [inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens].filter(
    (tokens) => tokens !== null,
  );
  return reported.length === 0
    ? null
    : Math.min(
        reported.reduce((sum, tokens) => sum + tokens),
        2 ** 31 - 1,
      );
}

const findAgent = statement('SELECT FROM agents WHERE id = $1');

async function demandAgentExists(work: Work, agentId: string): Promise<void> {
  const found = await work.query(findAgent, [agentId]);
  if (found.length === 0) throw new NotFoundError('agent', agentId);
}
