import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import { HandoffRow } from '../handoffs/HandoffRow.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { LoadMore } from '../ui/LoadMore.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { useAgain } from '../ui/useAgain.ts';
import styles from './SessionHistory.module.css';

const pageSize = 20;

const HistoryQuery = graphql(`
  query SessionHistory($id: ID!, $first: Int!) {
    session(id: $id) {
      id
      handoffs(first: $first) {
        nodes {
          id
          ...HandoffRow
        }
        pageInfo {
          hasNextPage
        }
        totalCount
      }
    }
  }
`);

/** The chain as a table, the last handoff first; each row opens to what it carried. */
export function SessionHistory({ sessionId, version }: { sessionId: string; version: number }) {
  const [pages, setPages] = useState(1);
  const [{ data, error, fetching }, ask] = useQuery({
    query: HistoryQuery,
    variables: { id: sessionId, first: Math.min(100, pages * pageSize) },
    requestPolicy: 'cache-and-network',
  });
  useAgain(ask, version);
  const list = data?.session?.handoffs;
  if (error && !list) return <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />;
  if (!list) return <SkeletonRows rows={4} height="2.75rem" label="Loading the handoffs" />;
  if (list.nodes.length === 0) return <EmptyState icon="swap" title="It was never handed off.">The agent that began it holds it still, or it moved without a handoff.</EmptyState>;
  return (
    <div className={styles.history}>
      <table className={styles.table}>
        <caption className="hidden">Handoffs of this session, the last first</caption>
        <thead>
          <tr>
            <th scope="col">Number</th>
            <th scope="col">From, to</th>
            <th scope="col">Status</th>
            <th scope="col">Why, and what came of it</th>
            <th scope="col">Started</th>
            <th scope="col">
              <span className="hidden">What it carried</span>
            </th>
          </tr>
        </thead>
        {list.nodes.map((handoff) => (
          <HandoffRow key={handoff.id} handoff={handoff} />
        ))}
      </table>
      <LoadMore shown={list.nodes.length} total={list.totalCount} hasMore={list.pageInfo.hasNextPage && list.nodes.length < 100} loading={fetching} noun="handoffs" onMore={() => setPages((count) => count + 1)} />
    </div>
  );
}
