import type { Pool } from 'pg';
import { decodeId } from '../../server/core/ids.ts';
import type { Asked } from './callers.ts';
import type { Answer, Mutation } from './requests.ts';

/** The event that proves a change, by mutation. */
const evidence: Partial<Record<Mutation, string>> = {
  createSession: 'SESSION_CREATED',
  initiateHandoff: 'HANDOFF_INITIATED',
  acceptHandoff: 'HANDOFF_ACCEPTED',
  completeHandoff: 'HANDOFF_COMPLETED',
  rejectHandoff: 'HANDOFF_REJECTED',
  failHandoff: 'HANDOFF_FAILED',
  cancelHandoff: 'HANDOFF_CANCELLED',
  timeOutHandoff: 'HANDOFF_TIMED_OUT',
  pauseSession: 'PAUSED',
  resumeSession: 'RUNNING',
  appendTurn: 'TURN_APPENDED',
  recordDecision: 'LOG_CHANGED',
  captureSnapshot: 'LOG_CHANGED',
};

export const isPayload = (answer: Answer | null): answer is Answer => answer !== null && answer.code === undefined;
const uuid = (node: { id: string } | null | undefined): string | null =>
  node == null ? null : (decodeId(node.id)?.uuid ?? node.id);

const findLost = `
WITH claims AS (
  SELECT * FROM json_to_recordset($1::json) AS c (n int, session uuid, version int, handoff uuid, turn uuid, decision uuid, snapshot uuid, event text, key text))
SELECT c.n, array_remove(ARRAY[
  CASE WHEN s.id IS NULL THEN 'its session' WHEN s.version < c.version THEN 'the version of its session' END,
  CASE WHEN c.handoff IS NOT NULL AND NOT EXISTS (SELECT FROM handoffs x WHERE x.id = c.handoff AND x.session_id = c.session) THEN 'its handoff' END,
  CASE WHEN c.turn IS NOT NULL AND NOT EXISTS (SELECT FROM turns x WHERE x.id = c.turn AND x.session_id = c.session) THEN 'its turn' END,
  CASE WHEN c.decision IS NOT NULL AND NOT EXISTS (SELECT FROM decisions x WHERE x.id = c.decision AND x.session_id = c.session) THEN 'its decision' END,
  CASE WHEN c.snapshot IS NOT NULL AND NOT EXISTS (SELECT FROM context_snapshots x WHERE x.id = c.snapshot AND x.session_id = c.session) THEN 'its snapshot' END,
  CASE WHEN NOT EXISTS (SELECT FROM events e WHERE e.session_id = c.session AND c.event IN (e.type::text, e.session_status::text)
    AND (c.handoff IS NULL OR e.handoff_id = c.handoff)) THEN 'its event ' || c.event END,
  CASE WHEN c.key IS NOT NULL AND NOT EXISTS (SELECT FROM idempotency_answers i WHERE i.key = 'sha256:' || encode(sha256(convert_to(c.key, 'UTF8')), 'hex')) THEN 'the answer under its key' END
], NULL) AS missing
FROM claims c LEFT JOIN sessions s ON s.id = c.session`;

/** Returns a line per answer whose change is missing: its ids, event, version and key must all exist. */
export async function lostAnswers(pool: Pool, asked: readonly Asked[]): Promise<string[]> {
  const received = asked.filter(({ answer }) => isPayload(answer));
  const claims = received.map(({ mutation, input, answer }, n) => ({
    n,
    session: uuid(answer?.session),
    version: answer?.session?.version,
    handoff: uuid(answer?.handoff),
    turn: uuid(answer?.turn),
    decision: uuid(answer?.decision),
    snapshot: uuid(answer?.snapshot),
    // A reassign to the source of a waiting handoff returns the session.
    event:
      evidence[mutation] ??
      (answer?.handoffCreated === true
        ? 'HANDOFF_INITIATED'
        : answer?.message?.includes('taken back')
          ? 'SESSION_RETURNED'
          : 'SESSION_REASSIGNED'),
    key: input.idempotencyKey ?? null,
  }));
  const { rows } = await pool.query<{ n: number; missing: string[] }>(findLost, [JSON.stringify(claims)]);
  return rows
    .filter(({ missing }) => missing.length > 0)
    .map(
      ({ n, missing }) =>
        `${received[n]!.mutation} was answered, but ${missing.join(', ')} is not there: ${JSON.stringify(received[n])}`,
    );
}

/** The part of an answer that an idempotency key repeats unchanged: ids and scalars. Versions are current. */
export function identity({
  session,
  handoff,
  turn,
  decision,
  snapshot,
  previousAgent,
  assignedAgent,
  ...answer
}: Answer): string {
  const ids = [session, handoff, turn, decision, snapshot, previousAgent, assignedAgent].map(
    (node) => node?.id ?? null,
  );
  const { code, message, handoffCreated, previousAgentType } = answer;
  return JSON.stringify([ids, code, message, handoffCreated, previousAgentType]);
}
