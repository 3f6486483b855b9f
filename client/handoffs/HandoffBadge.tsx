import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import type { HandoffBadgeFragment as HandoffBadgeData } from '../gql/graphql.ts';
import { BadgeLink, type Look } from '../ui/Badge.tsx';
import { useNow } from '../ui/clock.ts';
import { deadlineLook, leftText } from '../ui/deadline.ts';
import { Time } from '../ui/Time.tsx';
import { formatExact } from '../ui/time.ts';
import { Tooltip } from '../ui/Tooltip.tsx';
import { endedBecause } from './ended.ts';
import styles from './HandoffBadge.module.css';
import { handoffLooks } from './looks.ts';

export const HandoffBadgeFragment = graphql(`
  fragment HandoffBadge on Handoff {
    id
    status
    initiatedAt
    deadlineAt
    reason
    ...Ended
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
export function HandoffBadge({ handoff: masked, ...shown }: HandoffBadgeProps) {
  const handoff = readFragment(HandoffBadgeFragment, masked);
  return handoff.status === 'INITIATED' ? (
    <WaitingBadge handoff={handoff} {...shown} />
  ) : (
    <Shown handoff={handoff} look={handoffLooks[handoff.status]} {...shown} />
  );
}

type ShownProps = Omit<HandoffBadgeProps, 'handoff'> & { handoff: HandoffBadgeData };

/** Only a waiting handoff changes with the clock: lists have a thousand others. */
function WaitingBadge({ handoff, ...shown }: ShownProps) {
  const now = useNow();
  const left = leftText(handoff.deadlineAt, now);
  const look = handoffLooks.INITIATED;
  const { tone } = deadlineLook(handoff.deadlineAt, now);
  return (
    <Shown
      handoff={handoff}
      look={left === null ? look : { tone, icon: 'alert', word: `${look.word}, ${left}` }}
      {...shown}
    />
  );
}

function Shown({ handoff, look, className = '', withRoute = false }: ShownProps & { look: Look }) {
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
  const outcome = endedBecause(handoff);
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
      {outcome !== null && (
        <>
          <dt>{handoffLooks[handoff.status].word}</dt>
          <dd>{outcome}</dd>
        </>
      )}
    </dl>
  );
}
