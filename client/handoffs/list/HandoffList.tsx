import { lazy, Suspense, useEffect, useEffectEvent, useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { useMay } from '../../access/viewer.ts';
import { SelectBox, withBox } from '../../acts/SelectBox.tsx';
import { useSelection, type Selection } from '../../acts/useSelection.ts';
import { AgentChip } from '../../agents/AgentChip.tsx';
import { Decision } from '../../approvals/Decision.tsx';
import type { Columns } from '../../density/density.ts';
import { graphql } from '../../gql/gql.ts';
import type { HandoffFilter, HandoffsQuery as Data } from '../../gql/graphql.ts';
import { useRereadOn } from '../../live/events.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { ListTable, TablePage } from '../../ui/ListTable.tsx';
import { Time } from '../../ui/Time.tsx';
import type { HandoffItem } from '../decide/HandoffActDialog.tsx';
import { endedBecause } from '../ended.ts';
import { HandoffBadge } from '../HandoffBadge.tsx';
import styles from './HandoffsPage.module.css';

const HandoffsQuery = graphql(`
  query Handoffs($where: HandoffFilter!, $after: String, $count: Boolean!) {
    handoffs(where: $where, first: 50, after: $after) {
      nodes {
        id
        status
        initiatedAt
        deadlineAt
        closedAt
        reason
        rejectionReason
        failureReason
        cancelReason
        approval {
          id
          decision
        }
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
        ...Decision
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount @include(if: $count)
    }
  }
`);

const HandoffsBar = lazy(() => import('./HandoffsBar.tsx'));

const columns = ['Status', 'From, to', 'Session', 'Reason', 'When'];
export const handoffColumns: Columns = { list: 'handoffs', names: ['Session', 'Reason', 'When'] };

/** The matching handoffs, newest first. Needs a new key for a new filter. */
export function HandoffList({ filter }: { filter: HandoffFilter }) {
  // The cursors of the pages after the first.
  const [cursors, setCursors] = useState<string[]>([]);
  const selection = useSelection();
  const maySelect = useMay('manageSessions');
  /** The handoffs of the pages that were read. */
  const [listed] = useState(() => new Map<string, HandoffItem>());
  const note = (nodes: Data['handoffs']['nodes']) => {
    for (const { id, session, sourceAgent, targetAgent } of nodes)
      listed.set(id, {
        id,
        title: `${session.title}: ${sourceAgent?.id ?? 'unassigned'} to ${targetAgent.id}`,
        sourceAgent: sourceAgent ?? null,
      });
  };
  return (
    <>
      <ListTable
        label="Handoffs"
        columns={columns}
        className={maySelect ? `${styles.table} ${styles.selectable}` : styles.table}
        choice={handoffColumns}
      >
        <ListPage
          filter={filter}
          after={null}
          before={0}
          rest={cursors}
          total={undefined}
          onMore={(cursor) => setCursors((now) => [...now, cursor])}
          onRead={note}
          selection={maySelect ? selection : undefined}
        />
      </ListTable>
      <Suspense>{selection.ids.size > 0 && <HandoffsBar selection={selection} shown={listed} />}</Suspense>
    </>
  );
}

interface ListPageProps {
  filter: HandoffFilter;
  after: string | null;
  before: number;
  rest: string[];
  total: number | undefined;
  onMore: (cursor: string) => void;
  onRead: (nodes: Data['handoffs']['nodes']) => void;
  /** Undefined when the viewer may not act on many. */
  selection: Selection | undefined;
}

function ListPage({ filter, after, before, rest, total, onMore, onRead, selection }: ListPageProps) {
  const isFirst = after === null;
  const [{ data, error, fetching }, ask] = useQuery({
    query: HandoffsQuery,
    variables: { where: filter, after, count: isFirst },
    requestPolicy: isFirst ? 'cache-and-network' : 'cache-first',
  });
  const tell = useEffectEvent(onRead);
  useEffect(() => {
    if (data) tell(data.handoffs.nodes);
  }, [data]);
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
      row={(handoff) => <Row key={handoff.id} handoff={handoff} selection={selection} />}
      next={
        next === undefined
          ? null
          : (shown, all) => (
              <ListPage
                filter={filter}
                after={next}
                before={shown}
                rest={others}
                total={all}
                onMore={onMore}
                onRead={onRead}
                selection={selection}
              />
            )
      }
      onRetry={() => ask({ requestPolicy: 'network-only' })}
      onMore={() => {
        const cursor = data?.handoffs.pageInfo.endCursor;
        if (cursor != null) onMore(cursor);
      }}
    />
  );
}

function Row({ handoff, selection }: { handoff: Data['handoffs']['nodes'][number]; selection: Selection | undefined }) {
  const { id, sourceAgent, targetAgent, session, reason, initiatedAt } = handoff;
  const ended = endedBecause(handoff);
  return (
    <tr data-selected={selection?.ids.has(id)}>
      <td className={selection && withBox}>
        {selection && (
          <SelectBox
            id={id}
            label={`the handoff of ${session.title} to ${targetAgent.id}`}
            checked={selection.ids.has(id)}
            onToggle={selection.toggle}
          />
        )}
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
      <td>
        <div className={`${styles.text} soft`} title={reason ?? undefined}>
          {reason ?? 'none given'}
        </div>
        <div className={`${styles.text} soft`}>
          <Decision handoff={handoff} />
        </div>
        {ended !== null && (
          <div className={styles.text} title={ended}>
            <Icon name="back" size={13} /> <span className="hidden">It ended: </span>
            {ended}
          </div>
        )}
      </td>
      <td className={styles.text}>
        <Time at={initiatedAt} />
      </td>
    </tr>
  );
}
