import { memo } from 'react';
import { Link } from 'wouter';
import { SelectBox, withBox } from '../acts/SelectBox.tsx';
import { AgentChip } from '../agents/AgentChip.tsx';
import type { Selection } from '../acts/useSelection.ts';
import type { Columns } from '../density/density.ts';
import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import { HandoffBadge } from '../handoffs/HandoffBadge.tsx';
import { priorityWords } from '../queue/words.ts';
import { Badge } from '../ui/Badge.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Time } from '../ui/Time.tsx';
import { situationLooks } from './looks.ts';
import styles from './SessionRow.module.css';

export const SessionRowFragment = graphql(`
  fragment SessionRow on Session {
    id
    title
    status
    situation
    createdAt
    lastActivityAt
    priority
    project
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

export const sessionColumns: Columns = {
  list: 'sessions',
  names: ['Status', 'Agent', 'Last handoff', 'Priority', 'Project'],
  off: ['Priority', 'Project'],
};

export interface SessionRowProps {
  session: FragmentType<typeof SessionRowFragment>;
  /** The session no longer matches the view. */
  hasLeft: boolean;
  /** The columns that are shown besides the title. */
  columns: readonly string[];
  /** Something happened since the viewer last looked at it. */
  hasChanged: boolean;
  /** Shows the time of the last activity instead of that of creation. */
  byActivity: boolean;
  /** Undefined when the viewer may not reassign. */
  onReassign: ((sessionId: string) => void) | undefined;
  selected: boolean;
  /** Undefined when the viewer may not act on many. */
  onSelect: Selection['toggle'] | undefined;
}

export const isOpen = (status: string): boolean => status === 'RUNNING' || status === 'PAUSED';

/** A session in a list: its title, situation, holder and last handoff. */
export const SessionRow = memo(function SessionRow({
  session: masked,
  hasLeft,
  hasChanged,
  columns,
  byActivity,
  onReassign,
  selected,
  onSelect,
}: SessionRowProps) {
  const { id, title, status, situation, createdAt, lastActivityAt, priority, project, agent, lastHandoff } =
    readFragment(SessionRowFragment, masked);
  return (
    <div
      role="listitem"
      className={onSelect ? `${styles.row} ${withBox}` : styles.row}
      data-session={id}
      data-left={hasLeft}
      data-changed={hasChanged}
      data-selected={selected}
    >
      {onSelect && <SelectBox id={id} label={title} checked={selected} onToggle={onSelect} />}
      <div className={styles.title}>
        <Link href={`/sessions/${id}`} title={title}>
          {title}
        </Link>
        <span className="soft small">
          {byActivity && 'active '}
          <Time at={byActivity ? lastActivityAt : createdAt} />
          {hasChanged && ' · changed'}
          {hasLeft && ' · no longer in this view'}
        </span>
      </div>
      {columns.includes('Status') && <Badge className={styles.status} {...situationLooks[situation]} />}
      {columns.includes('Agent') &&
        (agent ? (
          <AgentChip className={styles.agent} agent={agent} />
        ) : (
          <span className={`${styles.agent} ${styles.nobody}`}>Unassigned</span>
        ))}
      {columns.includes('Last handoff') && lastHandoff && (
        <HandoffBadge className={styles.handoff} handoff={lastHandoff} withRoute />
      )}
      {columns.includes('Priority') && <span className={styles.priority}>{priorityWords[priority]}</span>}
      {columns.includes('Project') && (
        <span className={styles.project} title={project ?? undefined}>
          {project}
        </span>
      )}
      {onReassign && isOpen(status) && (
        <button
          type="button"
          className={`button small ${styles.action}`}
          aria-keyshortcuts="r"
          onClick={() => onReassign(id)}
          aria-label={`Reassign "${title}"`}
        >
          <Icon name="swap" /> Reassign
        </button>
      )}
    </div>
  );
});
