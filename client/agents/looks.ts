import type { AgentStatus } from '../gql/graphql.ts';
import type { Look } from '../ui/Badge.tsx';

export const agentLooks: Record<AgentStatus, Look> = {
  AVAILABLE: { tone: 'good', icon: 'check', word: 'Available' },
  BUSY: { tone: 'wait', icon: 'hourglass', word: 'Busy' },
  DRAINING: { tone: 'violet', icon: 'clock', word: 'Draining' },
  OFFLINE: { tone: 'calm', icon: 'ban', word: 'Offline' },
};
