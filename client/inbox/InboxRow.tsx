import { Link } from 'wouter';
import { AgentChip } from '../agents/AgentChip.tsx';
import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import { HandoffActions, type HandoffActionsProps } from '../handoffs/decide/HandoffActions.tsx';
import { HandoffBadge } from '../handoffs/HandoffBadge.tsx';
import { Route } from '../handoffs/Route.tsx';
import { Fold } from '../ui/Fold.tsx';
import { Deadline } from '../ui/Deadline.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Time } from '../ui/Time.tsx';
import styles from './InboxPage.module.css';

export const InboxRowFragment = graphql(`
  fragment InboxRow on Handoff {
    id
    status
    reason
    summary
    initiatedAt
    acceptedAt
    deadlineAt
    filesModified
    pendingTasks
    session {
      id
      title
    }
    sourceAgent {
      id
      ...AgentChip
    }
    targetAgent {
      id
      ...AgentChip
    }
    ...HandoffBadge
    ...HandoffActions
  }
`);

export interface InboxRowProps {
  handoff: FragmentType<typeof InboxRowFragment>;
  showTarget: boolean;
  onAsk: HandoffActionsProps['onAsk'];
}

/** A waiting handoff with its session, source, age, deadline and actions. */
export function InboxRow({ handoff: masked, showTarget, onAsk }: InboxRowProps) {
  const handoff = readFragment(InboxRowFragment, masked);
  const {
    id,
    status,
    reason,
    summary,
    initiatedAt,
    acceptedAt,
    deadlineAt,
    session,
    sourceAgent,
    targetAgent,
    filesModified,
    pendingTasks,
  } = handoff;
  return (
    <li className={`card ${styles.row}`} data-handoff-id={id}>
      <div className={styles.what}>
        <h3>
          <Link href={`/sessions/${session.id}`}>{session.title}</Link>
        </h3>
        <div className={styles.line}>
          {showTarget ? (
            <Route source={sourceAgent} target={targetAgent} />
          ) : (
            <>
              <span className="soft">from</span>{' '}
              {sourceAgent ? <AgentChip agent={sourceAgent} /> : <span className="soft">unassigned</span>}
            </>
          )}
          <HandoffBadge handoff={handoff} />
        </div>
        {reason != null && <Fold text={reason} lines={3} characters={400} />}
        <div className={styles.summary}>
          <Fold text={summary} lines={3} characters={360} />
        </div>
        <p className={styles.line}>
          <Link href={`/handoffs/${id}`}>
            Context<span className="hidden"> for {session.title}</span>
          </Link>
          <span className="soft small">{carriedText(pendingTasks.length, filesModified.length)}</span>
        </p>
      </div>
      <div className={styles.when}>
        <span>
          <Icon name="clock" size={14} /> {status === 'ACCEPTED' && acceptedAt != null ? 'accepted' : 'started'}{' '}
          <Time at={acceptedAt ?? initiatedAt} />
        </span>
        {status === 'INITIATED' && <Deadline at={deadlineAt} />}
        <HandoffActions handoff={handoff} onAsk={onAsk} />
      </div>
    </li>
  );
}

function carriedText(tasks: number, files: number): string {
  const parts = [
    ...(tasks > 0 ? [tasks === 1 ? '1 task not done' : `${tasks} tasks not done`] : []),
    ...(files > 0 ? [files === 1 ? '1 file modified' : `${files} files modified`] : []),
  ];
  return parts.join(', ');
}
