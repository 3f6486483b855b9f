import { useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { AgentChip } from '../../agents/AgentChip.tsx';
import { graphql } from '../../gql/gql.ts';
import type { HandoffFilter, HandoffsQuery as Data } from '../../gql/graphql.ts';
import { useRereadOn } from '../../live/events.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { RequestError } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { LoadMore } from '../../ui/LoadMore.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Time } from '../../ui/Time.tsx';
import { WholeRow } from '../../ui/WholeRow.tsx';
import { HandoffBadge } from '../HandoffBadge.tsx';
import styles from './HandoffsPage.module.css';

const HandoffsQuery = graphql(`
  query Handoffs($where: HandoffFilter!, $after: String, $count: Boolean!) {
    handoffs(where: $where, first: 50, after: $after) {
      nodes {
        id
        initiatedAt
        reason
        session {
          id
          title
        }
        sourceAgent {
          id
          ...AgentChip
        }
        targetAgent {
          id
          ...AgentChip
        }
        ...HandoffBadge
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount @include(if: $count)
    }
  }
`);

type Page = Data['handoffs'];

/** The matching handoffs, newest first. Needs a new key for a new filter. */
export function HandoffList({ filter }: { filter: HandoffFilter }) {
  // The cursors of the pages after the first.
  const [cursors, setCursors] = useState<string[]>([]);
  return (
    <div className={`card ${styles.list}`} tabIndex={0} role="region" aria-label="Handoffs">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">From, to</th>
            <th scope="col">Session</th>
            <th scope="col">Reason</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <ListPage filter={filter} after={null} before={0} rest={cursors} total={undefined} onMore={(cursor) => setCursors((now) => [...now, cursor])} />
      </table>
    </div>
  );
}

interface ListPageProps {
  filter: HandoffFilter;
  after: string | null;
  before: number;
  rest: string[];
  total: number | undefined;
  onMore: (cursor: string) => void;
}

function ListPage({ filter, after, before, rest, total, onMore }: ListPageProps) {
  const isFirst = after === null;
  const [{ data, error, fetching }, ask] = useQuery({
    query: HandoffsQuery,
    variables: { where: filter, after, count: isFirst },
    requestPolicy: isFirst ? 'cache-and-network' : 'cache-first',
  });
  // Reloads only on the first page; later pages stay still.
  useRereadOn(
    ({ type }) => type === 'HANDOFF_INITIATED' && isFirst && rest.length === 0,
    () => ask({ requestPolicy: 'network-only' }),
  );
  const failure = error && (
    <WholeRow columns={5}>
      <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />
    </WholeRow>
  );
  if (!data) {
    return failure ?? (
      <WholeRow columns={5}>
        <SkeletonRows rows={isFirst ? 8 : 2} height="2.6rem" label="Loading the handoffs" />
      </WholeRow>
    );
  }
  const { nodes, pageInfo } = data.handoffs;
  const all = data.handoffs.totalCount ?? total;
  const shown = before + nodes.length;
  if (shown === 0) {
    return (
      <WholeRow columns={5}>
        <EmptyState icon="swap" title="No handoff matches." />
      </WholeRow>
    );
  }
  const [next, ...others] = rest;
  return (
    <>
      {failure}
      <Rows nodes={nodes} />
      {next === undefined ? (
        <WholeRow columns={5}>
          <LoadMore shown={shown} total={all} hasMore={pageInfo.hasNextPage} loading={fetching} noun="handoffs" onMore={() => pageInfo.endCursor && onMore(pageInfo.endCursor)} />
        </WholeRow>
      ) : (
        <ListPage filter={filter} after={next} before={shown} rest={others} total={all} onMore={onMore} />
      )}
    </>
  );
}

function Rows({ nodes }: { nodes: Page['nodes'] }) {
  return (
    <tbody>
      {nodes.map((handoff) => (
        <tr key={handoff.id}>
          <td>
            <HandoffBadge handoff={handoff} />
          </td>
          <td>
            <span className={styles.route}>
              {handoff.sourceAgent ? <AgentChip agent={handoff.sourceAgent} plain /> : <span className="soft">unassigned</span>}
              <Icon name="arrow" />
              <AgentChip agent={handoff.targetAgent} plain />
            </span>
          </td>
          <td className={styles.text}>
            <Link href={`/sessions/${handoff.session.id}`} title={handoff.session.title}>
              {handoff.session.title}
            </Link>
          </td>
          <td className={`${styles.text} soft`} title={handoff.reason ?? undefined}>
            {handoff.reason ?? 'none given'}
          </td>
          <td className={styles.text}>
            <Time at={handoff.initiatedAt} />
          </td>
        </tr>
      ))}
    </tbody>
  );
}
