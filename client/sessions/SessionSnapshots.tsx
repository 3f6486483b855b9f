import { AgentChip } from '../agents/AgentChip.tsx';
import { graphql } from '../gql/gql.ts';
import type { SessionSnapshotsQuery as Data } from '../gql/graphql.ts';
import { Badge } from '../ui/Badge.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ListTable, TableRows } from '../ui/ListTable.tsx';
import { Time } from '../ui/Time.tsx';
import { useAgain } from '../ui/useAgain.ts';
import { useLivePages } from '../ui/useLivePages.ts';
import styles from './SessionSnapshots.module.css';
import { snapshotLooks } from './tenureLooks.ts';

const SnapshotsQuery = graphql(`
  query SessionSnapshots($id: ID!, $after: String, $count: Boolean!) {
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
        totalCount @include(if: $count)
      }
    }
  }
`);

const columns = ['Type', 'Agent', 'When', 'Messages seen', 'Count', 'Tool calls', 'Tokens (estimate)'];

/** The session's context snapshots. */
export function SessionSnapshots({ sessionId, moment }: { sessionId: string; moment: string }) {
  const { again, more, ...read } = useLivePages(SnapshotsQuery, { id: sessionId }, ({ session }) => session?.snapshots);
  useAgain(again, moment);
  return (
    <ListTable label="Snapshots: what each agent could see, newest first" columns={columns} className={styles.table}>
      <TableRows
        {...read}
        columns={columns.length}
        noun={['snapshot', 'snapshots']}
        skeletons={4}
        empty={
          <EmptyState icon="screen" title="No snapshot was taken yet.">
            Baton takes one when an agent receives the session, at each handoff, and when a context is truncated.
          </EmptyState>
        }
        row={(snapshot) => <SnapshotRow key={snapshot.id} snapshot={snapshot} />}
        onRetry={again}
        onMore={more}
      />
    </ListTable>
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
