import { lazy, Suspense, useMemo, useState, useTransition, type CSSProperties } from 'react';
import { withBox } from '../acts/SelectBox.tsx';
import { useSelection } from '../acts/useSelection.ts';
import { useDensity, useShown } from '../density/store.ts';
import type { Known } from './counts.ts';
import { toFilter, type View } from './filters.ts';
import { newsText, useNews } from './news.ts';
import styles from './SessionList.module.css';
import { SessionListPage, type SessionPage } from './SessionListPage.tsx';
import { sessionColumns } from './SessionRow.tsx';
import rowStyles from './SessionRow.module.css';

const SessionsBar = lazy(() => import('./acts/SessionsBar.tsx'));

export interface SessionListProps {
  view: View;
  /** Receives every session that is read. */
  known: Known;
  onReassign: ((sessionId: string) => void) | undefined;
  /** The viewer may act on many at once. */
  maySelect: boolean;
  /** The viewer wants to load new sessions. */
  onRenew: () => void;
}

/**
 * The matching sessions, newest first, page by page. One that no longer matches stays until the list is read again, so that
 * nothing moves under the pointer. Needs a new key for a new view.
 */
export function SessionList({ view, known, onReassign, maySelect, onRenew }: SessionListProps) {
  const [pages, setPages] = useState(1);
  const [adding, startAdding] = useTransition();
  const filter = useMemo(() => toFilter(view), [view]);
  const columns = useShown(sessionColumns);
  const density = useDensity();
  const { news, left, note } = useNews(view);
  const selection = useSelection();
  /** The sessions of the pages that were read. */
  const [listed] = useState(() => new Map<string, { title: string }>());
  const read = (after: string | null, page: SessionPage) => {
    note(after, page);
    for (const session of page.nodes) {
      listed.set(session.id, session);
      if (!known.has(session.id)) known.set(session.id, session);
    }
  };
  return (
    <>
      <div
        className={`card ${styles.list}`}
        data-density={density}
        style={{ '--columns': templateOf(columns) } as CSSProperties}
      >
        <div className={maySelect ? `${rowStyles.head} ${withBox}` : rowStyles.head} aria-hidden="true">
          <span>Session</span>
          {columns.map((name) => (
            <span key={name}>{name}</span>
          ))}
        </div>
        <div className={styles.news} role="status">
          {news + left > 0 && (
            <button type="button" className="button primary small" onClick={onRenew}>
              {newsText(news, left)}
            </button>
          )}
        </div>
        <div role="list" aria-label="Sessions">
          <SessionListPage
            view={view}
            columns={columns}
            filter={filter}
            after={null}
            before={0}
            pages={pages}
            total={undefined}
            adding={adding}
            onMore={() => startAdding(() => setPages((count) => count + 1))}
            onRead={read}
            onReassign={onReassign}
            selection={maySelect ? selection : undefined}
          />
        </div>
      </div>
      <Suspense>{selection.ids.size > 0 && <SessionsBar selection={selection} shown={listed} />}</Suspense>
    </>
  );
}

const widths: Record<string, string> = {
  Status: '[status] 8.5rem',
  Agent: '[agent] 11rem',
  'Last handoff': '[handoff] var(--handoff)',
  Priority: '[priority] 5rem',
  Project: '[project] 8rem',
};

/** The columns of the grid: the title gets what is left. */
const templateOf = (columns: readonly string[]): string =>
  ['[title] minmax(0, 1fr)', ...columns.map((name) => widths[name]), '[action] 7.5rem'].join(' ');
