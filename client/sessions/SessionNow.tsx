import { AgentChip } from '../agents/AgentChip.tsx';
import { PresenceOf } from '../agents/Presence.tsx';
import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import { HandoffActions } from '../handoffs/decide/HandoffActions.tsx';
import { HandoffBadge } from '../handoffs/HandoffBadge.tsx';
import { Badge } from '../ui/Badge.tsx';
import { Deadline } from '../ui/Deadline.tsx';
import { Fold } from '../ui/Fold.tsx';
import { Time } from '../ui/Time.tsx';
import { useFocusKept } from '../ui/useFocusKept.ts';
import styles from './SessionNow.module.css';
import { tenureLooks } from './tenureLooks.ts';

export const SessionNowFragment = graphql(`
  fragment SessionNow on Session {
    id
    status
    summary
    endReason
    result
    updatedAt
    agent {
      id
      ...AgentChip
    }
    agentSession {
      id
      state
      startedAt
    }
    openHandoff {
      id
      status
      deadlineAt
      ...HandoffBadge
      ...HandoffActions
    }
  }
`);

/** The session's holder, its waiting handoff and, when finished, its result. */
export function SessionNow({ session: masked }: { session: FragmentType<typeof SessionNowFragment> }) {
  const { status, agent, agentSession, openHandoff, summary, endReason, result, updatedAt } = readFragment(
    SessionNowFragment,
    masked,
  );
  // A decided handoff disappears with its focused button.
  useFocusKept(openHandoff?.id ?? '');
  const isOver = status !== 'RUNNING' && status !== 'PAUSED';
  return (
    <div className={styles.now}>
      <div className={styles.line}>
        {agent ? <AgentChip agent={agent} /> : <span className="soft">Unassigned</span>}
        {agent && !isOver && <PresenceOf id={agent.id} />}
        {agentSession && <Badge {...tenureLooks[agentSession.state]} />}
        <span className="soft small">
          {isOver ? (
            <>
              {agent ? 'last holder; ' : ''}ended <Time at={updatedAt} />
            </>
          ) : (
            agentSession && (
              <>
                since <Time at={agentSession.startedAt} />
              </>
            )
          )}
        </span>
      </div>
      {openHandoff && (
        <div className={styles.line}>
          <HandoffBadge handoff={openHandoff} />
          {openHandoff.status === 'INITIATED' && <Deadline at={openHandoff.deadlineAt} />}
        </div>
      )}
      {openHandoff && <HandoffActions handoff={openHandoff} />}
      {summary != null && <Fold text={summary} lines={5} characters={600} />}
      {endReason != null && <Fold text={endReason} lines={5} characters={600} />}
      {result != null && <Fold text={JSON.stringify(result, null, 2)} mono lines={5} characters={600} />}
    </div>
  );
}
