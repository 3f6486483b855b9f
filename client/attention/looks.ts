import type { AttentionKind } from '../gql/graphql.ts';
import { situationLooks } from '../sessions/looks.ts';
import type { Look } from '../ui/Badge.tsx';

/** Where a kind is a situation of a session it looks the same. */
export const attentionLooks: Record<AttentionKind, Look> = {
  NOT_ACCEPTED: situationLooks.WAITING_FOR_ACCEPTANCE,
  WITHOUT_HOLDER: situationLooks.WITHOUT_HOLDER,
  LIMIT_REACHED: situationLooks.LIMIT_REACHED,
  HANDOFF_LOOP: { tone: 'bad', icon: 'back', word: 'Handoff refused' },
  WAITING_FOR_PERSON: situationLooks.WAITING_FOR_PERSON,
  HOLDER_AWAY: { tone: 'wait', icon: 'bot', word: 'Agent away' },
  SILENT: situationLooks.SILENT,
  QUEUE: situationLooks.QUEUED,
  WEBHOOK: { tone: 'bad', icon: 'live', word: 'Webhook fails' },
};

export const attentionKinds = Object.keys(attentionLooks) as AttentionKind[];
