import { memo } from 'react';
import { Link } from 'wouter';
import { SelectBox, withBox } from '../acts/SelectBox.tsx';
import { AgentChip } from '../agents/AgentChip.tsx';
import type { Selection } from '../acts/useSelection.ts';
import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import { HandoffBadge } from '../handoffs/HandoffBadge.tsx';
import { Badge } from '../ui/Badge.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Time } from '../ui/Time.tsx';
import { sessionLooks } from './looks.ts';
import styles from './SessionRow.module.css';

export const SessionRowFragment = graphql(`
  fragment SessionRow on Session {
    id
    title
    status
    createdAt
    lastActivityAt
    agent {
      id
      ...AgentChip
    }
    lastHandoff {
      id
      ...HandoffBadge
    }
  }
`);

export interface SessionRowProps {
  session: FragmentType<typeof SessionRowFragment>;
  /** The session no longer matches the view. */
  hasLeft: boolean;
  /** Shows the time of the last activity instead of that of creation. */
  byActivity: boolean;
  /** Undefined when the viewer may not reassign. */
  onReassign: ((sessionId: string) => void) | undefined;
  selected: boolean;
  /** Undefined when the viewer may not act on many. */
  onSelect: Selection['toggle'] | undefined;
}

export const isOpen = (status: string): boolean => status === 'RUNNING' || status === 'PAUSED';

/** A session in a list: its title, status, holder and last handoff. */
export const SessionRow = memo(function SessionRow({ session: masked, hasLeft, byActivity, onReassign, selected, onSelect }: SessionRowProps) {
  const { id, title, status, createdAt, lastActivityAt, agent, lastHandoff } = readFragment(SessionRowFragment, masked);
  return (
    <div role="listitem" className={onSelect ? `${styles.row} ${withBox}` : styles.row} data-session={id} data-left={hasLeft} data-selected={selected}>
      {onSelect && <SelectBox id={id} label={title} checked={selected} onToggle={onSelect} />}
      <div className={styles.title}>
        <Link href={`/sessions/${id}`} title={title}>
          {title}
        </Link>
        <span className="soft small">
          {byActivity && 'active '}
          <Time at={byActivity ? lastActivityAt : createdAt} />
          {hasLeft && ' · no longer in this view'}
        </span>
      </div>
      <Badge className={styles.status} {...sessionLooks[status]} />
      {agent ? <AgentChip className={styles.agent} agent={agent} /> : <span className={`${styles.agent} ${styles.nobody}`}>Unassigned</span>}
      {lastHandoff && <HandoffBadge className={styles.handoff} handoff={lastHandoff} withRoute />}
      {onReassign && isOpen(status) && (
        <button type="button" className={`button small ${styles.action}`} onClick={() => onReassign(id)} aria-label={`Reassign "${title}"`}>
          <Icon name="swap" /> Reassign
        </button>
      )}
    </div>
  );
});
