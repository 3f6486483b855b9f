import { memo } from 'react';
import { Link } from 'wouter';
import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import { Badge } from '../ui/Badge.tsx';
import { Icon } from '../ui/Icon.tsx';
import styles from './AgentCard.module.css';
import { AgentChip } from './AgentChip.tsx';
import { AgentStatusControl } from './AgentStatusControl.tsx';
import { LoadBar } from './LoadBar.tsx';
import { agentLooks } from './looks.ts';
import { Presence, type Seen } from './Presence.tsx';

export const AgentCardFragment = graphql(`
  fragment AgentCard on Agent {
    id
    name
    type
    role
    status
    administrativeStatus
    currentLoad
    maxCapacity
    freePlaces
    ...AgentChip
  }
`);

export interface AgentCardProps {
  agent: FragmentType<typeof AgentCardFragment>;
  given: number | null;
  received: number | null;
  mayManage: boolean;
  mayVisitInbox: boolean;
  /** Undefined until it was read. */
  seen: Seen | undefined;
}

/** An agent with its load, its handoffs and its status. */
export const AgentCard = memo(function AgentCard({
  agent: masked,
  given,
  received,
  mayManage,
  mayVisitInbox,
  seen,
}: AgentCardProps) {
  const agent = readFragment(AgentCardFragment, masked);
  return (
    <li className={`card ${styles.card}`} data-agent={agent.id}>
      <div className={styles.top}>
        <AgentChip agent={agent} />
        <span className={styles.states}>
          <Badge {...agentLooks[agent.administrativeStatus]} />
          {agent.freePlaces === 0 && <Badge {...agentLooks.BUSY} />}
        </span>
      </div>
      <p className={`soft small ${styles.what}`}>
        {agent.type}
        {agent.role && ` · ${agent.role}`}
        {agent.name !== agent.id && ` · ${agent.name}`}
      </p>
      <p className={styles.seen}>
        <Presence seen={seen} />
      </p>
      <LoadBar load={agent.currentLoad} capacity={agent.maxCapacity} />
      <div className={styles.flow}>
        {received !== null && (
          <Link href={`/handoffs?target=${agent.id}`}>
            <Icon name="inbox" size={14} /> {received.toLocaleString()} received
          </Link>
        )}
        {given !== null && (
          <Link href={`/handoffs?source=${agent.id}`}>
            <Icon name="arrow" size={14} /> {given.toLocaleString()} given
          </Link>
        )}
        {mayVisitInbox && (
          <Link href={`/inbox/${agent.id}`} className={styles.inbox}>
            Inbox<span className="hidden"> of {agent.id}</span>
          </Link>
        )}
      </div>
      {mayManage && <AgentStatusControl id={agent.id} status={agent.administrativeStatus} />}
    </li>
  );
});
