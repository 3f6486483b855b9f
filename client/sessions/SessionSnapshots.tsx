import { useState } from 'react';
import { useQuery } from 'urql';
import { AgentChip } from '../agents/AgentChip.tsx';
import { graphql } from '../gql/gql.ts';
import type { SessionSnapshotsQuery as Data } from '../gql/graphql.ts';
import { Badge } from '../ui/Badge.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { LoadMore } from '../ui/LoadMore.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { Time } from '../ui/Time.tsx';
import { WholeRow } from '../ui/WholeRow.tsx';
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

/** The session's context snapshots. */
export function SessionSnapshots({ sessionId, moment }: { sessionId: string; moment: string }) {
  const [pages, setPages] = useState(1);
  return (
    <div className={styles.scroll} role="region" aria-label="Snapshots" tabIndex={0}>
      <table className={styles.table}>
        <caption className="hidden">What each agent could see, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Type</th>
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
              Tokens (estimate)
            </th>
          </tr>
        </thead>
        <SnapshotPage sessionId={sessionId} moment={moment} after={null} before={0} pages={pages} onMore={() => setPages((count) => count + 1)} />
      </table>
    </div>
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
  const [{ data, error, fetching }, ask] = useQuery({ query: SnapshotsQuery, variables: { id: sessionId, after }, requestPolicy: 'cache-and-network' });
  useAgain(ask, moment);
  const list = data?.session?.snapshots;
  const failure = error && (
    <WholeRow columns={7}>
      <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />
    </WholeRow>
  );
  if (!list) {
    return failure ?? (
      <WholeRow columns={7}>
        <SkeletonRows rows={4} height="2.75rem" label="Loading the snapshots" />
      </WholeRow>
    );
  }
  const shown = before + list.nodes.length;
  if (shown === 0) {
    return (
      <WholeRow columns={7}>
        <EmptyState icon="screen" title="No snapshot was taken yet.">
          Baton takes one when an agent receives the session, at each handoff, and when a context is truncated.
        </EmptyState>
      </WholeRow>
    );
  }
  return (
    <>
      {failure}
      <tbody>
        {list.nodes.map((snapshot) => (
          <SnapshotRow key={snapshot.id} snapshot={snapshot} />
        ))}
      </tbody>
      {list.pageInfo.hasNextPage && pages > 1 ? (
        <SnapshotPage sessionId={sessionId} moment={moment} after={list.pageInfo.endCursor ?? null} before={shown} pages={pages - 1} onMore={onMore} />
      ) : (
        <WholeRow columns={7}>
          <LoadMore shown={shown} total={list.totalCount} hasMore={list.pageInfo.hasNextPage} loading={fetching} noun="snapshots" onMore={onMore} />
        </WholeRow>
      )}
    </>
  );
}

type Snapshot = NonNullable<Data['session']>['snapshots']['nodes'][number];

function SnapshotRow({ snapshot }: { snapshot: Snapshot }) {
  const { type, capturedAt, sequenceStart, sequenceEnd, messageCounts, visibleToolCallCount, tokenEstimate, agentSession } = snapshot;
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
      <td className={styles.number} title={`By role: ${messageCounts.user} user, ${messageCounts.assistant} assistant, ${messageCounts.system} system, ${messageCounts.tool} tool, ${messageCounts.handoff} handoff`}>
        {messageCounts.total.toLocaleString()}
      </td>
      <td className={styles.number}>{visibleToolCallCount.toLocaleString()}</td>
      <td className={styles.number}>{tokenEstimate.toLocaleString()}</td>
    </tr>
  );
}
