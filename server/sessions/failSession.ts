import type { Work } from '../core/work.ts';
import { changeSession, type ChangeSessionInput } from './changeSession.ts';
import type { SessionAnswer } from './createSession.ts';
import { endSession } from './endSession.ts';

/** The work cannot be done. An accepted Handoff fails with it. */
export const failSession = (work: Work, input: ChangeSessionInput & { reason: string }): Promise<SessionAnswer> =>
  changeSession(work, input, 'FAILED', (custody) => endSession(custody, { status: 'FAILED', endReason: input.reason }));
