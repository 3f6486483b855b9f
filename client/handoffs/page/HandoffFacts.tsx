import { Link } from 'wouter';
import { AgentChip } from '../../agents/AgentChip.tsx';
import { Decision } from '../../approvals/Decision.tsx';
import { Edits } from '../../approvals/Edits.tsx';
import { graphql } from '../../gql/gql.ts';
import { readFragment, type FragmentType } from '../../gql/index.ts';
import type { HandoffFactsFragment as Facts, HandoffVia } from '../../gql/graphql.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Deadline } from '../../ui/Deadline.tsx';
import { Time } from '../../ui/Time.tsx';
import { formatDuration, formatExact } from '../../ui/time.ts';
import { endedBecause } from '../ended.ts';
import styles from './HandoffFacts.module.css';
import { handoffLooks } from '../looks.ts';

export const HandoffFactsFragment = graphql(`
  fragment HandoffFacts on Handoff {
    id
    status
    reason
    via
    circular
    initiatedAt
    deadlineAt
    acceptedAt
    closedAt
    sourceAgentType
    targetAgentType
    sentBack
    returnOf {
      id
      depth
    }
    actor {
      principal
      role
      name
    }
    approval {
      id
      decision
    }
    ...Ended
    ...Decision
    ...Edits
    sourceAgent {
      id
      ...AgentChip
    }
    targetAgent {
      id
      ...AgentChip
    }
  }
`);

export const viaWords: Record<HandoffVia, string> = {
  OPERATOR: 'by an operator',
  API: 'by the agent',
  TOOL: 'by the agent, with a tool',
  PIPELINE: 'by a pipeline',
};

/** Source, target, reason, initiator, and each step with its time. */
export function HandoffFacts({ handoff: masked }: { handoff: FragmentType<typeof HandoffFactsFragment> }) {
  const handoff = readFragment(HandoffFactsFragment, masked);
  const { status, reason, via, circular, actor, sourceAgent, targetAgent } = handoff;
  const outcome = endedBecause(handoff);
  return (
    <div className={styles.facts}>
      <div className={styles.way}>
        <span className={styles.end}>
          {sourceAgent ? <AgentChip agent={sourceAgent} /> : <span className="soft">unassigned</span>}
          <span className="soft small">{handoff.sourceAgentType ?? 'unassigned'}</span>
        </span>
        <span className={styles.arrow}>
          <Icon name="arrow" size={22} />
        </span>
        <span className={styles.end}>
          <AgentChip agent={targetAgent} />
          <span className="soft small">{handoff.targetAgentType}</span>
        </span>
        <span className={styles.badge} data-handoff={status}>
          <Badge {...handoffLooks[status]} />
        </span>
      </div>
      <dl className={`facts ${styles.list}`}>
        <div>
          <dt>Reason</dt>
          <dd>{reason ?? <span className="soft">No reason was given.</span>}</dd>
        </div>
        {outcome !== null && (
          <div className={styles.outcome} data-bad={status !== 'CANCELLED'}>
            <dt>{handoffLooks[status].word}</dt>
            <dd>{outcome}</dd>
          </div>
        )}
        {(handoff.approval?.decision === 'APPROVED' || handoff.approval?.decision === 'DECLINED') && (
          <div>
            <dt>Decided</dt>
            <dd>
              <Decision handoff={handoff} />
              <Edits handoff={handoff} isOpen />
            </dd>
          </div>
        )}
        <div>
          <dt>Started</dt>
          <dd>
            <Time at={handoff.initiatedAt} /> <span className="soft">{formatExact(handoff.initiatedAt)}</span>,{' '}
            {viaWords[via]} ({actor.name ?? actor.principal}){handoff.sentBack && ' · sent back'}
            {handoff.sentBack && handoff.returnOf && (
              <>
                : returns <Link href={`/handoffs/${handoff.returnOf.id}`}>handoff {handoff.returnOf.depth}</Link>
              </>
            )}
            {circular && <span className="soft"> · the target held this session before</span>}
          </dd>
        </div>
        <div>
          <dt>{isWaiting(status) ? 'Deadline' : 'Ended'}</dt>
          <dd>{stepsOf(handoff)}</dd>
        </div>
      </dl>
    </div>
  );
}

const isWaiting = (status: Facts['status']): boolean => status === 'INITIATED' || status === 'PROPOSED';

function stepsOf({ status, initiatedAt, acceptedAt, closedAt, deadlineAt }: Facts) {
  if (isWaiting(status)) {
    return (
      <>
        <Deadline at={deadlineAt} /> <span className="soft">{formatExact(deadlineAt)}</span>
      </>
    );
  }
  const after = (from: string, to: string) => formatDuration(new Date(to).getTime() - new Date(from).getTime());
  const accepted = acceptedAt == null ? null : `accepted after ${after(initiatedAt, acceptedAt)}`;
  const closed =
    closedAt == null
      ? null
      : `${handoffLooks[status].word.toLowerCase()} after ${after(acceptedAt ?? initiatedAt, closedAt)}`;
  return [accepted, closed].filter((step) => step !== null).join(', then ');
}
