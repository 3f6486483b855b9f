import { statement } from '../../core/changes.ts';
import { HandoffLoopError, MaxHandoffsReachedError } from '../../core/errors.ts';
import type { Work } from '../../core/work.ts';
import { Custody } from './custody.ts';

type Limit = MaxHandoffsReachedError | HandoffLoopError;

/** Whether a refusal keeps the holder from handing off until it does some work, or an operator acts. */
export const isLimit = (error: unknown): error is Limit =>
  error instanceof MaxHandoffsReachedError || error instanceof HandoffLoopError;

const readLast = statement(
  'SELECT type, reason FROM events WHERE session_id = $1 ORDER BY session_sequence DESC LIMIT 1',
);

/** Records that a limit was reached (rule: stuck). Repeated refusals make one Event until something else happens. */
export async function recordStuck(work: Work, sessionId: string, { code, message }: Limit): Promise<object> {
  if (!(await work.lockSession(sessionId))) return {};
  const custody = await Custody.of(work, sessionId);
  const [last] = await work.query<{ type: string; reason: string | null }>(readLast, [sessionId]);
  if (!custody.isOpen || (last?.type === 'SESSION_STUCK' && last.reason === message)) return {};
  custody.recordCustody('SESSION_STUCK', { reason: message, metadata: { code } });
  return {};
}
