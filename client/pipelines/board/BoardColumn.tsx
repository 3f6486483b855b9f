import { useEffect, useEffectEvent, useId, useMemo, useState, useTransition } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../gql/gql.ts';
import { readFragment } from '../../gql/index.ts';
import type { SessionFilter } from '../../gql/graphql.ts';
import { RequestError } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { LoadMore } from '../../ui/LoadMore.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Count } from '../../ui/Tabs.tsx';
import { useAgain } from '../../ui/useAgain.ts';
import styles from './Board.module.css';
import { BoardCard } from './BoardCard.tsx';
import { BoardCardDocument, cardsIn, filterOf, type Card, type Column } from './card.ts';
import type { Moved } from './useMoved.ts';
import type { BoardView } from './view.ts';

const pageSize = 25;

const BoardColumnDocument = graphql(`
  query BoardColumn($where: SessionFilter!, $direction: OrderDirection!, $first: Int!, $after: String) {
    sessions(where: $where, orderBy: { field: CREATED_AT, direction: $direction }, first: $first, after: $after) {
      nodes {
        id
        ...BoardCard
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const BoardCountDocument = graphql(`
  query BoardCount($where: SessionFilter!) {
    sessions(where: $where, first: 0) {
      totalCount
    }
  }
`);

export interface BoardColumnProps {
  view: BoardView;
  column: Column;
  /** The role of the stage, or where it comes from. */
  note?: string | undefined;
  moved: Moved;
  /** Not shown while it is empty. */
  hiddenWhenEmpty?: boolean;
  /** Shows the count, and the cards on request. */
  folds?: boolean;
}

interface PageRead {
  cards: Card[];
  hasMore: boolean;
}

/** The Sessions of a column, page by page, and those that moved there since. */
export function BoardColumn({ view, column, note, moved, hiddenWhenEmpty = false, folds = false }: BoardColumnProps) {
  const heading = useId();
  const [isOpen, setOpen] = useState(!folds);
  const [pages, setPages] = useState(1);
  const [adding, startAdding] = useTransition();
  const [read, setRead] = useState<readonly PageRead[]>([]);
  const where = useMemo(() => filterOf(view, column), [view, column]);
  const onRead = (index: number, page: PageRead) => {
    moved.note(page.cards);
    setRead((before) => [...before.slice(0, index), page, ...(page.hasMore ? before.slice(index + 1, pages) : [])]);
  };
  const cards = cardsIn(
    view,
    column,
    read.flatMap((page) => page.cards),
    moved.cards.values(),
  );
  const hasMore = read.at(-1)?.hasMore ?? true;
  const isRead = read.length > 0;
  // With all pages read the cards are the count.
  const total = useTotal(
    where,
    !isOpen || (isRead && hasMore) ? moved.moments[column === 'finished' ? 'finished' : 'stages'] : undefined,
  );
  const count = isOpen && !hasMore ? cards.length : total;
  const name = column === 'finished' ? 'Finished' : column.stage;
  const readPages = isOpen && (
    <Pages
      where={where}
      direction={column === 'finished' ? 'DESC' : 'ASC'}
      index={0}
      after={null}
      pages={pages}
      onRead={onRead}
    />
  );
  if (hiddenWhenEmpty && isRead && cards.length === 0) return <>{readPages}</>;
  return (
    <section className={styles.column} aria-labelledby={heading} data-column={name} data-folds={folds}>
      <h2 id={heading} className={styles.heading}>
        {folds ? (
          <button type="button" className={styles.fold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Icon name="chevron" size={14} /> {name} <Count of={count} />
          </button>
        ) : (
          <>
            <span className={styles.name} title={name}>
              {name}
            </span>{' '}
            <Count of={count} />
          </>
        )}
        {note !== undefined && <span className={styles.note}>{note}</span>}
      </h2>
      {readPages}
      {isOpen && (
        <div className={styles.scroller}>
          <ol role="list" className={styles.cards}>
            {cards.map((card) => (
              <BoardCard key={card.id} card={card} />
            ))}
          </ol>
          {!isRead && <SkeletonRows rows={2} height="5rem" label={`Loading ${name}`} />}
          {isRead && cards.length === 0 && !hasMore && <p className={styles.empty}>No session</p>}
          {isRead && hasMore && (
            <LoadMore
              shown={cards.length}
              total={total}
              hasMore
              loading={adding || read.length < pages}
              noun="sessions"
              onMore={() => startAdding(() => setPages(read.length + 1))}
            />
          )}
        </div>
      )}
    </section>
  );
}

/** The server's count, read again at each moment; without a moment it is not needed. */
function useTotal(where: SessionFilter, moment: number | undefined): number | undefined {
  const [{ data }, ask] = useQuery({
    query: BoardCountDocument,
    variables: { where },
    pause: moment === undefined,
    requestPolicy: 'cache-and-network',
  });
  useAgain(ask, moment);
  return data?.sessions.totalCount;
}

interface PagesProps {
  where: SessionFilter;
  direction: 'ASC' | 'DESC';
  index: number;
  after: string | null;
  /** The number of pages to read, including this one. */
  pages: number;
  onRead: (index: number, page: PageRead) => void;
}

/** Reads a page, then the next one. Shows only what failed. */
function Pages({ where, direction, index, after, pages, onRead }: PagesProps) {
  const [{ data, error }, ask] = useQuery({
    query: BoardColumnDocument,
    variables: { where, direction, first: pageSize, after },
    requestPolicy: after === null ? 'cache-and-network' : 'cache-first',
  });
  const tell = useEffectEvent(onRead);
  useEffect(() => {
    if (data)
      tell(index, {
        cards: data.sessions.nodes.map((node) => readFragment(BoardCardDocument, node)),
        hasMore: data.sessions.pageInfo.hasNextPage,
      });
  }, [index, data]);
  const { hasNextPage = false, endCursor = null } = data?.sessions.pageInfo ?? {};
  return (
    <>
      {error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
      {pages > 1 && hasNextPage && (
        <Pages
          where={where}
          direction={direction}
          index={index + 1}
          after={endCursor}
          pages={pages - 1}
          onRead={onRead}
        />
      )}
    </>
  );
}
