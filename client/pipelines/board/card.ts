import { graphql } from '../../gql/gql.ts';
import type { BoardCardFragment, SessionFilter, SessionStatus } from '../../gql/graphql.ts';
import type { BoardView } from './view.ts';

export const BoardCardDocument = graphql(`
  fragment BoardCard on Session {
    id
    title
    status
    situation
    createdAt
    priority
    agent {
      id
      type
    }
    lastHandoff {
      id
      ...HandoffBadge
    }
    pipeline {
      stage
      enteredAt
      queuedSince
      pipeline {
        id
        slug
        version
      }
    }
  }
`);

export type Card = BoardCardFragment;

/** A column: the open Sessions in a stage, or all finished ones. */
export type Column = { stage: string } | 'finished';

const open: SessionStatus[] = ['RUNNING', 'PAUSED'];
const finished: SessionStatus[] = ['COMPLETED', 'FAILED', 'CANCELLED'];

export const filterOf = ({ slug, version }: BoardView, column: Column): SessionFilter => ({
  pipeline: slug,
  ...(version !== null && { pipelineVersion: version }),
  ...(column === 'finished' ? { status: finished } : { status: open, stage: column.stage }),
});

/** The column of a Session; null when it is not on the board. */
export function columnOf(
  { slug, version }: BoardView,
  { status, pipeline }: Pick<Card, 'status' | 'pipeline'>,
): Column | null {
  if (pipeline?.pipeline.slug !== slug || (version !== null && pipeline.pipeline.version !== version)) return null;
  if (finished.includes(status)) return 'finished';
  return pipeline.stage == null ? null : { stage: pipeline.stage };
}

export const keyOf = (column: Column | null): string | null =>
  column === null || column === 'finished' ? column : `stage ${column.stage}`;

/**
 * The cards of a column: of what was read by pages and what moved since, that which is in it now. Stages show the oldest
 * Session first, and the finished ones the newest.
 */
export function cardsIn(view: BoardView, column: Column, read: Iterable<Card>, moved: Iterable<Card>): Card[] {
  const key = keyOf(column);
  // What was read by pages is current, for the cache updates it.
  const all = new Map([
    ...[...moved].map((card) => [card.id, card] as const),
    ...[...read].map((card) => [card.id, card] as const),
  ]);
  const direction = column === 'finished' ? -1 : 1;
  return [...all.values()]
    .filter((card) => keyOf(columnOf(view, card)) === key)
    .sort((one, other) => direction * (compare(one.createdAt, other.createdAt) || compare(one.id, other.id)));
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

interface Place {
  title: string;
  /** The column's key; null when the Session is not on the board. */
  key: string | null;
}

/** What happened, in words for screen readers; empty when nothing moved. */
export function movesText(moves: readonly { before: Place | undefined; now: Place }[]): string {
  const real = moves.filter(({ before, now }) => now.key !== (before?.key ?? null));
  if (real.length > 3) return `${real.length} sessions moved.`;
  return real.map(({ before, now }) => `${(before ?? now).title}: ${wordsOf(now.key)}.`).join(' ');
}

const wordsOf = (key: string | null): string =>
  key === null ? 'no longer on this board' : key === 'finished' ? 'finished' : `now in ${key.slice('stage '.length)}`;
