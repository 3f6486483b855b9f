import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import type { HandoffBadgeFragment as HandoffBadgeData } from '../gql/graphql.ts';
import { BadgeLink } from '../ui/Badge.tsx';
import { Time } from '../ui/Time.tsx';
import { formatExact } from '../ui/time.ts';
import { Tooltip } from '../ui/Tooltip.tsx';
import styles from './HandoffBadge.module.css';
import { handoffLooks } from './looks.ts';

export const HandoffBadgeFragment = graphql(`
  fragment HandoffBadge on Handoff {
    id
    status
    initiatedAt
    deadlineAt
    closedAt
    reason
    rejectionReason
    failureReason
    cancelReason
    sourceAgent {
      id
    }
    targetAgent {
      id
    }
  }
`);

export interface HandoffBadgeProps {
  handoff: FragmentType<typeof HandoffBadgeFragment>;
  className?: string;
  /** Shows from whom to whom beside the status. */
  withRoute?: boolean;
}

/** A handoff's status with details in a tooltip. Links to the handoff. */
export function HandoffBadge({ handoff: masked, className = '', withRoute = false }: HandoffBadgeProps) {
  const handoff = readFragment(HandoffBadgeFragment, masked);
  const look = handoffLooks[handoff.status];
  const source = handoff.sourceAgent?.id ?? 'no agent';
  return (
    <Tooltip content={<Story handoff={handoff} />}>
      <BadgeLink
        {...look}
        href={`/handoffs/${handoff.id}`}
        className={`${styles.badge} ${className}`}
        data-handoff={handoff.status}
        aria-label={`Handoff ${look.word.toLowerCase()}: from ${source} to ${handoff.targetAgent.id}`}
        data-route={withRoute ? `${handoff.sourceAgent?.id ?? 'unassigned'} → ${handoff.targetAgent.id}` : undefined}
      />
    </Tooltip>
  );
}

function Story({ handoff }: { handoff: HandoffBadgeData }) {
  const outcome = handoff.rejectionReason ?? handoff.failureReason ?? handoff.cancelReason;
  return (
    <dl className={styles.story}>
      <dt>From</dt>
      <dd>{handoff.sourceAgent?.id ?? 'unassigned'}</dd>
      <dt>To</dt>
      <dd>{handoff.targetAgent.id}</dd>
      <dt>When</dt>
      <dd>
        {formatExact(handoff.initiatedAt)} (<Time at={handoff.initiatedAt} />)
      </dd>
      <dt>Reason</dt>
      <dd>{handoff.reason ?? 'none given'}</dd>
      {handoff.status === 'INITIATED' && (
        <>
          <dt>Deadline</dt>
          <dd>{formatExact(handoff.deadlineAt)}</dd>
        </>
      )}
      {outcome && (
        <>
          <dt>{handoffLooks[handoff.status].word}</dt>
          <dd>{outcome}</dd>
        </>
      )}
    </dl>
  );
}
