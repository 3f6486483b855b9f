import { useState } from 'react';
import { useQuery } from 'urql';
import { useAccess, useMay } from '../access/viewer.ts';
import { Page } from '../app/Page.tsx';
import { graphql } from '../gql/gql.ts';
import { useRereadOn } from '../live/events.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { LoadMore } from '../ui/LoadMore.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { AgentCard } from './AgentCard.tsx';
import styles from './AgentCard.module.css';
import { usePresence } from './Presence.tsx';
import { RegisterAgent } from './register/RegisterAgent.tsx';

const AgentsQuery = graphql(`
  query Agents($after: String, $tally: Boolean!) {
    agents(first: 50, after: $after, orderBy: { field: ID, direction: ASC }) {
      nodes {
        id
        ...AgentCard
        handoffsGiven(first: 0) @include(if: $tally) {
          totalCount
        }
        handoffsReceived(first: 0) @include(if: $tally) {
          totalCount
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount
    }
  }
`);

/** The agents with their loads and handoffs. */
export function AgentsPage() {
  const [pages, setPages] = useState(1);
  return (
    <Page
      title="Agents"
      intro="All agents with their loads. A handoff takes a place of its target when it starts, before the target accepts."
      actions={<RegisterAgent />}
    >
      <ul role="list" aria-label="Agents" className={styles.grid}>
        <AgentPage after={null} before={0} pages={pages} onMore={() => setPages((count) => count + 1)} />
      </ul>
    </Page>
  );
}

interface AgentPageProps {
  after: string | null;
  before: number;
  pages: number;
  onMore: () => void;
}

function AgentPage({ after, before, pages, onMore }: AgentPageProps) {
  const { viewer } = useAccess();
  const mayManage = useMay('manageAgents');
  // An agent may not see other agents' handoff counts.
  const tally = viewer.role !== 'AGENT';
  const [{ data, error, fetching }, ask] = useQuery({
    query: AgentsQuery,
    variables: { after, tally },
    requestPolicy: after === null ? 'cache-and-network' : 'cache-first',
  });
  // Events update the agents themselves. The counts must be read again, and so must the load of an agent that lost a session
  // without a handoff: no event carries it.
  useRereadOn(
    ({ type, handoff }) =>
      type === 'HANDOFF_INITIATED' || type === 'AGENT_CHANGED' || (type === 'SESSION_REASSIGNED' && handoff === null),
    () => ask({ requestPolicy: 'network-only' }),
  );
  const presence = usePresence(data?.agents.nodes.map(({ id }) => id) ?? []);
  const failure = error && (
    <li className={styles.whole}>
      <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />
    </li>
  );
  if (!data) {
    return (
      failure ?? (
        <li>
          <SkeletonRows rows={1} height="12rem" label="Loading the agents" />
        </li>
      )
    );
  }
  const { nodes, pageInfo, totalCount } = data.agents;
  const shown = before + nodes.length;
  if (shown === 0) {
    return (
      <li className={styles.whole}>
        <EmptyState icon="bot" title="There are no agents yet.">
          Register one here, with the mutation <code>registerAgent</code>, or from Markdown files with{' '}
          <code>baton agents import</code>.
        </EmptyState>
      </li>
    );
  }
  const next = pages > 1 && pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null;
  return (
    <>
      {failure}
      {nodes.map((agent) => (
        <AgentCard
          key={agent.id}
          agent={agent}
          given={agent.handoffsGiven?.totalCount ?? null}
          received={agent.handoffsReceived?.totalCount ?? null}
          mayManage={mayManage}
          seen={presence.get(agent.id)}
          mayVisitInbox={viewer.role !== 'AGENT' || viewer.agentId === agent.id}
        />
      ))}
      {next === null ? (
        <li className={styles.whole}>
          <LoadMore
            shown={shown}
            total={totalCount}
            hasMore={pageInfo.hasNextPage}
            loading={fetching}
            noun="agents"
            onMore={onMore}
          />
        </li>
      ) : (
        <AgentPage after={next} before={shown} pages={pages - 1} onMore={onMore} />
      )}
    </>
  );
}
