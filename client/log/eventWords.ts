import { byWhom } from '../access/byWhom.ts';
import type { ApprovalDecision, EventType, HandoffStatus, Role, SessionStatus } from '../gql/graphql.ts';
import type { IconName } from '../ui/Icon.tsx';
import type { Look } from '../ui/Badge.tsx';

interface Change {
  type: EventType;
  sessionStatus?: SessionStatus | null;
  actor?: { role?: Role | null; name?: string | null } | null;
  handoff?: {
    status: HandoffStatus;
    targetAgent: { id: string };
    approval?: { decision?: ApprovalDecision | null } | null;
  } | null;
}

interface Words {
  tone: Look['tone'];
  icon: IconName;
  word: string;
  /** Who changed it, or why it moved; null when there is nothing to say. */
  by: string | null;
  /** Whether the agent that holds the session afterwards follows the word. */
  names: boolean;
}

const statuses: Record<SessionStatus, Pick<Words, 'tone' | 'icon' | 'word'>> = {
  RUNNING: { tone: 'info', icon: 'play', word: 'Resumed' },
  PAUSED: { tone: 'wait', icon: 'pause', word: 'Paused' },
  COMPLETED: { tone: 'good', icon: 'check', word: 'Completed' },
  FAILED: { tone: 'bad', icon: 'cross', word: 'Failed' },
  CANCELLED: { tone: 'calm', icon: 'ban', word: 'Cancelled' },
};

/** What a handoff came to, for the sentence after a return. */
const ends: Partial<Record<HandoffStatus, (target: string) => string>> = {
  REJECTED: (target) => `${target} rejected it`,
  FAILED: (target) => `the handoff to ${target} failed`,
  CANCELLED: (target) => `the handoff to ${target} was cancelled`,
  TIMED_OUT: (target) => `${target} did not accept in time`,
  DECLINED: (target) => `a person declined the handoff to ${target}`,
};

const asked = { tone: 'wait', icon: 'user', names: false } as const;

/** A proposal that nobody decided has no later entry. */
const becameText = (decision: ApprovalDecision | null | undefined): string =>
  decision === 'CANCELLED' ? ', then taken back or overtaken' : '';

/** How the log says that a session changed. */
export function changeOf({ type, sessionStatus, actor, handoff }: Change): Words {
  const ended = handoff ? (ends[handoff.status]?.(handoff.targetAgent.id) ?? null) : null;
  switch (type) {
    case 'SESSION_RETURNED':
      return { tone: 'wait', icon: 'back', word: 'Returned to', by: ended, names: true };
    case 'SESSION_UNASSIGNED':
      return { tone: 'wait', icon: 'dash', word: 'Unassigned', by: ended, names: false };
    case 'SESSION_STUCK':
      return { tone: 'bad', icon: 'ban', word: 'May not be handed off: a limit is reached', by: null, names: false };
    case 'SESSION_QUEUED':
      return { tone: 'wait', icon: 'hourglass', word: 'Waits in the queue', by: null, names: false };
    case 'HANDOFF_PROPOSED_FOR_APPROVAL':
      return {
        ...asked,
        word: 'Proposed: a person has to approve',
        by: handoff ? `to ${handoff.targetAgent.id}${becameText(handoff.approval?.decision)}` : null,
      };
    case 'HANDOFF_APPROVED':
      return { tone: 'good', icon: 'check', word: 'Approved', by: byWhom(actor), names: false };
    case 'HANDOFF_DECLINED':
      return { tone: 'bad', icon: 'cross', word: 'Declined', by: byWhom(actor), names: false };
    case 'QUESTION_ASKED':
      return { ...asked, word: 'Asks a person', by: byWhom(actor) };
    case 'QUESTION_ANSWERED':
      return { tone: 'good', icon: 'check', word: 'Answered', by: byWhom(actor), names: false };
    case 'HANDOFF_TIMED_OUT':
      return {
        tone: 'bad',
        icon: 'hourglass',
        word: 'Timed out',
        by: handoff
          ? `the handoff to ${handoff.targetAgent.id} was not ${handoff.approval?.decision === 'TIMED_OUT' ? 'approved' : 'accepted'} in time`
          : null,
        names: false,
      };
    default: {
      return { ...statuses[sessionStatus ?? 'RUNNING'], by: byWhom(actor), names: false };
    }
  }
}
