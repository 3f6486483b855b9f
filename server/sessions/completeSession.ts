import type { Work } from '../core/work.ts';
import { changeSession, type ChangeSessionInput } from './changeSession.ts';
import type { SessionAnswer } from './createSession.ts';
import { endSession } from './endSession.ts';

export interface CompleteSessionInput extends ChangeSessionInput {
  result: unknown;
  summary: string | null;
}

/** The work is done. */
export const completeSession = (work: Work, input: CompleteSessionInput): Promise<SessionAnswer> =>
  changeSession(work, input, 'COMPLETED', (custody) => endSession(custody, { status: 'COMPLETED', result: input.result ?? null, summary: input.summary }));
