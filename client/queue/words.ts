import { agingMs } from '../../server/work/queue/rules.ts';
import type { SessionPriority } from '../gql/graphql.ts';
import { situationLooks } from '../sessions/looks.ts';
import type { Look } from '../ui/Badge.tsx';

export const priorityWords: Record<SessionPriority, string> = {
  URGENT: 'Urgent',
  HIGH: 'High',
  NORMAL: 'Normal',
  LOW: 'Low',
};

export const orderText = `Order: by priority, raised by one level for every ${agingMs / 60_000} minutes of waiting, and for a return; then by time.`;

interface Waiting {
  queuedSince: string;
  /** True when no source could take it back: it counts one level more. */
  returned: boolean;
}

/** "+1.5 levels by waiting"; null below a tenth of a level. */
export function raisedText({ queuedSince, returned }: Waiting, now: number): string | null {
  const levels = Math.floor(((now - Date.parse(queuedSince)) / agingMs + (returned ? 1 : 0)) * 10) / 10;
  return levels < 0.1
    ? null
    : `+${levels.toLocaleString('en')} ${levels === 1 ? 'level' : 'levels'} ${returned ? 'as a return, and by waiting' : 'by waiting'}`;
}

/** "an agent with the role reviewer, of type CLAUDE". */
export function wantedText({
  role,
  agentType,
  escalated,
}: {
  role?: string | null;
  agentType?: string | null;
  escalated: boolean;
}): string {
  if (escalated) return 'an operator, who chooses its agent';
  if (role == null && agentType == null) return 'any agent';
  return `an agent${role == null ? '' : ` with the role ${role}`}${agentType == null ? '' : `${role == null ? '' : ','} of type ${agentType}`}`;
}

/** Why an entry has no place; null when it has one. */
export function withoutPlace({ suspended, escalated }: { suspended: boolean; escalated: boolean }): Look | null {
  if (escalated) return situationLooks.WITHOUT_HOLDER;
  return suspended ? situationLooks.PAUSED : null;
}
