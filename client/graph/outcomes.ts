import { graphql } from '../gql/gql.ts';
import type { HandoffStatus } from '../gql/graphql.ts';
import { formatDuration } from '../ui/time.ts';
import type { Tone } from '../ui/Badge.tsx';
import type { IconName } from '../ui/Icon.tsx';

export const PathFragment = graphql(`
  fragment Path on HandoffGraphEdge {
    source {
      id
    }
    target {
      id
    }
    count
    byStatus {
      status
      count
    }
    successRate
    bouncedBack
    medianAcceptMs
    p90AcceptMs
    medianCompleteMs
  }
`);

/** The handoffs from one agent to another. */
export interface Edge {
  source: { id: string };
  target: { id: string };
  count: number;
  byStatus: readonly { status: HandoffStatus; count: number }[];
  successRate?: number | null;
  bouncedBack: number;
  medianAcceptMs?: number | null;
  p90AcceptMs?: number | null;
  medianCompleteMs?: number | null;
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
export const mostly = (edge: Edge): Outcome =>
  outcomes.reduce((best, each) => (countOf(edge, each) > countOf(edge, best) ? each : best));

/** The shares of a pair's handoffs that were declined, timed out, or soon held by the source again; only those that occur. */
export function failuresOf({ byStatus, count, bouncedBack }: Edge): { icon: IconName; word: string; share: string }[] {
  const of = (status: HandoffStatus): number => byStatus.find((each) => each.status === status)?.count ?? 0;
  const kinds: { icon: IconName; word: string; times: number }[] = [
    { icon: 'cross', word: 'declined', times: of('REJECTED') },
    { icon: 'hourglass', word: 'timed out', times: of('TIMED_OUT') },
    { icon: 'back', word: 'soon back at the source', times: bouncedBack },
  ];
  return kinds
    .filter(({ times }) => times > 0)
    .map(({ times, ...kind }) => ({ ...kind, share: `${Math.max(1, Math.round((times / count) * 100))} %` }));
}

/** The reasons that were given most often, with how often. */
export function topReasons(
  given: readonly { what: string; why: string | null }[],
  most = 3,
): { what: string; why: string; times: number }[] {
  const found = new Map<string, { what: string; why: string; times: number }>();
  for (const { what, why } of given) {
    if (why === null) continue;
    const known = found.get(`${what} ${why}`) ?? { what, why, times: 0 };
    known.times += 1;
    found.set(`${what} ${why}`, known);
  }
  return [...found.values()].sort((one, other) => other.times - one.times).slice(0, most);
}

/** "83 %"; null while no handoff is closed. */
export const successText = (rate: number | null | undefined): string | null =>
  rate == null ? null : `${Math.floor(rate * 100)} %`;

/** Success and the median time until acceptance, as they stand below the number of a line; empty when neither is known. */
export const rateText = ({ successRate, medianAcceptMs }: Edge): string =>
  [successText(successRate), medianAcceptMs == null ? null : formatDuration(medianAcceptMs)]
    .filter((part) => part !== null)
    .join(' · ');

/** The same and more in words. */
export function wordsOfRates({
  successRate,
  bouncedBack,
  medianAcceptMs,
  p90AcceptMs,
  medianCompleteMs,
}: Edge): string {
  const parts = [
    successRate == null ? 'none closed' : `${successText(successRate)} of the closed ones completed`,
    bouncedBack > 0 && `${bouncedBack} soon back at the source`,
    medianAcceptMs != null &&
      p90AcceptMs != null &&
      `accepted after ${formatDuration(medianAcceptMs)} (median), 9 of 10 within ${formatDuration(p90AcceptMs)}`,
    medianCompleteMs != null && `completed after ${formatDuration(medianCompleteMs)} (median)`,
  ];
  return parts.filter(Boolean).join('; ');
}

export const countText = (count: number): string => (count === 1 ? '1 handoff' : `${count.toLocaleString()} handoffs`);

/** "10 taken over, 2 cancelled", and how well and fast they went. */
export const wordsOfPair = (edge: Edge): string => `${breakdown(edge)}. ${wordsOfRates(edge)}`;

const breakdown = (edge: Edge): string =>
  outcomes
    .map((outcome) => ({ word: outcome.word.toLowerCase(), count: countOf(edge, outcome) }))
    .filter(({ count }) => count > 0)
    .map(({ word, count }) => `${count} ${word}`)
    .join(', ');
