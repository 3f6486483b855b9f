import type { SessionStatus } from '../gql/graphql.ts';
import type { Look } from '../ui/Badge.tsx';

export const sessionLooks: Record<SessionStatus, Look> = {
  RUNNING: { tone: 'info', icon: 'play', word: 'Running' },
  PAUSED: { tone: 'wait', icon: 'pause', word: 'Paused' },
  COMPLETED: { tone: 'good', icon: 'check', word: 'Completed' },
  FAILED: { tone: 'bad', icon: 'cross', word: 'Failed' },
  CANCELLED: { tone: 'calm', icon: 'ban', word: 'Cancelled' },
};
