import type { Work } from '../core/work.ts';
import { changeSession, type ChangeSessionInput } from './changeSession.ts';
import type { SessionAnswer } from './createSession.ts';

/** The holder keeps the Session and stops working on it. A tenure that waits to be accepted stays PENDING (rule: accept). */
export const pauseSession = (work: Work, input: ChangeSessionInput): Promise<SessionAnswer> =>
  changeSession(work, input, 'PAUSED', (custody) => {
    if (custody.openTenure?.state === 'ACTIVE') custody.setTenureState(custody.openTenure, 'PAUSED');
    custody.setStatus('PAUSED');
    custody.recordCustody('SESSION_STATUS_CHANGED');
  });
