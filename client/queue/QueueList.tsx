import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useQuery } from 'urql';
import type { Columns } from '../density/density.ts';
import { graphql } from '../gql/gql.ts';
import type { QueueFilter } from '../gql/graphql.ts';
import { useRereadOn } from '../live/events.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ListTable, TablePage } from '../ui/ListTable.tsx';
import { useAgain } from '../ui/useAgain.ts';
import styles from './QueuePage.module.css';
import { QueueRow } from './QueueRow.tsx';

const QueueQuery = graphql(`
  query Queue($where: QueueFilter!, $after: String, $count: Boolean!) {
    queue(where: $where, first: 25, after: $after) {
      nodes {
        session {
          id
        }
        ...QueueRow
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount @include(if: $count)
    }
  }
`);

const columns = ['Place', 'Session', 'Waits for', 'Priority', 'Since'];
export const queueColumns: Columns = { list: 'queue', names: ['Place', 'Waits for', 'Priority', 'Since'] };

/** The matching entries, in the order of their turns. Needs a new key for a new filter. */
export function QueueList({ filter }: { filter: QueueFilter }) {
  const [pages, setPages] = useState(1);
  // Each page is read again when it changes, so that places and page borders fit each other.
  const [edition, setEdition] = useState(0);
  const listed = useRef(new Map<string | null, ReadonlySet<string>>());
  useRereadOn(
    ({ type, session }) =>
      type === 'SESSION_QUEUED' ||
      (session !== null && [...listed.current.values()].some((ids) => ids.has(session.id))),
    () => setEdition((now) => now + 1),
  );
  return (
    <ListTable label="Waiting sessions" columns={columns} className={styles.table} choice={queueColumns}>
      <ListPage
        filter={filter}
        after={null}
        before={0}
        pages={pages}
        total={undefined}
        edition={edition}
        onMore={() => setPages((count) => count + 1)}
        onRead={(after, ids) => listed.current.set(after, ids)}
      />
    </ListTable>
  );
}

interface ListPageProps {
  filter: QueueFilter;
  after: string | null;
  /** The number of rows above this page. */
  before: number;
  /** The number of pages to show, including this one. */
  pages: number;
  total: number | undefined;
  edition: number;
  onMore: () => void;
  onRead: (after: string | null, ids: ReadonlySet<string>) => void;
}

function ListPage({ filter, after, before, pages, total, edition, onMore, onRead }: ListPageProps) {
  const isFirst = after === null;
  const [{ data, error, fetching }, ask] = useQuery({
    query: QueueQuery,
    variables: { where: filter, after, count: isFirst },
    requestPolicy: 'cache-and-network',
  });
  useAgain(ask, edition);
  const tell = useEffectEvent(onRead);
  useEffect(() => {
    if (data) tell(after, new Set(data.queue.nodes.map(({ session }) => session.id)));
  }, [after, data]);
  const pageInfo = data?.queue.pageInfo;
  const next = pages > 1 && pageInfo?.hasNextPage === true ? (pageInfo.endCursor ?? null) : null;
  return (
    <TablePage
      columns={columns.length}
      noun={['waiting session', 'waiting sessions']}
      page={data?.queue}
      error={error}
      fetching={fetching}
      skeletons={6}
      before={before}
      total={total}
      empty={
        Object.keys(filter).length > 0 ? (
          <EmptyState icon="hourglass" title="No waiting session matches.">
            Remove a filter to see more.
          </EmptyState>
        ) : (
          <EmptyState icon="hourglass" title="No session waits.">
            A session appears here when no agent of the role or type that it needs has a free place: after a stage of a
            pipeline, and when it was created or reassigned with <code>queue: true</code>.
          </EmptyState>
        )
      }
      row={(entry) => <QueueRow key={entry.session.id} entry={entry} />}
      next={
        next === null
          ? null
          : (shown, all) => (
              <ListPage
                filter={filter}
                after={next}
                before={shown}
                pages={pages - 1}
                total={all}
                edition={edition}
                onMore={onMore}
                onRead={onRead}
              />
            )
      }
      onRetry={() => ask({ requestPolicy: 'network-only' })}
      onMore={onMore}
    />
  );
}
