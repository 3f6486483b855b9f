import { statement } from '../../core/changes.ts';
import { InvalidStateError, NotFoundError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import type { Work } from '../../core/work.ts';
import type { ApprovalDecision, HandoffStatus } from '../../generated/prisma/client.ts';
import { Custody } from '../custody/custody.ts';
import { demandAct } from '../custody/demand.ts';
import { byOthers } from './notices.ts';

export interface NoticeAnswer {
  sessionId: string;
}

interface Noticed {
  sessionId: string;
  agentId: string | null;
  /** Of the Handoff; null for a question. */
  status: HandoffStatus | null;
  /** Whether it moved the Session. */
  moved: boolean;
  approvalId: string | null;
  decision: ApprovalDecision | null;
  /** Whether somebody else than the agent ended it without a decision, while the agent holds the Session. */
  ended: boolean;
  toldAt: Date | null;
}

const find =
  statement(`SELECT coalesce(h.session_id, p.session_id) AS "sessionId", coalesce(h.source_agent_id, p.agent_id) AS "agentId",
    h.status, h.target_agent_session_id IS NOT NULL AS moved, p.id AS "approvalId", p.decision, coalesce(${byOthers('p')} AND s.agent_id = p.agent_id AND s.last_agent_session_id = p.agent_session_id, false) AS ended, p.told_at AS "toldAt"
  FROM (SELECT $1::uuid AS id) n LEFT JOIN handoffs h ON h.id = n.id LEFT JOIN approvals p ON p.id = n.id
  LEFT JOIN sessions s ON s.id = p.session_id WHERE coalesce(h.id, p.id) IS NOT NULL`);

const cameBack: HandoffStatus[] = ['REJECTED', 'FAILED', 'TIMED_OUT', 'CANCELLED'];
const decided: ApprovalDecision[] = ['APPROVED', 'DECLINED', 'ANSWERED', 'TIMED_OUT'];

/** The agent, or an operator for it, records that it was told what was decided about its work (rule: notice). Keeps the first time. */
export async function confirmNotice(work: Work, { noticeId }: { noticeId: string }): Promise<NoticeAnswer> {
  await work.begin();
  const read = async (): Promise<Noticed | undefined> => (await work.query<Noticed>(find, [noticeId]))[0];
  const found = await read();
  const noun = found === undefined || found.status !== null ? 'handoff' : 'question';
  if (found === undefined || !(await work.lockSession(found.sessionId)))
    throw new NotFoundError(noun, encodeId(noun, noticeId));
  const { sessionId } = found;
  const custody = await Custody.of(work, sessionId);
  const { agentId, status, moved, approvalId, decision, ended, toldAt } = (await read())!;
  demandAct(custody, 'hear', { sourceAgentId: agentId });
  if (moved && status !== null && cameBack.includes(status)) {
    // Of an earlier Handoff nothing is left to tell.
    const handoff = custody.handoff?.id === noticeId ? custody.handoff : null;
    if (handoff?.returnToldAt === null) work.change('handoffs', handoff, { returnToldAt: work.now });
  } else if (approvalId !== null && decision !== null && (ended || decided.includes(decision))) {
    if (toldAt === null) work.change('approvals', { id: approvalId }, { toldAt: work.now });
  } else {
    const state = status ?? decision ?? 'ASKED';
    throw new InvalidStateError(
      status === null
        ? `The question is ${state}: there is no answer of which its agent could be told`
        : `The handoff is ${state}: it did not come back, and no person decided about it`,
      state,
      status === null ? ['ANSWERED'] : [...cameBack, 'DECLINED'],
    );
  }
  return { sessionId };
}
