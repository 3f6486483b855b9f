import { statement } from '../../core/changes.ts';
import { InvalidStateError, NotFoundError } from '../../core/errors.ts';
import type { Work } from '../../core/work.ts';
import { Custody } from '../custody/custody.ts';
import { demandAct, demandOpen, lockSession } from '../custody/demand.ts';
import type { SessionAnswer } from '../sessions/createSession.ts';

export interface NewResult {
  callId: string;
  result: string | null;
  error: string | null;
  /** Undefined keeps what the call was recorded with. */
  filesModified?: readonly string[];
  durationMs?: number;
}

export interface ResultsAnswer extends SessionAnswer {
  /** In the order of the input. */
  toolCallIds: string[];
}

/**
 * Gives recorded calls their results, each once (rule: result of a call). The holder may do it while the Session is paused:
 * the tool has run, whatever happened since.
 */
export async function recordToolResults(
  work: Work,
  { sessionId, results }: { sessionId: string; results: readonly NewResult[] },
): Promise<ResultsAnswer> {
  await lockSession(work, sessionId);
  const custody = await Custody.of(work, sessionId, { holder: false });
  demandAct(custody, 'steer');
  demandOpen(custody);
  const calls = await findCalls(custody, results);
  const open = results.filter(({ callId }) => calls.get(callId)!.status === 'PENDING');
  await demandSame(
    work,
    results.filter((given) => !open.includes(given)),
    calls,
  );
  for (const { callId, result, error, filesModified, durationMs } of open)
    work.change('tool_calls', calls.get(callId)!, {
      result,
      error,
      ...(error !== null ? { filesModified: [] } : filesModified && { filesModified: [...filesModified] }),
      ...(durationMs !== undefined && { durationMs }),
    });
  if (open.length > 0) custody.recordLog('LOG_CHANGED');
  return { sessionId, toolCallIds: results.map(({ callId }) => calls.get(callId)!.id) };
}

interface StoredCall {
  id: string;
  callId: string;
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED';
}

// Another turn may have used the id too: the newest call has it.
const findCallsStatement = statement(`
SELECT DISTINCT ON (c.call_id) c.id, c.call_id AS "callId",
  CASE WHEN c.error IS NOT NULL THEN 'FAILED' WHEN c.result IS NOT NULL THEN 'SUCCEEDED' ELSE 'PENDING' END AS status
FROM tool_calls c JOIN turns t ON t.id = c.turn_id
WHERE c.session_id = $1 AND c.call_id = ANY ($2::text[]) AND ($3::uuid IS NULL OR t.agent_session_id = $3)
ORDER BY c.call_id, c.index DESC`);

/** @throws NotFoundError for a call that is not in the log; to an agent, also for one of another tenure. */
async function findCalls(
  { work, session, openTenure }: Custody,
  results: readonly NewResult[],
): Promise<Map<string, StoredCall>> {
  const found = await work.query<StoredCall>(findCallsStatement, [
    session.id,
    results.map(({ callId }) => callId),
    work.caller.agentId === null ? null : openTenure!.id,
  ]);
  const calls = new Map(found.map((call) => [call.callId, call]));
  const missing = results.find(({ callId }) => !calls.has(callId));
  if (missing !== undefined) throw new NotFoundError('tool call', missing.callId);
  return calls;
}

const findOthers = statement(`
SELECT c.id FROM unnest($1::uuid[], $2::text[], $3::text[]) g (id, result, error) JOIN tool_calls c ON c.id = g.id
WHERE c.result IS DISTINCT FROM g.result OR c.error IS DISTINCT FROM g.error`);

/** @throws InvalidStateError when a call has another result than the given one. */
async function demandSame(
  work: Work,
  repeated: readonly NewResult[],
  calls: ReadonlyMap<string, StoredCall>,
): Promise<void> {
  if (repeated.length === 0) return;
  const others = await work.query<{ id: string }>(findOthers, [
    repeated.map(({ callId }) => calls.get(callId)!.id),
    repeated.map(({ result }) => result),
    repeated.map(({ error }) => error),
  ]);
  const other = repeated.find(({ callId }) => others.some(({ id }) => id === calls.get(callId)!.id));
  if (other === undefined) return;
  const { status } = calls.get(other.callId)!;
  throw new InvalidStateError(
    `The call '${other.callId}' has another ${status === 'FAILED' ? 'error' : 'result'} already: a call gets its result once`,
    status,
    ['PENDING'],
  );
}
