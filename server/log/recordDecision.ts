import type { Work } from '../core/work.ts';
import { Custody } from '../custody/custody.ts';
import { demandAct, demandOpen, lockSession } from '../custody/demand.ts';

export interface DecisionAnswer {
  decisionId: string;
  sessionId: string;
}

/** Keeps a decision for whoever works on the Session next. It is the holder's, if the holder has taken over. */
export async function recordDecision(work: Work, input: { sessionId: string; text: string }): Promise<DecisionAnswer> {
  await lockSession(work, input.sessionId);
  const custody = await Custody.of(work, input.sessionId, { holder: false });
  const earlier = await work.earlierAnswer<DecisionAnswer>();
  if (earlier !== null) return earlier;
  demandAct(custody, 'work');
  demandOpen(custody);
  const decisionId = work.newId();
  work.insert('decisions', {
    id: decisionId,
    sessionId: input.sessionId,
    agentSessionId: custody.takenTenure?.id ?? null,
    text: input.text,
    recordedAt: work.now,
  });
  custody.recordLog('LOG_CHANGED');
  return { decisionId, sessionId: input.sessionId };
}
