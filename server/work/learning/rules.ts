import type { HandoffStatus } from '../../generated/prisma/client.ts';
import { handoffTransitions, isOpenHandoff } from '../custody/rules.ts';

const statuses = Object.keys(handoffTransitions) as HandoffStatus[];

/** Number of Handoffs of an edge by outcome: a status, or BOUNCED_BACK. */
export type Outcomes = Partial<Record<HandoffStatus | 'BOUNCED_BACK', number>>;

/** How many Handoffs of an edge are closed, and how many of them completed. */
export function closedOf(outcomes: Outcomes): { closed: number; completed: number } {
  const closed = statuses
    .filter((status) => !isOpenHandoff(status))
    .reduce((sum, status) => sum + (outcomes[status] ?? 0), 0);
  return { closed, completed: outcomes.COMPLETED ?? 0 };
}

export interface Rated {
  count: number;
  byStatus: { status: HandoffStatus; count: number }[];
  /** Completed of closed; null when none is closed. */
  successRate: number | null;
  bouncedBack: number;
}

export function rated(outcomes: Outcomes): Rated {
  const { closed, completed } = closedOf(outcomes);
  const byStatus = statuses.flatMap((status) =>
    outcomes[status] === undefined ? [] : [{ status, count: outcomes[status] }],
  );
  return {
    count: byStatus.reduce((sum, { count }) => sum + count, 0),
    byStatus,
    successRate: closed === 0 ? null : completed / closed,
    bouncedBack: outcomes.BOUNCED_BACK ?? 0,
  };
}
