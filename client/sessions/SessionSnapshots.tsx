import { useQuery } from 'urql';
import { AgentChip } from '../agents/AgentChip.tsx';
import { graphql } from '../gql/gql.ts';
import { Badge } from '../ui/Badge.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { Time } from '../ui/Time.tsx';
import { useAgain } from '../ui/useAgain.ts';
import styles from './SessionSnapshots.module.css';
import { snapshotLooks } from './tenureLooks.ts';

const SnapshotsQuery = graphql(`
  query SessionSnapshots($id: ID!) {
    session(id: $id) {
      id
      snapshots(first: 100) {
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
        totalCount
      }
    }
  }
`);

/** What an agent could see at the moments that matter. */
export function SessionSnapshots({ sessionId, moment }: { sessionId: string; moment: string }) {
  const [{ data, error }, ask] = useQuery({ query: SnapshotsQuery, variables: { id: sessionId }, requestPolicy: 'cache-and-network' });
  useAgain(ask, moment);
  const list = data?.session?.snapshots;
  if (error && !list) return <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />;
  if (!list) return <SkeletonRows rows={4} height="2.75rem" label="Loading the snapshots" />;
  if (list.nodes.length === 0) return <EmptyState icon="screen" title="No snapshot was taken yet.">One is taken when a tenure begins, at each handoff, and when a window is cut.</EmptyState>;
  return (
    <div className={styles.scroll} role="region" aria-label="Snapshots" tabIndex={0}>
      <table className={styles.table}>
        <caption className="hidden">What an agent could see, the last first</caption>
        <thead>
          <tr>
            <th scope="col">Moment</th>
            <th scope="col">Agent</th>
            <th scope="col">When</th>
            <th scope="col">Messages seen</th>
            <th scope="col" className={styles.number}>
              Count
            </th>
            <th scope="col" className={styles.number}>
              Tool calls
            </th>
            <th scope="col" className={styles.number}>
              Tokens, about
            </th>
          </tr>
        </thead>
        <tbody>
          {list.nodes.map(({ id, type, capturedAt, sequenceStart, sequenceEnd, messageCounts, visibleToolCallCount, tokenEstimate, agentSession }) => (
            <tr key={id}>
              <td>
                <Badge {...snapshotLooks[type]} />
              </td>
              <td>{agentSession ? <AgentChip agent={agentSession.agent} plain /> : <span className="soft">nobody</span>}</td>
              <td>
                <Time at={capturedAt} />
              </td>
              <td>{messageCounts.total === 0 ? <span className="soft">none</span> : `#${sequenceStart} to #${sequenceEnd}`}</td>
              <td className={styles.number} title={`${messageCounts.user} of people, ${messageCounts.assistant} of agents, ${messageCounts.system} of the system, ${messageCounts.tool} of tools, ${messageCounts.handoff} handoffs`}>
                {messageCounts.total.toLocaleString()}
              </td>
              <td className={styles.number}>{visibleToolCallCount.toLocaleString()}</td>
              <td className={styles.number}>{tokenEstimate.toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {list.totalCount > list.nodes.length && <p className="soft small">The newest {list.nodes.length} of {list.totalCount}.</p>}
    </div>
  );
}
