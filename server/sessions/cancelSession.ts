import type { Work } from '../core/work.ts';
import { changeSession, type ChangeSessionInput } from './changeSession.ts';
import type { SessionAnswer } from './createSession.ts';
import { endSession } from './endSession.ts';

/** An operator no longer wants the work done. */
export const cancelSession = (work: Work, input: ChangeSessionInput & { reason: string | null }): Promise<SessionAnswer> =>
  changeSession(work, input, 'CANCELLED', (custody) => endSession(custody, { status: 'CANCELLED', endReason: input.reason }));
