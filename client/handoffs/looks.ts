import type { HandoffStatus } from '../gql/graphql.ts';
import type { Look } from '../ui/Badge.tsx';

export const handoffLooks: Record<HandoffStatus, Look> = {
  PROPOSED: { tone: 'violet', icon: 'user', word: 'To be approved' },
  INITIATED: { tone: 'wait', icon: 'hourglass', word: 'Waiting' },
  ACCEPTED: { tone: 'info', icon: 'check', word: 'Accepted' },
  COMPLETED: { tone: 'good', icon: 'doubleCheck', word: 'Taken over' },
  REJECTED: { tone: 'bad', icon: 'back', word: 'Rejected' },
  FAILED: { tone: 'bad', icon: 'cross', word: 'Failed' },
  TIMED_OUT: { tone: 'violet', icon: 'clock', word: 'Timed out' },
  CANCELLED: { tone: 'calm', icon: 'ban', word: 'Cancelled' },
  DECLINED: { tone: 'bad', icon: 'cross', word: 'Declined' },
};
