import type { SessionSituation } from '../gql/graphql.ts';
import type { Look } from '../ui/Badge.tsx';

/** In the order of the tabs. */
export const situationLooks: Record<SessionSituation, Look> = {
  WORKING: { tone: 'info', icon: 'play', word: 'Working' },
  SILENT: { tone: 'wait', icon: 'moon', word: 'Silent' },
  WAITING_FOR_ACCEPTANCE: { tone: 'wait', icon: 'hourglass', word: 'Not accepted' },
  WAITING_FOR_PERSON: { tone: 'bad', icon: 'bulb', word: 'Needs a person' },
  QUEUED: { tone: 'violet', icon: 'list', word: 'Queued' },
  LIMIT_REACHED: { tone: 'bad', icon: 'alert', word: 'Limit reached' },
  WITHOUT_HOLDER: { tone: 'bad', icon: 'user', word: 'No holder' },
  PAUSED: { tone: 'wait', icon: 'pause', word: 'Paused' },
  COMPLETED: { tone: 'good', icon: 'check', word: 'Completed' },
  FAILED: { tone: 'bad', icon: 'cross', word: 'Failed' },
  CANCELLED: { tone: 'calm', icon: 'ban', word: 'Cancelled' },
};

export const situations = Object.keys(situationLooks) as SessionSituation[];
