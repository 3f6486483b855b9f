import { useState, useTransition } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import type { SessionFilter } from '../gql/graphql.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { LoadMore } from '../ui/LoadMore.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import styles from './SessionList.module.css';
import { SessionRow } from './SessionRow.tsx';
import rowStyles from './SessionRow.module.css';

const pageSize = 50;

const SessionsQuery = graphql(`
  query Sessions($where: SessionFilter!, $first: Int!, $after: String, $count: Boolean!) {
    sessions(where: $where, first: $first, after: $after) {
      nodes {
        id
        ...SessionRow
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount @include(if: $count)
    }
  }
`);

export interface SessionListProps {
  filter: SessionFilter;
  onReassign: ((sessionId: string) => void) | undefined;
}

/** The sessions that fit, newest first, page by page. Its state is one view's: give it another key for another one. */
export function SessionList({ filter, onReassign }: SessionListProps) {
  const [pages, setPages] = useState(1);
  const [adding, startAdding] = useTransition();
  return (
    <div className={`card ${styles.list}`}>
      <div className={rowStyles.head} aria-hidden="true">
        <span>Session</span>
        <span>Status</span>
        <span>Agent</span>
        <span>Last handoff</span>
      </div>
      <ul role="list" aria-label="Sessions">
        <ListPage filter={filter} after={null} before={0} pages={pages} total={undefined} adding={adding} onMore={() => startAdding(() => setPages((count) => count + 1))} onReassign={onReassign} />
      </ul>
    </div>
  );
}

interface ListPageProps extends SessionListProps {
  after: string | null;
  /** How many rows stand before this page. */
  before: number;
  /** How many pages are wanted, this one among them. */
  pages: number;
  total: number | undefined;
  adding: boolean;
  onMore: () => void;
}

/** Each page reads for itself, so that a change of one session is looked up in one page. */
function ListPage({ filter, after, before, pages, total, adding, onMore, onReassign }: ListPageProps) {
  const isFirst = after === null;
  const [{ data, error, fetching }, ask] = useQuery({
    query: SessionsQuery,
    variables: { where: filter, first: pageSize, after, count: isFirst },
    requestPolicy: isFirst ? 'cache-and-network' : 'cache-first',
  });
  if (error && !data) {
    return (
      <li className={styles.note}>
        <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />
      </li>
    );
  }
  if (!data) {
    return (
      <li className={styles.note}>
        <SkeletonRows rows={isFirst ? 8 : 2} height="3.25rem" label="Loading the sessions" />
      </li>
    );
  }
  const { nodes, pageInfo } = data.sessions;
  const all = data.sessions.totalCount ?? total;
  const shown = before + nodes.length;
  if (shown === 0) {
    return (
      <li>
        <EmptyState title="No session fits.">
          {Object.keys(filter).length > 0 ? 'Take a filter away to see more.' : 'Sessions appear here as soon as they are created through the API.'}
        </EmptyState>
      </li>
    );
  }
  const next = pages > 1 && pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null;
  return (
    <>
      {nodes.map((session) => (
        <SessionRow key={session.id} session={session} onReassign={onReassign} />
      ))}
      {next === null ? (
        <li className={styles.end}>
          <LoadMore shown={shown} total={all} hasMore={pageInfo.hasNextPage} loading={fetching || adding} noun="sessions" onMore={onMore} />
        </li>
      ) : (
        <ListPage filter={filter} after={next} before={shown} pages={pages - 1} total={all} adding={adding} onMore={onMore} onReassign={onReassign} />
      )}
    </>
  );
}
