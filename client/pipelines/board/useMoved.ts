import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useClient } from 'urql';
import { graphql } from '../../gql/gql.ts';
import type { EventType } from '../../gql/graphql.ts';
import { readFragment } from '../../gql/index.ts';
import { useLiveEvents, useMissed, useRereadOn } from '../../live/events.ts';
import { useLiveStatus } from '../../live/state.ts';
import { BoardCardDocument, columnOf, keyOf, movesText, type Card } from './card.ts';
import type { BoardView } from './view.ts';

const BoardMovedDocument = graphql(`
  query BoardMoved($ids: [ID!]!) {
    nodes(ids: $ids) {
      ... on Session {
        id
        ...BoardCard
      }
    }
  }
`);

/** The events after which a Session may be in another column, or new on the board. */
const moving: EventType[] = ['SESSION_STAGE_CHANGED', 'SESSION_STATUS_CHANGED', 'PIPELINE_COMPLETED'];
const mostIds = 50;
const mostKept = 2_000;
const none: ReadonlyMap<string, Card> = new Map();

export interface Moved {
  /** The Sessions that had an event since the board was opened, as they are now. */
  cards: ReadonlyMap<string, Card>;
  /** Each grows when counts may have changed: of the stages, and of the finished Sessions, which are many. */
  moments: { stages: number; finished: number };
  /** The last moves in words, for screen readers. */
  words: string;
  /** Grows when the columns have to be read again. */
  edition: number;
  /** Registers the Sessions that a column has read. */
  note: (cards: readonly Card[]) => void;
}

/**
 * Reads the Sessions that had an event again: those that move, and any that are on the board. One request holds up to 50, and
 * the next one waits for it, so an older answer never replaces a newer one. The answers are in the cache too, where the columns
 * have theirs from.
 */
export function useMoved(view: BoardView): Moved {
  const client = useClient();
  const [state, setState] = useState({ cards: none, moments: { stages: 0, finished: 0 }, words: '', edition: 0 });
  const known = useRef(new Map<string, { title: string; key: string | null }>());
  const due = useRef(new Set<string>());
  const reading = useRef(false);
  const left = useRef(false);
  /** The Session whose card had the focus when it was read again. */
  const carried = useRef<string | null>(null);

  const read = async (): Promise<void> => {
    if (reading.current) return;
    reading.current = true;
    while (due.current.size > 0 && !left.current) {
      const ids = [...due.current].slice(0, mostIds);
      for (const id of ids) due.current.delete(id);
      const focused = document.activeElement?.closest('[data-session]')?.getAttribute('data-session');
      const { data } = await client.query(BoardMovedDocument, { ids }, { requestPolicy: 'network-only' }).toPromise();
      if (!data) {
        // They are read with the next event, or when the stream is live again.
        for (const id of ids) due.current.add(id);
        break;
      }
      carried.current = focused ?? null;
      take(
        data.nodes.flatMap((node) => (node?.__typename === 'Session' ? [readFragment(BoardCardDocument, node)] : [])),
      );
    }
    reading.current = false;
  };
  const take = (cards: Card[]): void => {
    const moves = cards.map((card) => ({
      id: card.id,
      before: known.current.get(card.id),
      now: { title: card.title, key: keyOf(columnOf(view, card)) },
    }));
    if (moves.every(({ before, now }) => before === undefined && now.key === null)) return;
    for (const { id, now } of moves) {
      if (now.key === null) known.current.delete(id);
      else known.current.set(id, now);
    }
    const words = movesText(moves);
    const ended = moves.some(({ before, now }) => (now.key === 'finished') !== (before?.key === 'finished'));
    setState(({ cards: kept, moments: { stages, finished }, edition, words: last }) => {
      const all = new Map(kept);
      for (const card of cards) {
        if (columnOf(view, card) === null) all.delete(card.id);
        else all.set(card.id, card);
      }
      const next = {
        moments: { stages: stages + 1, finished: finished + Number(ended) },
        words: words === '' ? last : words,
      };
      return all.size > mostKept ? { ...next, cards: none, edition: edition + 1 } : { ...next, cards: all, edition };
    });
  };

  // Once the columns have drawn the move, however long that takes.
  useEffect(() => {
    const id = carried.current;
    carried.current = null;
    if (id !== null) requestAnimationFrame(() => keepFocus(id));
  }, [state]);

  const { state: stream } = useLiveStatus();
  const readLeft = useEffectEvent(() => void read());
  useEffect(() => {
    if (stream === 'live') readLeft();
  }, [stream]);
  useEffect(() => {
    left.current = false;
    return () => {
      left.current = true;
    };
  }, []);
  useLiveEvents(({ type, session }) => {
    if (session !== null && (moving.includes(type) || known.current.has(session.id))) due.current.add(session.id);
  });
  useRereadOn(
    () => due.current.size > 0,
    () => void read(),
    1_000,
  );
  // The columns and their counts are read again then.
  useMissed(() => setState((before) => ({ ...before, cards: none })));
  return {
    ...state,
    note: (cards) => {
      // A column may have a moved card before it is taken here: that is still to be told.
      for (const card of cards)
        if (!known.current.has(card.id))
          known.current.set(card.id, { title: card.title, key: keyOf(columnOf(view, card)) });
    },
  };
}

/** A card that moves takes the focus with it. */
function keepFocus(id: string): void {
  if (document.activeElement === document.body)
    document.querySelector<HTMLElement>(`[data-session="${id}"] a`)?.focus({ preventScroll: true });
}
