import { lazy, Suspense, useEffect, useState } from 'react';
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
import { ListTable, TableRows } from '../../ui/ListTable.tsx';
import { Time } from '../../ui/Time.tsx';
import { useLivePages } from '../../ui/useLivePages.ts';
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
        ...Ended
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

const pageSize = 50;

const columns = ['Status', 'From, to', 'Session', 'Reason', 'When'];
export const handoffColumns: Columns = { list: 'handoffs', names: ['Session', 'Reason', 'When'] };

/** The matching handoffs, newest first. Needs a new key for a new filter. */
export function HandoffList({ filter }: { filter: HandoffFilter }) {
  const { again, more, ...read } = useLivePages(HandoffsQuery, { where: filter }, ({ handoffs }) => handoffs);
  const maySelect = useMay('manageSessions');
  const selection = useSelection();
  const chosen = maySelect ? selection : undefined;
  /** Also those that have left the list, and may be selected. */
  const [listed] = useState(() => new Map<string, HandoffItem>());
  const nodes = read.list?.nodes;
  useEffect(() => {
    for (const { id, session, sourceAgent, targetAgent } of nodes ?? [])
      listed.set(id, {
        id,
        title: `${session.title}: ${sourceAgent?.id ?? 'unassigned'} to ${targetAgent.id}`,
        sourceAgent: sourceAgent ?? null,
      });
  }, [nodes, listed]);
  // Further pages stay still: a new handoff at the top would move what is read.
  useRereadOn(({ type }) => type === 'HANDOFF_INITIATED' && (nodes?.length ?? 0) <= pageSize, again);
  return (
    <>
      <ListTable
        label="Handoffs"
        columns={columns}
        className={maySelect ? `${styles.table} ${styles.selectable}` : styles.table}
        choice={handoffColumns}
      >
        <TableRows
          {...read}
          columns={columns.length}
          noun={['handoff', 'handoffs']}
          skeletons={8}
          empty={<EmptyState icon="swap" title="No handoff matches." />}
          row={(handoff) => <Row key={handoff.id} handoff={handoff} selection={chosen} />}
          onRetry={again}
          onMore={more}
        />
      </ListTable>
      <Suspense>{selection.ids.size > 0 && <HandoffsBar selection={selection} shown={listed} />}</Suspense>
    </>
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
