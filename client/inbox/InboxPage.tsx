import { useState } from 'react';
import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { useAccess } from '../access/viewer.ts';
import { AgentSelect } from '../agents/AgentSelect.tsx';
import { Page } from '../app/Page.tsx';
import { graphql } from '../gql/gql.ts';
import type { HandoffStatus } from '../gql/graphql.ts';
import { useRereadOn } from '../live/events.ts';
import { isOpenHandoff } from '../handoffs/decide/decide.ts';
import type { AskedOfHandoff } from '../handoffs/decide/HandoffActions.tsx';
import HandoffActDialog from '../handoffs/decide/HandoffActDialog.tsx';
import { NotifyButton } from '../noticing/NotifyButton.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { useFocusKept } from '../ui/useFocusKept.ts';
import styles from './InboxPage.module.css';
import { InboxRow } from './InboxRow.tsx';

const pageSize = 100;

const InboxQuery = graphql(`
  query Inbox($where: HandoffFilter!, $first: Int!) {
    handoffs(where: $where, first: $first, orderBy: { field: INITIATED_AT, direction: ASC }) {
      nodes {
        id
        status
        ...InboxRow
      }
      totalCount
    }
  }
`);

const sections: { status: HandoffStatus; title: string; means: string }[] = [
  {
    status: 'INITIATED',
    title: 'Waiting to be accepted',
    means:
      'The agent already holds the session. If it does not accept by the deadline, the session returns to its source.',
  },
  {
    status: 'ACCEPTED',
    title: 'Accepted, not started',
    means: "The agent's first turn completes the handoff; you can also complete it here. There is no deadline.",
  },
];

/** The handoffs that wait for an agent, or for all agents, oldest first. */
export default function InboxPage({ agentId }: { agentId?: string }) {
  const { viewer } = useAccess();
  const [, navigate] = useLocation();
  const owner = agentId ?? viewer.agentId ?? '';
  const [{ data, error }, ask] = useQuery({
    query: InboxQuery,
    variables: {
      where: { status: ['INITIATED', 'ACCEPTED'], ...(owner !== '' && { targetAgentId: owner }) },
      first: pageSize,
    },
    requestPolicy: 'cache-and-network',
  });
  // Decided handoffs disappear through the cache; new ones must be read.
  useRereadOn(
    ({ handoff }) => handoff !== null && (owner === '' || handoff.targetAgent.id === owner),
    () => ask({ requestPolicy: 'network-only' }),
  );
  const [asked, setAsked] = useState<AskedOfHandoff | null>(null);
  const list = data?.handoffs;
  const waiting = list?.nodes.filter(({ status }) => isOpenHandoff(status)).map(({ id, status }) => `${id} ${status}`);
  // A decided row disappears with its focused button.
  useFocusKept(waiting?.join());
  return (
    <Page
      title={owner === '' ? 'Inbox' : `Inbox of ${owner}`}
      intro="Open handoffs, oldest first."
      actions={
        <>
          {viewer.agentId !== null && <NotifyButton of="new handoffs" />}
          {viewer.role !== 'AGENT' && (
            <AgentSelect
              label="Agent"
              none="Every agent"
              value={owner}
              onChange={(id) => navigate(id === '' ? '/inbox' : `/inbox/${encodeURIComponent(id)}`)}
            />
          )}
        </>
      }
    >
      {error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
      {!list && !error && <SkeletonRows rows={3} height="8rem" label="Loading the inbox" />}
      <span className="hidden" role="status">
        {waiting && (waiting.length === 1 ? '1 open handoff' : `${waiting.length} open handoffs`)}
      </span>
      {waiting?.length === 0 && (
        <div className="card">
          {viewer.role === 'AGENT' && owner !== viewer.agentId ? (
            <EmptyState title="Your key may not read this inbox.">
              An agent sees the handoffs of the sessions that it holds or held.
            </EmptyState>
          ) : (
            <EmptyState title="No open handoffs.">
              {owner === '' ? 'Every handoff was answered.' : `Every handoff to ${owner} was answered.`}
            </EmptyState>
          )}
        </div>
      )}
      {list &&
        sections.map(({ status, title, means }) => {
          // Hides a handoff decided here at once: its status is in the cache before the list is read again.
          const rows = list.nodes.filter((handoff) => handoff.status === status);
          if (rows.length === 0) return null;
          return (
            <section key={status} className={styles.section} aria-labelledby={`inbox-${status}`}>
              <h2 id={`inbox-${status}`}>
                {title} <span className={styles.count}>{rows.length}</span>
              </h2>
              <p className="soft small">{means}</p>
              <ul role="list" className={styles.rows}>
                {rows.map((handoff) => (
                  <InboxRow key={handoff.id} handoff={handoff} showTarget={owner === ''} onAsk={setAsked} />
                ))}
              </ul>
            </section>
          );
        })}
      {list && list.totalCount > list.nodes.length && (
        <p className="soft small">
          The oldest {list.nodes.length} of {list.totalCount.toLocaleString()}.
        </p>
      )}
      {asked && <HandoffActDialog act={asked.act} handoffs={[asked.handoff]} onClose={() => setAsked(null)} />}
    </Page>
  );
}
