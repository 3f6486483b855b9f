import { useRef, useState } from 'react';
import { useLiveEvents } from '../live/events.ts';
import { fits, type View } from './filters.ts';

interface Page {
  nodes: readonly { id: string; createdAt: string }[];
  pageInfo: { hasNextPage: boolean };
}

/**
 * How many sessions have come into the view since it was read; `note` is told of each page. They are not put in by
 * themselves: nothing moves while one reads.
 */
export function useNews(view: View): { news: number; note: (page: Page) => void } {
  const listed = useRef(new Set<string>());
  // When the last one that was read was created: older ones may be in the view, but are not loaded.
  const until = useRef('\uffff');
  const [news, setNews] = useState<ReadonlySet<string>>(() => new Set());

  useLiveEvents(({ session }) => {
    if (session === null || listed.current.has(session.id)) return;
    const isNews = session.createdAt >= until.current && fits(view, session);
    setNews((now) => {
      if (isNews === now.has(session.id)) return now;
      const next = new Set(now);
      if (isNews) next.add(session.id);
      else next.delete(session.id);
      return next;
    });
  });

  const note = ({ nodes, pageInfo }: Page): void => {
    for (const { id } of nodes) listed.current.add(id);
    // Pages may be noted again in any order.
    const last = pageInfo.hasNextPage ? (nodes.at(-1)?.createdAt ?? '') : '';
    if (last < until.current) until.current = last;
    setNews((now) => (nodes.some(({ id }) => now.has(id)) ? new Set([...now].filter((id) => !listed.current.has(id))) : now));
  };
  return { news: news.size, note };
}
