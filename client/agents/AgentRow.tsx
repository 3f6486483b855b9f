import { memo } from 'react';
import { Link } from 'wouter';
import { graphql } from '../gql/gql.ts';
import type { AgentRowFragment as Row } from '../gql/graphql.ts';
import { Badge } from '../ui/Badge.tsx';
import { successText } from '../graph/outcomes.ts';
import { AgentChip } from './AgentChip.tsx';
import { AgentStatusControl } from './AgentStatusControl.tsx';
import styles from './AgentsPage.module.css';
import type { Listed } from './fleet.ts';
import { LoadBar } from './LoadBar.tsx';
import { agentLooks } from './looks.ts';
import { Presence } from './Presence.tsx';

export const AgentRowFragment = graphql(`
  fragment AgentRow on Agent {
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

export type ListedAgent = Row & Listed;

export interface AgentRowProps {
  agent: ListedAgent;
  mayManage: boolean;
  mayVisitInbox: boolean;
}

/** An agent with its status, its load and its handoffs. */
export const AgentRow = memo(function AgentRow({ agent, mayManage, mayVisitInbox }: AgentRowProps) {
  const { id, name, type, role, administrativeStatus, freePlaces, waiting, received, given } = agent;
  const inbox = waiting === undefined ? '' : waiting.toLocaleString();
  return (
    <tr data-agent={id}>
      <td>
        <AgentChip agent={agent} className={styles.who} />
        {name !== id && <div className={`soft small ${styles.text}`}>{name}</div>}
      </td>
      <td className={`small ${styles.text}`}>
        {type}
        {role && ` · ${role}`}
      </td>
      <td>
        <span className={styles.states}>
          {mayManage ? (
            <AgentStatusControl id={id} status={administrativeStatus} />
          ) : (
            <Badge {...agentLooks[administrativeStatus]} />
          )}
        </span>
      </td>
      <td>
        <Presence seen={agent.seen} />
      </td>
      <td>
        <span className={styles.states}>
          <LoadBar load={agent.currentLoad} capacity={agent.maxCapacity} />
          {freePlaces === 0 && <Badge {...agentLooks.BUSY} />}
        </span>
      </td>
      <td className={styles.number}>
        {mayVisitInbox ? (
          <Link href={`/inbox/${id}`} data-waits={waiting !== undefined && waiting > 0}>
            {inbox === '' ? (
              <>
                Inbox<span className="hidden"> of {id}</span>
              </>
            ) : (
              <>
                {inbox}
                <span className={styles.onPhone}> waiting</span>
                <span className="hidden"> in the inbox of {id}</span>
              </>
            )}
          </Link>
        ) : (
          inbox
        )}
      </td>
      <td className={styles.number}>
        {received !== undefined && (
          <Link href={`/handoffs?target=${id}`}>
            {received.toLocaleString()}
            <span className={styles.onPhone}> received</span>
          </Link>
        )}
      </td>
      <td className={styles.number}>
        {given !== undefined && (
          <Link href={`/handoffs?source=${id}`}>
            {given.toLocaleString()}
            <span className={styles.onPhone}> given</span>
          </Link>
        )}
      </td>
      <td className={styles.number}>
        {agent.acceptance != null && (
          <>
            {successText(agent.acceptance)}
            <span className={styles.onPhone}> accepted</span>
          </>
        )}
      </td>
    </tr>
  );
});
