import type { AgentSessionState, SnapshotType } from '../gql/graphql.ts';
import type { Look } from '../ui/Badge.tsx';

export const tenureLooks: Record<AgentSessionState, Look> = {
  PENDING: { tone: 'wait', icon: 'hourglass', word: 'Has not accepted yet' },
  ACTIVE: { tone: 'info', icon: 'play', word: 'Works on it' },
  PAUSED: { tone: 'wait', icon: 'pause', word: 'Holds it, paused' },
  HANDED_OFF: { tone: 'calm', icon: 'arrow', word: 'Handed it off' },
  COMPLETED: { tone: 'good', icon: 'check', word: 'Held it at the end' },
  FAILED: { tone: 'bad', icon: 'cross', word: 'Failed' },
  DECLINED: { tone: 'bad', icon: 'back', word: 'Did not take it' },
};

export const snapshotLooks: Record<SnapshotType, Look> = {
  SESSION_START: { tone: 'good', icon: 'play', word: 'Tenure began' },
  HANDOFF_INITIATED: { tone: 'route', icon: 'arrow', word: 'Handoff started' },
  TRUNCATION: { tone: 'wait', icon: 'alert', word: 'Window was cut' },
  CHECKPOINT: { tone: 'info', icon: 'task', word: 'Checkpoint' },
};
