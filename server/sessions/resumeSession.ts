import { InvalidStateError } from '../core/errors.ts';
import type { Work } from '../core/work.ts';
import { changeSession, type ChangeSessionInput } from './changeSession.ts';
import type { SessionAnswer } from './createSession.ts';

/** The holder goes on. Rule 2: a Session that nobody holds cannot run. */
export const resumeSession = (work: Work, input: ChangeSessionInput): Promise<SessionAnswer> =>
  changeSession(work, input, 'RUNNING', (custody) => {
    if (custody.holder === null) {
      throw new InvalidStateError('Nobody holds the session: give it to an agent instead (reassignSession)', 'PAUSED', ['PAUSED']);
    }
    if (custody.openTenure?.state === 'PAUSED') custody.setTenureState(custody.openTenure, 'ACTIVE');
    custody.setStatus('RUNNING');
    custody.recordCustody('SESSION_STATUS_CHANGED');
  });
