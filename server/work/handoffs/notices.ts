import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';
import { decodeId, encodeId } from '../../core/ids.ts';
import type { ApprovalDecision, HandoffStatus } from '../../generated/prisma/client.ts';
import { quoted } from '../context/neutralise.ts';
import { namesOfKeys } from '../keys/principals.ts';

/** What others decided about the work of an agent, in words for its model (rule: notice). */
export interface Notice {
  /** Of the Handoff, or of the question. */
  id: string;
  sessionId: string;
  workspaceId: string | null;
  /** CANCELLED: the Session goes on without an answer, or somebody else took the proposed Handoff back. Null: a Handoff came back. */
  decision: ApprovalDecision | null;
  text: string;
  toldAt: Date | null;
}

/** What was decided, as it is stored. */
interface Decided {
  id: string;
  sessionId: string;
  workspaceId: string | null;
  toldAt: Date | null;
  /** The holder of the Session. */
  holderId: string | null;
  /** Null: a Handoff came back. */
  decision: ApprovalDecision | null;
  /** Of the Handoff; null for a question. */
  status: HandoffStatus | null;
  targetAgentId: string | null;
  question: string | null;
  /** The reason, the note or the answer. */
  words: string | null;
  /** The fields of the Handoff that a person changed. */
  edited: string[] | null;
  /** Principal of the person that decided. */
  by: string | null;
}

/** After this time nobody waits for it any more. */
const toldWithinDays = 7;
const most = 20;

/** SQL: somebody else than the agent ended its question without an answer, or took its proposed Handoff back. The index `approvals_untold` has the same condition. */
export const byOthers = (approval: string): string =>
  `(${approval}.decision = 'CANCELLED' AND ${approval}.decided_role <> 'AGENT')`;

/**
 * A person's decisions while the agent holds the Session as it did, and an approval while that Handoff is the last one; and the last
 * Handoff, when somebody else took its proposal back, or when it came back to the agent, until the agent's next turn is recorded. Finished Sessions have none.
 */
const find = statement(`
  SELECT p.id, p.session_id AS "sessionId", s.workspace_id AS "workspaceId", p.told_at AS "toldAt", s.agent_id AS "holderId",
    p.decision, h.status, h.target_agent_id AS "targetAgentId", p.text AS question,
    CASE WHEN p.decision = 'CANCELLED' AND p.kind = 'HANDOFF' THEN h.cancel_reason ELSE p.note END AS words,
    ARRAY(SELECT edit->>'field' FROM jsonb_array_elements(p.edits) edit) AS edited, p.decided_principal AS by, p.decided_at AS at
  FROM approvals p JOIN sessions s ON s.id = p.session_id LEFT JOIN handoffs h ON h.id = p.handoff_id
  WHERE p.agent_id = $1 AND p.told_at IS NULL AND (p.decision IN ('APPROVED', 'DECLINED', 'ANSWERED', 'TIMED_OUT') OR ${byOthers('p')})
    AND p.decided_at > now() - interval '${toldWithinDays} days' AND ($2::uuid IS NULL OR s.id = $2) AND ($3::text IS NULL OR s.external_id = $3)
    AND s.status IN ('RUNNING', 'PAUSED')
    AND CASE p.decision WHEN 'APPROVED' THEN s.last_handoff_id = h.id AND h.status IN ('INITIATED', 'ACCEPTED', 'COMPLETED')
      WHEN 'CANCELLED' THEN s.last_agent_session_id = p.agent_session_id AND s.agent_id = p.agent_id AND (p.kind = 'QUESTION' OR s.last_handoff_id = h.id)
      ELSE s.last_agent_session_id = p.agent_session_id END
  UNION ALL
  SELECT h.id, s.id, s.workspace_id, h.return_told_at, s.agent_id, NULL, h.status, h.target_agent_id, NULL,
    coalesce(h.rejection_reason, h.failure_reason, h.cancel_reason), NULL, NULL, h.closed_at
  FROM sessions s JOIN handoffs h ON h.id = s.last_handoff_id
  WHERE s.agent_id = $1 AND s.status IN ('RUNNING', 'PAUSED') AND ($2::uuid IS NULL OR s.id = $2) AND ($3::text IS NULL OR s.external_id = $3)
    AND h.source_agent_id = $1 AND h.target_agent_session_id IS NOT NULL AND h.status IN ('REJECTED', 'FAILED', 'TIMED_OUT', 'CANCELLED')
    AND NOT EXISTS (SELECT FROM turns WHERE turns.agent_session_id = s.last_agent_session_id)
  ORDER BY at, id LIMIT ${most}`);

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** What an agent has to hear, the oldest first: of all its Sessions, or of one. */
export async function readNotices(
  pool: Pool,
  agentId: string,
  { sessionId, externalId }: { sessionId: string | null; externalId: string | null },
): Promise<Notice[]> {
  const { rows } = await pool.query<Decided>({ ...find, values: [agentId, sessionId, externalId] });
  const keys = rows.flatMap(({ by }) => keyOf(by) ?? []);
  const names = keys.length === 0 ? new Map<string, string>() : await namesOfKeys(pool, keys);
  return rows.map((decided) => ({
    id: encodeId(decided.question === null ? 'handoff' : 'question', decided.id),
    sessionId: encodeId('session', decided.sessionId),
    workspaceId: decided.workspaceId,
    decision: decided.decision,
    toldAt: decided.toldAt,
    text: textOf(decided, whoOf(names.get(keyOf(decided.by) ?? ''))),
  }));
}

const cameBack: Partial<Record<HandoffStatus, string>> = {
  REJECTED: 'was rejected',
  FAILED: 'failed',
  TIMED_OUT: 'was not accepted in time',
  CANCELLED: 'was cancelled',
};

const keyOf = (principal: string | null): string | null => {
  const id = principal === null ? null : decodeId(principal);
  return id?.prefix === 'key' ? id.uuid : null;
};

/** A person by the name of the key, without a stored key as such. */
const whoOf = (name: string | undefined): string =>
  name === undefined ? 'a person' : `the operator ${quoted(name, mostOfName)}`;

const [mostOfName, mostOfReason, mostOfQuestion] = [100, 4_000, 200];

function textOf(
  { id, sessionId, decision, status, targetAgentId, holderId, question, words, edited }: Decided,
  who: string,
): string {
  const session = encodeId('session', sessionId);
  if (question !== null && decision === 'CANCELLED')
    return `${capitalised(who)} resumed ${session} without an answer to your question ${quoted(question, mostOfQuestion)}: go on without one.`;
  if (question !== null)
    return `${capitalised(who)} answered your question ${quoted(question, mostOfQuestion)} in ${session}: ${quoted(words ?? '', mostOfReason)}.`;
  const handoff = `Your handoff ${encodeId('handoff', id)} to '${targetAgentId}'`;
  const said = (what: string): string =>
    words === null ? '' : ` The ${what}, recorded from others as data: ${quoted(words, mostOfReason)}.`;
  switch (decision) {
    case 'APPROVED':
      return `${handoff} was approved by ${who}${edited!.length === 0 ? '' : `, who changed ${edited!.join(', ')}`}: ${holderId === null ? '' : `'${holderId}' has ${session} now. `}You no longer hold ${holderId === null ? session : 'it'}: stop working on it.${said('note')}`;
    case 'DECLINED':
      return `${handoff} was declined by ${who}: you hold ${session} still.${said('reason')}`;
    case 'CANCELLED':
      return `${handoff} was taken back by ${who} before anybody approved it: you hold ${session} still.${said('reason')}`;
    case 'TIMED_OUT':
      return `${handoff} was approved by nobody in time: you hold ${session} still.`;
    default:
      return `${handoff} ${cameBack[status!]}: you hold ${session} again.${said('reason')}`;
  }
}
