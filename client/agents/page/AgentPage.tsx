import { lazy, Suspense, useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { useAccess, useMay } from '../../access/viewer.ts';
import { Page } from '../../app/Page.tsx';
import { graphql } from '../../gql/gql.ts';
import type { AgentPageQuery as Data } from '../../gql/graphql.ts';
import { useRereadOn } from '../../live/events.ts';
import { usePageActions } from '../../palette/actions.ts';
import { situationLooks } from '../../sessions/looks.ts';
import { Badge } from '../../ui/Badge.tsx';
import { copyAct, CopyId } from '../../ui/CopyId.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { RequestError } from '../../ui/ErrorNote.tsx';
import { Fold } from '../../ui/Fold.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { Time } from '../../ui/Time.tsx';
import { AgentStatusControl } from '../AgentStatusControl.tsx';
import { LoadBar } from '../LoadBar.tsx';
import { agentLooks } from '../looks.ts';
import { PresenceOf } from '../Presence.tsx';
import styles from './AgentPage.module.css';
import { AgentPrompt } from './AgentPrompt.tsx';
import { AgentTools } from './AgentTools.tsx';
import { Collaborations } from './Collaborations.tsx';
import { Paths } from './Paths.tsx';

const TakeOutDialog = lazy(() => import('../takeOut/TakeOutDialog.tsx'));

// An AGENT reads the fields behind `$own` of its own agent only.
const AgentPageQuery = graphql(`
  query AgentPage($id: ID!, $own: Boolean!) {
    agent(id: $id) {
      id
      name
      type
      role
      model
      contextWindow
      description
      status
      administrativeStatus
      currentLoad
      maxCapacity
      freePlaces
      registeredAt
      archivedAt
      totalAssigned @include(if: $own)
      definition @include(if: $own) {
        path
        contentHash
        importedAt
        tools
      }
      handoffsGiven(first: 0) @include(if: $own) {
        totalCount
      }
      handoffsReceived(first: 0) @include(if: $own) {
        totalCount
      }
    }
    sessions(first: 10, where: { agentId: $id, status: [RUNNING, PAUSED] }) @include(if: $own) {
      nodes {
        id
        title
        situation
      }
      totalCount
    }
  }
`);

type Agent = NonNullable<Data['agent']>;

/** An agent: its state, definition, prompt, collaborations and tools. */
export default function AgentPage({ id }: { id: string }) {
  const { viewer } = useAccess();
  const own = viewer.role !== 'AGENT' || viewer.agentId === id;
  const [{ data, error }, ask] = useQuery({
    query: AgentPageQuery,
    variables: { id, own },
    requestPolicy: 'cache-and-network',
  });
  useRereadOn(
    ({ agent, handoff, session }) =>
      [agent?.id, handoff?.sourceAgent?.id, handoff?.targetAgent.id, session?.agent?.id].includes(id) ||
      (session !== null && handoff === null),
    () => ask({ requestPolicy: 'network-only' }),
  );
  const failure = error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />;
  const agent = data?.agent;
  if (agent) {
    return (
      <Page
        title={agent.name}
        intro={
          <span className={styles.line}>
            <Badge {...agentLooks[agent.administrativeStatus]} />
            {agent.freePlaces === 0 && <Badge {...agentLooks.BUSY} />}
            {agent.archivedAt == null && <PresenceOf id={id} />}
            {agent.archivedAt != null && <Badge tone="bad" icon="ban" word="Archived" />}
            <span>
              {[
                agent.type,
                agent.role,
                agent.model,
                agent.contextWindow == null ? null : `window of ${agent.contextWindow.toLocaleString('en')} tokens`,
                agent.name === agent.id ? null : agent.id,
              ]
                .filter((word) => word != null && word !== '')
                .join(' · ')}
            </span>
            <CopyId id={agent.id} noun="agent" />
          </span>
        }
        actions={
          <>
            <Links id={id} own={own} />
            {agent.archivedAt == null && <TakeOut agent={agent} />}
          </>
        }
      >
        {failure}
        <div className={styles.top}>
          <State agent={agent} sessions={data.sessions} />
          {own && <Definition of={agent.definition} />}
        </div>
        {own ? (
          <>
            <Collaborations id={id} />
            <Paths id={id} />
            <AgentPrompt id={id} sessions={data.sessions?.nodes ?? []} />
            <AgentTools id={id} />
          </>
        ) : (
          <p className="soft">An agent sees the definition, the collaborations and the tools of itself only.</p>
        )}
      </Page>
    );
  }
  return (
    <Page title={id}>
      {failure}
      {!data && !error && <Skeleton height="20rem" />}
      {data && (
        <div className="card">
          <EmptyState icon="bot" title="There is no such agent.">
            <Link href="/agents">All agents</Link>
          </EmptyState>
        </div>
      )}
    </Page>
  );
}

/** Takes the agent out of the pool; in the palette, too. */
function TakeOut({ agent }: { agent: Agent }) {
  const [isOpen, setOpen] = useState(false);
  const mayManage = useMay('manageAgents');
  usePageActions([
    ...(mayManage ? [{ word: 'Take this agent out …', icon: 'exit' as const, run: () => setOpen(true) }] : []),
    copyAct(agent.id, 'agent'),
  ]);
  if (!mayManage) return null;
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        <Icon name="exit" /> Take out …
      </button>
      <Suspense>{isOpen && <TakeOutDialog agent={agent} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

function Links({ id, own }: { id: string; own: boolean }) {
  const agent = encodeURIComponent(id);
  return (
    <>
      <Link href={`/sessions?agent=${agent}`} className="button">
        Sessions
      </Link>
      {own && (
        <Link href={`/inbox/${agent}`} className="button">
          Inbox
        </Link>
      )}
      <Link href={`/graph?agent=${agent}`} className="button">
        Graph
      </Link>
    </>
  );
}

function State({ agent, sessions }: { agent: Agent; sessions: Data['sessions'] }) {
  const {
    id,
    description,
    administrativeStatus,
    currentLoad,
    maxCapacity,
    totalAssigned,
    handoffsGiven,
    handoffsReceived,
    registeredAt,
    archivedAt,
  } = agent;
  const mayManage = useMay('manageAgents');
  return (
    <section className={`card ${styles.part}`} aria-labelledby="state">
      <h2 id="state">Its work</h2>
      {description != null && <Fold text={description} lines={5} />}
      <LoadBar load={currentLoad} capacity={maxCapacity} />
      {mayManage && archivedAt == null && <AgentStatusControl id={id} status={administrativeStatus} />}
      {sessions && (
        <ul role="list" className={styles.sessions} aria-label="Sessions that it holds">
          {sessions.nodes.map((session) => (
            <li key={session.id}>
              <Link href={`/sessions/${session.id}`}>{session.title}</Link>{' '}
              <Badge {...situationLooks[session.situation]} />
            </li>
          ))}
          {sessions.totalCount === 0 && <li className="soft">It holds no session.</li>}
          {sessions.totalCount > sessions.nodes.length && (
            <li>
              <Link href={`/sessions?agent=${encodeURIComponent(id)}`}>
                All {sessions.totalCount.toLocaleString()} sessions
              </Link>
            </li>
          )}
        </ul>
      )}
      <p className={`small ${styles.line}`}>
        {handoffsReceived && (
          <Link href={`/handoffs?target=${encodeURIComponent(id)}`}>
            {handoffsReceived.totalCount.toLocaleString()} handoffs received
          </Link>
        )}
        {handoffsGiven && (
          <Link href={`/handoffs?source=${encodeURIComponent(id)}`}>
            {handoffsGiven.totalCount.toLocaleString()} given
          </Link>
        )}
        <span className="soft">
          {totalAssigned !== undefined && `${totalAssigned.toLocaleString()} sessions ever, `}registered{' '}
          <Time at={registeredAt} />
        </span>
      </p>
    </section>
  );
}

function Definition({ of }: { of: Agent['definition'] }) {
  return (
    <section className={`card ${styles.part}`} aria-labelledby="definition">
      <h2 id="definition">Definition</h2>
      {of == null ? (
        <p className="soft">
          It was registered without a file. <code>baton agents import</code> reads agents from Markdown.
        </p>
      ) : (
        <dl className="facts">
          <div>
            <dt>File</dt>
            <dd className="mono">{of.path}</dd>
          </div>
          <div>
            <dt>Imported</dt>
            <dd>
              <Time at={of.importedAt} />
            </dd>
          </div>
          <div>
            <dt>SHA-256</dt>
            <dd className="mono">{of.contentHash}</dd>
          </div>
          {of.tools.length > 0 && (
            <div>
              <dt>Its own tools</dt>
              <dd className="mono">{of.tools.join(', ')}</dd>
            </div>
          )}
        </dl>
      )}
    </section>
  );
}
