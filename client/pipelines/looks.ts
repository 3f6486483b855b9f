import { situationLooks } from '../sessions/looks.ts';
import type { Look } from '../ui/Badge.tsx';

/** The states of a stage; the last two are those of a Session that ended in it before the end of the pipeline. */
export type StageLook = 'WAITING' | 'QUEUED' | 'ACTIVE' | 'DONE' | 'SENT_BACK' | 'FAILED' | 'CANCELLED';

export const stageLooks: Record<StageLook, Look> = {
  WAITING: { tone: 'calm', icon: 'dash', word: 'Not reached' },
  QUEUED: situationLooks.QUEUED,
  ACTIVE: { tone: 'info', icon: 'live', word: 'Active' },
  DONE: { tone: 'good', icon: 'check', word: 'Done' },
  SENT_BACK: { tone: 'bad', icon: 'back', word: 'Sent back' },
  FAILED: { tone: 'bad', icon: 'cross', word: 'Failed here' },
  CANCELLED: { tone: 'calm', icon: 'ban', word: 'Cancelled here' },
};
