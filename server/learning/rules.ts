import { handoffTransitions, isOpenHandoff } from '../custody/rules.ts';
import type { HandoffStatus } from '../generated/prisma/client.ts';

export const statuses = Object.keys(handoffTransitions) as HandoffStatus[];

/** Number of Handoffs of an edge by outcome: a status, or BOUNCED_BACK. */
export type Outcomes = Partial<Record<HandoffStatus | 'BOUNCED_BACK', number>>;

/** How many Handoffs of an edge are closed, and how many of them completed. */
export function closedOf(outcomes: Outcomes): { closed: number; completed: number } {
  const closed = statuses.filter((status) => !isOpenHandoff(status)).reduce((sum, status) => sum + (outcomes[status] ?? 0), 0);
  return { closed, completed: outcomes.COMPLETED ?? 0 };
}
