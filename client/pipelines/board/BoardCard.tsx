import { memo } from 'react';
import { Link } from 'wouter';
import type { SessionPriority } from '../../gql/graphql.ts';
import { HandoffBadge } from '../../handoffs/HandoffBadge.tsx';
import { situationLooks } from '../../sessions/looks.ts';
import { Badge, type Look } from '../../ui/Badge.tsx';
import { useNow } from '../../ui/clock.ts';
import { formatExact, formatSpan } from '../../ui/time.ts';
import styles from './Board.module.css';
import type { Card } from './card.ts';

const priorityLooks: Record<SessionPriority, Look | null> = {
  URGENT: { tone: 'bad', icon: 'alert', word: 'Urgent' },
  HIGH: { tone: 'wait', icon: 'alert', word: 'High' },
  NORMAL: null,
  LOW: { tone: 'calm', icon: 'dash', word: 'Low' },
};

/** A Session on the board. Its title is the link, and covers the card. */
export const BoardCard = memo(function BoardCard({ card }: { card: Card }) {
  const { id, title, status, situation, agent, lastHandoff, priority, pipeline } = card;
  const isQueued = pipeline?.queuedSince != null;
  const isFinished = status !== 'RUNNING' && status !== 'PAUSED';
  const look = priorityLooks[priority];
  return (
    <li className={styles.card} data-session={id} data-queued={isQueued}>
      <Link href={`/sessions/${id}`} className={styles.title} title={title}>
        {title}
      </Link>
      <div className={styles.line}>
        {isQueued ? (
          <Badge {...situationLooks[situation]} />
        ) : (
          <span className={styles.agent} title={agent ? `${agent.id} (${agent.type})` : undefined}>
            {agent?.id ?? 'Unassigned'}
          </span>
        )}
        {pipeline?.enteredAt != null && <Age at={pipeline.enteredAt} />}
      </div>
      <div className={styles.line}>
        {!isQueued && situation !== 'WORKING' && <Badge {...situationLooks[situation]} />}
        {!isFinished && !isQueued && lastHandoff && <HandoffBadge className={styles.handoff} handoff={lastHandoff} />}
        {look && <Badge {...look} />}
      </div>
    </li>
  );
});

/** The time in the stage. */
function Age({ at }: { at: string }) {
  const now = useNow();
  return (
    <time className={styles.age} dateTime={at} title={`In this stage since ${formatExact(at)}`}>
      <span className="hidden">In this stage for </span>
      {formatSpan(at, now)}
    </time>
  );
}
