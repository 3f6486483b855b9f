import { useState } from 'react';
import { useQuery } from 'urql';
import { AgentChip } from '../agents/AgentChip.tsx';
import { graphql } from '../gql/gql.ts';
import type { SessionSnapshotsQuery as Data } from '../gql/graphql.ts';
import { Badge } from '../ui/Badge.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ListTable, TablePage } from '../ui/ListTable.tsx';
import { Time } from '../ui/Time.tsx';
import { useAgain } from '../ui/useAgain.ts';
import styles from './SessionSnapshots.module.css';
import { snapshotLooks } from './tenureLooks.ts';

const SnapshotsQuery = graphql(`
  query SessionSnapshots($id: ID!, $after: String) {
    session(id: $id) {
      id
      snapshots(first: 50, after: $after) {
        nodes {
          id
          type
          capturedAt
          sequenceStart
          sequenceEnd
          tokenEstimate
          visibleToolCallCount
          messageCounts {
            total
            user
            assistant
            system
            tool
            handoff
          }
          agentSession {
            id
            agent {
              id
              ...AgentChip
            }
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
        totalCount
      }
    }
  }
`);

const columns = ['Type', 'Agent', 'When', 'Messages seen', 'Count', 'Tool calls', 'Tokens (estimate)'];

/** The session's context snapshots. */
export function SessionSnapshots({ sessionId, moment }: { sessionId: string; moment: string }) {
  const [pages, setPages] = useState(1);
  return (
    <ListTable label="Snapshots: what each agent could see, newest first" columns={columns} className={styles.table}>
      <SnapshotPage
        sessionId={sessionId}
        moment={moment}
        after={null}
        before={0}
        pages={pages}
        onMore={() => setPages((count) => count + 1)}
      />
    </ListTable>
  );
}

interface SnapshotPageProps {
  sessionId: string;
  moment: string;
  after: string | null;
  /** The number of rows above. */
  before: number;
  /** The number of pages to show, including this one. */
  pages: number;
  onMore: () => void;
}

function SnapshotPage({ sessionId, moment, after, before, pages, onMore }: SnapshotPageProps) {
  const [{ data, error, fetching }, ask] = useQuery({
    query: SnapshotsQuery,
    variables: { id: sessionId, after },
    requestPolicy: 'cache-and-network',
  });
  useAgain(ask, moment);
  const list = data?.session?.snapshots;
  const cursor = list?.pageInfo.endCursor;
  return (
    <TablePage
      columns={columns.length}
      noun={['snapshot', 'snapshots']}
      page={list}
      error={error}
      fetching={fetching}
      skeletons={4}
      before={before}
      total={undefined}
      empty={
        <EmptyState icon="screen" title="No snapshot was taken yet.">
          Baton takes one when an agent receives the session, at each handoff, and when a context is truncated.
        </EmptyState>
      }
      row={(snapshot) => <SnapshotRow key={snapshot.id} snapshot={snapshot} />}
      next={
        cursor == null || list?.pageInfo.hasNextPage !== true || pages === 1
          ? null
          : (shown) => (
              <SnapshotPage
                sessionId={sessionId}
                moment={moment}
                after={cursor}
                before={shown}
                pages={pages - 1}
                onMore={onMore}
              />
            )
      }
      onRetry={() => ask({ requestPolicy: 'network-only' })}
      onMore={onMore}
    />
  );
}

type Snapshot = NonNullable<Data['session']>['snapshots']['nodes'][number];

function SnapshotRow({ snapshot }: { snapshot: Snapshot }) {
  const {
    type,
    capturedAt,
    sequenceStart,
    sequenceEnd,
    messageCounts,
    visibleToolCallCount,
    tokenEstimate,
    agentSession,
  } = snapshot;
  return (
    <tr>
      <td>
        <Badge {...snapshotLooks[type]} />
      </td>
      <td>{agentSession ? <AgentChip agent={agentSession.agent} plain /> : <span className="soft">no agent</span>}</td>
      <td>
        <Time at={capturedAt} />
      </td>
      <td>{messageCounts.total === 0 ? <span className="soft">none</span> : `#${sequenceStart} to #${sequenceEnd}`}</td>
      <td
        className={styles.number}
        data-of="messages"
        title={`By role: ${messageCounts.user} user, ${messageCounts.assistant} assistant, ${messageCounts.system} system, ${messageCounts.tool} tool, ${messageCounts.handoff} handoff`}
      >
        {messageCounts.total.toLocaleString()}
      </td>
      <td className={styles.number} data-of="tool calls">
        {visibleToolCallCount.toLocaleString()}
      </td>
      <td className={styles.number} data-of="tokens">
        {tokenEstimate.toLocaleString()}
      </td>
    </tr>
  );
}
