import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import type { QueueFilter } from '../gql/graphql.ts';
import { useRereadOn } from '../live/events.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { LoadMore } from '../ui/LoadMore.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { useAgain } from '../ui/useAgain.ts';
import { WholeRow } from '../ui/WholeRow.tsx';
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

/** The matching entries, in the order of their turns. Needs a new key for a new filter. */
export function QueueList({ filter }: { filter: QueueFilter }) {
  const [pages, setPages] = useState(1);
  // Each page is read again when it changes, so that places and page borders fit each other.
  const [edition, setEdition] = useState(0);
  const listed = useRef(new Map<string | null, ReadonlySet<string>>());
  useRereadOn(
    ({ type, session }) => type === 'SESSION_QUEUED' || (session !== null && [...listed.current.values()].some((ids) => ids.has(session.id))),
    () => setEdition((now) => now + 1),
  );
  return (
    <div className={`card ${styles.list}`} tabIndex={0} role="region" aria-label="Waiting sessions">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Place</th>
            <th scope="col">Session</th>
            <th scope="col">Waits for</th>
            <th scope="col">Priority</th>
            <th scope="col">Since</th>
          </tr>
        </thead>
        <ListPage filter={filter} after={null} before={0} pages={pages} total={undefined} edition={edition} onMore={() => setPages((count) => count + 1)} onRead={(after, ids) => listed.current.set(after, ids)} />
      </table>
    </div>
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
  const [{ data, error, fetching }, ask] = useQuery({ query: QueueQuery, variables: { where: filter, after, count: isFirst }, requestPolicy: 'cache-and-network' });
  useAgain(ask, edition);
  const tell = useEffectEvent(onRead);
  useEffect(() => {
    if (data) tell(after, new Set(data.queue.nodes.map(({ session }) => session.id)));
  }, [after, data]);
  const failure = error && (
    <WholeRow columns={5}>
      <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />
    </WholeRow>
  );
  if (!data) {
    return failure ?? (
      <WholeRow columns={5}>
        <SkeletonRows rows={isFirst ? 6 : 2} height="3rem" label="Loading the queue" />
      </WholeRow>
    );
  }
  const { nodes, pageInfo } = data.queue;
  const all = data.queue.totalCount ?? total;
  const shown = before + nodes.length;
  if (shown === 0) {
    return (
      <>
        {failure}
        <WholeRow columns={5}>
          {Object.keys(filter).length > 0 ? (
            <EmptyState icon="hourglass" title="No waiting session matches.">
              Remove a filter to see more.
            </EmptyState>
          ) : (
            <EmptyState icon="hourglass" title="No session waits.">
              A session appears here when no agent of the role or type that it needs has a free place: after a stage of a pipeline, and when it was created or reassigned with <code>queue: true</code>.
            </EmptyState>
          )}
        </WholeRow>
      </>
    );
  }
  const next = pages > 1 && pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null;
  return (
    <>
      {failure}
      <tbody>
        {nodes.map((entry) => (
          <QueueRow key={entry.session.id} entry={entry} />
        ))}
      </tbody>
      {next === null ? (
        <WholeRow columns={5}>
          <LoadMore shown={shown} total={all} hasMore={pageInfo.hasNextPage} loading={fetching} noun={all === 1 ? 'waiting session' : 'waiting sessions'} onMore={onMore} />
        </WholeRow>
      ) : (
        <ListPage filter={filter} after={next} before={shown} pages={pages - 1} total={all} edition={edition} onMore={onMore} onRead={onRead} />
      )}
    </>
  );
}
