import { useRef, useState } from 'react';
import { useLiveEvents } from '../live/events.ts';
import { fits, hasLeft, type Facets, type View } from './filters.ts';

interface Page {
  nodes: readonly ({ id: string; createdAt: string; lastActivityAt: string } & Facets)[];
  pageInfo: { hasNextPage: boolean };
}

/**
 * The number of sessions that have entered and left the view since it was read; `note` registers each page by its cursor.
 * The list itself does not change, so that nothing moves while reading.
 */
export function useNews(view: View): { news: number; left: number; note: (after: string | null, page: Page) => void } {
  const listed = useRef(new Set<string>());
  const placeOf = ({ createdAt, lastActivityAt }: { createdAt: string; lastActivityAt: string }): string =>
    view.byActivity ? lastActivityAt : createdAt;
  // The time of the last session read, in the order of the list: older ones may match but are not loaded.
  const until = useRef('\uffff');
  const [news, setNews] = useState<ReadonlySet<string>>(() => new Set());
  const [left, setLeft] = useState<ReadonlyMap<string | null, number>>(() => new Map());

  useLiveEvents(({ session }) => {
    if (session === null || listed.current.has(session.id)) return;
    const isNews = placeOf(session) >= until.current && fits(view, session);
    setNews((now) => {
      if (isNews === now.has(session.id)) return now;
      const next = new Set(now);
      if (isNews) next.add(session.id);
      else next.delete(session.id);
      return next;
    });
  });

  const note = (after: string | null, { nodes, pageInfo }: Page): void => {
    for (const { id } of nodes) listed.current.add(id);
    // Pages may be registered again in any order.
    const end = nodes.at(-1);
    const last = pageInfo.hasNextPage && end !== undefined ? placeOf(end) : '';
    if (last < until.current) until.current = last;
    setNews((now) =>
      nodes.some(({ id }) => now.has(id)) ? new Set([...now].filter((id) => !listed.current.has(id))) : now,
    );
    const gone = nodes.filter((session) => hasLeft(view, session)).length;
    setLeft((now) => (gone === (now.get(after) ?? 0) ? now : new Map(now).set(after, gone)));
  };
  return { news: news.size, left: [...left.values()].reduce((sum, count) => sum + count, 0), note };
}

/** "2 new sessions, 1 no longer matches". */
export function newsText(news: number, left: number): string {
  const parts = [
    ...(news > 0 ? [news === 1 ? '1 new session' : `${news} new sessions`] : []),
    ...(left > 0 ? [left === 1 ? '1 no longer matches' : `${left} no longer match`] : []),
  ];
  return parts.join(', ');
}
