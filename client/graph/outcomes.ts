import type { HandoffStatus } from '../gql/graphql.ts';
import type { Tone } from '../ui/Badge.tsx';

export interface Edge {
  source: { id: string };
  target: { id: string };
  count: number;
  byStatus: readonly { status: HandoffStatus; count: number }[];
  medianAcceptMs?: number | null;
}

/** The four groups of handoff outcomes. */
export const outcomes = [
  { name: 'taken', word: 'Taken over', tone: 'good', of: ['COMPLETED', 'ACCEPTED'] },
  { name: 'waits', word: 'Waiting', tone: 'wait', of: ['INITIATED'] },
  { name: 'declined', word: 'Rejected, failed or timed out', tone: 'bad', of: ['REJECTED', 'FAILED', 'TIMED_OUT'] },
  { name: 'cancelled', word: 'Cancelled', tone: 'calm', of: ['CANCELLED'] },
] satisfies { name: string; word: string; tone: Tone; of: HandoffStatus[] }[];

export type Outcome = (typeof outcomes)[number];

export const countOf = (edge: Edge, { of }: Outcome): number =>
  edge.byStatus.reduce((sum, { status, count }) => sum + ((of as HandoffStatus[]).includes(status) ? count : 0), 0);

/** The most frequent outcome; the first of equals. */
export const mostly = (edge: Edge): Outcome => outcomes.reduce((best, each) => (countOf(edge, each) > countOf(edge, best) ? each : best));
