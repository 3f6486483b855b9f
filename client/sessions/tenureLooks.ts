import type { AgentSessionState, SnapshotType } from '../gql/graphql.ts';
import type { Look } from '../ui/Badge.tsx';

export const tenureLooks: Record<AgentSessionState, Look> = {
  PENDING: { tone: 'wait', icon: 'hourglass', word: 'Not accepted yet' },
  ACTIVE: { tone: 'info', icon: 'play', word: 'Active' },
  PAUSED: { tone: 'wait', icon: 'pause', word: 'Paused' },
  HANDED_OFF: { tone: 'calm', icon: 'arrow', word: 'Handed off' },
  COMPLETED: { tone: 'good', icon: 'check', word: 'Completed' },
  FAILED: { tone: 'bad', icon: 'cross', word: 'Failed' },
  DECLINED: { tone: 'bad', icon: 'back', word: 'Declined' },
};

export const snapshotLooks: Record<SnapshotType, Look> = {
  SESSION_START: { tone: 'good', icon: 'play', word: 'Session received' },
  HANDOFF_INITIATED: { tone: 'route', icon: 'arrow', word: 'Handoff started' },
  TRUNCATION: { tone: 'wait', icon: 'alert', word: 'Context truncated' },
  CHECKPOINT: { tone: 'info', icon: 'task', word: 'Checkpoint' },
};
