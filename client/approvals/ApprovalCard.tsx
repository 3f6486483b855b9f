import { useId } from 'react';
import { Link } from 'wouter';
import type { WaitingFragment } from '../gql/graphql.ts';
import { Paused } from '../sessions/acts/Paused.tsx';
import { Deadline } from '../ui/Deadline.tsx';
import { Answer } from './Answer.tsx';
import { Approval } from './Approval.tsx';
import styles from './Decide.module.css';
import { Gone } from './Gone.tsx';

interface ApprovalCardProps {
  waiting: WaitingFragment;
  /** Whether it shows what would be passed on, and its acts. */
  isOpen: boolean;
  /** Whether the viewer may decide. */
  decides: boolean;
  /** Whether it acts by single keys. */
  keys?: boolean;
  /** It came into sight by itself a moment ago: no press decides it yet. */
  isFresh?: boolean;
  /** It waits no more: somebody else decided. */
  isGone?: boolean;
  onOpen?: () => void;
  /** It was decided here, or the viewer goes on. */
  onDone: () => void;
  /** What was read of it may be old. */
  onRefused: () => void;
}

const demands = {
  SESSION: 'This session demands an approval.',
  TRANSITION: 'This step of the pipeline demands an approval.',
  TOOL: 'This handoff tool demands an approval.',
  COLLABORATION: 'Handoffs between these agents demand an approval.',
} as const;

/** One thing that waits for a person. */
export function ApprovalCard({
  waiting,
  isOpen,
  decides,
  keys = false,
  isFresh = false,
  isGone = false,
  onOpen,
  onDone,
  onRefused,
}: ApprovalCardProps) {
  const { id, kind, session, handoff, text, deadlineAt, demandedBy } = waiting;
  const name = useId();
  const acts = { waiting, keys: keys && isOpen, isFresh, onDone, onRefused };
  return (
    <article
      id={id}
      className={`card ${styles.card}`}
      data-open={isOpen}
      aria-labelledby={`${name}-what ${name}-session`}
      tabIndex={-1}
    >
      <header className={styles.header}>
        <h2 id={`${name}-what`}>
          {onOpen === undefined || isOpen ? (
            titleOf(waiting)
          ) : (
            <button type="button" className={styles.choose} onClick={onOpen}>
              {titleOf(waiting)}
            </button>
          )}
        </h2>
        {!isGone && <Deadline at={deadlineAt} />}
      </header>
      <Link id={`${name}-session`} href={`/sessions/${session.id}`} className={styles.session}>
        {session.title}
      </Link>
      <p className={styles.why} data-short={!isOpen}>
        {kind === 'QUESTION' ? text : (handoff?.reason ?? 'Without a reason.')}
      </p>
      {isOpen && demandedBy != null && <p className="soft small">{demands[demandedBy]}</p>}
      {isGone ? (
        <Gone waiting={waiting} onNext={onDone} />
      ) : (
        isOpen && (
          <>
            {!decides && <p className="soft small">An operator decides.</p>}
            {kind === 'HANDOFF' && session.status === 'PAUSED' && (
              <p>The session is paused{session.pauseReason == null ? '.' : `: ${session.pauseReason}`}</p>
            )}
            {decides && kind === 'QUESTION' && <Answer {...acts} />}
            {decides && session.status === 'PAUSED' && (
              <Paused
                session={session}
                keys={acts.keys && !isFresh}
                onResumed={kind === 'QUESTION' ? onDone : onRefused}
                {...(kind === 'QUESTION'
                  ? { word: 'Resume without an answer' }
                  : { hint: 'Resume it before you approve. It can be declined as it is.' })}
              />
            )}
            {decides && handoff != null && <Approval {...acts} handoff={handoff} />}
          </>
        )
      )}
    </article>
  );
}

const titleOf = ({ kind, agent, handoff }: WaitingFragment): string =>
  kind === 'QUESTION' ? `${agent.id} asks` : `${agent.id} hands off to ${handoff?.targetAgent.id ?? ''}`;
