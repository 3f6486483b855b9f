import { lazy, Suspense } from 'react';
import { AgentChip } from '../agents/AgentChip.tsx';
import { PresenceOf } from '../agents/Presence.tsx';
import { graphql } from '../gql/gql.ts';
import type { SessionNowFragment } from '../gql/graphql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import { HandoffActions } from '../handoffs/decide/HandoffActions.tsx';
import { wantedText } from '../queue/words.ts';
import { Badge } from '../ui/Badge.tsx';
import { Deadline } from '../ui/Deadline.tsx';
import { Fold } from '../ui/Fold.tsx';
import { Time } from '../ui/Time.tsx';
import { useFocusKept } from '../ui/useFocusKept.ts';
import styles from './SessionNow.module.css';
import { useMay } from '../access/viewer.ts';
import { Paused } from './acts/Paused.tsx';
import { tenureLooks } from './tenureLooks.ts';

// Most sessions wait for no person.
const SessionApproval = lazy(() => import('../approvals/SessionApproval.tsx'));

export const SessionNowDocument = graphql(`
  fragment SessionNow on Session {
    id
    status
    situation
    summary
    endReason
    pauseReason
    result
    updatedAt
    ...Paused
    agent {
      id
      ...AgentChip
    }
    agentSession {
      id
      state
      startedAt
      claim {
        runnerId
      }
    }
    queueEntry {
      agentType
      role
      escalated
      position
    }
    openHandoff {
      id
      status
      deadlineAt
      ...HandoffActions
    }
  }
`);

/** The session's holder, its waiting handoff and, when finished, its result. */
export function SessionNow({ session: masked }: { session: FragmentType<typeof SessionNowDocument> }) {
  const session = readFragment(SessionNowDocument, masked);
  const { status, situation, agent, agentSession, openHandoff, summary, result, updatedAt } = session;
  // A question stands in its card.
  const reason = session.endReason ?? (situation === 'WAITING_FOR_PERSON' ? null : session.pauseReason);
  const mayResume = useMay('steerSession', agent?.id) && situation === 'PAUSED' && agent != null;
  const why = whyText(session);
  // A decided handoff disappears with its focused button.
  useFocusKept(openHandoff?.id ?? '');
  const isOver = status !== 'RUNNING' && status !== 'PAUSED';
  return (
    <div className={styles.now}>
      <div className={styles.line}>
        {agent ? <AgentChip agent={agent} /> : <span className="soft">Unassigned</span>}
        {agent && !isOver && <PresenceOf id={agent.id} />}
        {agentSession && <Badge {...tenureLooks[agentSession.state]} />}
        <span className={`soft small ${styles.since}`}>
          {isOver ? (
            <>
              {agent ? 'last holder; ' : ''}ended <Time at={updatedAt} />
            </>
          ) : (
            agentSession && (
              <>
                since <Time at={agentSession.startedAt} />
                {agentSession.claim && `, by runner ${agentSession.claim.runnerId}`}
              </>
            )
          )}
        </span>
        {openHandoff?.status === 'INITIATED' && <Deadline at={openHandoff.deadlineAt} />}
        {openHandoff && <HandoffActions handoff={openHandoff} />}
      </div>
      {why !== null && <p className={styles.why}>{why}</p>}
      {situation === 'WAITING_FOR_PERSON' && (
        <Suspense>
          <SessionApproval sessionId={session.id} />
        </Suspense>
      )}
      {summary != null && <Fold text={summary} lines={2} characters={300} />}
      {reason != null && <Fold text={reason} lines={2} characters={300} />}
      {mayResume && <Paused session={session} />}
      {result != null && <Fold text={JSON.stringify(result, null, 2)} mono lines={2} characters={300} />}
    </div>
  );
}

/** What the session waits for, and what a person may do about it; null when its holder works or it is over. */
function whyText({ situation, queueEntry }: Pick<SessionNowFragment, 'situation' | 'queueEntry'>): string | null {
  switch (situation) {
    case 'QUEUED':
      return queueEntry ? `Waits for ${wantedText(queueEntry)}${placeText(queueEntry.position)}.` : null;
    case 'WITHOUT_HOLDER':
      return queueEntry ? `Waits for ${wantedText(queueEntry)}.` : 'No agent will get it until somebody reassigns it.';
    case 'LIMIT_REACHED':
      return 'Agents can hand it off no more until somebody reassigns it or raises its limit.';
    case 'SILENT':
      return 'Nothing has happened for 30 minutes or more.';
    default:
      return null;
  }
}

const placeText = (position: number | null | undefined): string => (position == null ? '' : `, number ${position}`);
