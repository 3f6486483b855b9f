import { useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { AgentChip } from '../../agents/AgentChip.tsx';
import type { Columns } from '../../density/density.ts';
import { graphql } from '../../gql/gql.ts';
import type { HandoffFilter, HandoffsQuery as Data } from '../../gql/graphql.ts';
import { useRereadOn } from '../../live/events.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { ListTable, TablePage } from '../../ui/ListTable.tsx';
import { Time } from '../../ui/Time.tsx';
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

const columns = ['Status', 'From, to', 'Session', 'Reason', 'When'];
export const handoffColumns: Columns = { list: 'handoffs', names: ['Status', 'Session', 'Reason', 'When'] };

/** The matching handoffs, newest first. Needs a new key for a new filter. */
export function HandoffList({ filter }: { filter: HandoffFilter }) {
  // The cursors of the pages after the first.
  const [cursors, setCursors] = useState<string[]>([]);
  return (
    <ListTable label="Handoffs" columns={columns} className={styles.table} choice={handoffColumns}>
      <ListPage filter={filter} after={null} before={0} rest={cursors} total={undefined} onMore={(cursor) => setCursors((now) => [...now, cursor])} />
    </ListTable>
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
  const [next, ...others] = rest;
  return (
    <TablePage
      columns={columns.length}
      noun={['handoff', 'handoffs']}
      page={data?.handoffs}
      error={error}
      fetching={fetching}
      skeletons={8}
      before={before}
      total={total}
      empty={<EmptyState icon="swap" title="No handoff matches." />}
      row={(handoff) => <Row key={handoff.id} handoff={handoff} />}
      next={next === undefined ? null : (shown, all) => <ListPage filter={filter} after={next} before={shown} rest={others} total={all} onMore={onMore} />}
      onRetry={() => ask({ requestPolicy: 'network-only' })}
      onMore={() => {
        const cursor = data?.handoffs.pageInfo.endCursor;
        if (cursor != null) onMore(cursor);
      }}
    />
  );
}

function Row({ handoff }: { handoff: Data['handoffs']['nodes'][number] }) {
  const { sourceAgent, targetAgent, session, reason, initiatedAt } = handoff;
  return (
    <tr>
      <td>
        <HandoffBadge handoff={handoff} />
      </td>
      <td>
        <span className={styles.route}>
          {sourceAgent ? <AgentChip agent={sourceAgent} plain /> : <span className="soft">unassigned</span>}
          <Icon name="arrow" />
          <AgentChip agent={targetAgent} plain />
        </span>
      </td>
      <td className={styles.text}>
        <Link href={`/sessions/${session.id}`} title={session.title}>
          {session.title}
        </Link>
      </td>
      <td className={`${styles.text} soft`} title={reason ?? undefined}>
        {reason ?? 'none given'}
      </td>
      <td className={styles.text}>
        <Time at={initiatedAt} />
      </td>
    </tr>
  );
}
