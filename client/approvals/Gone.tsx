import { useQuery } from 'urql';
import type { WaitingFragment, WhatBecameQuery as Became } from '../gql/graphql.ts';
import styles from './Decide.module.css';
import { WhatBecameQuery } from './documents.ts';

/** What became of a decision that somebody else took, or that waits no more, while it was open here. */
export function Gone({ waiting: { handoff, agent }, onNext }: { waiting: WaitingFragment; onNext: () => void }) {
  const [{ data }] = useQuery({
    query: WhatBecameQuery,
    variables: { handoffId: handoff?.id ?? '' },
    pause: handoff == null,
    requestPolicy: 'network-only',
  });
  return (
    <div className={styles.body}>
      <p role="status" className={styles.gone}>
        {handoff == null
          ? `It waits no more: somebody answered ${agent.id}, or the session went on.`
          : becameText(data?.handoff)}
      </p>
      <div className={styles.acts}>
        <button type="button" className="button small" onClick={onNext}>
          Go on
        </button>
      </div>
    </div>
  );
}

function becameText(handoff: Became['handoff'] | undefined): string {
  const note = handoff?.approval?.note;
  switch (handoff?.approval?.decision) {
    case 'APPROVED':
      return `Somebody else approved it: ${handoff.targetAgent.id} gets the session.`;
    case 'DECLINED':
      return `Somebody else declined it${note == null ? '.' : `: ${note}`}`;
    case 'TIMED_OUT':
      return 'Nobody decided in time: the agent goes on with the session.';
    case 'CANCELLED':
      return 'It waits no more: the agent took it back, or the session moved or ended.';
    default:
      return 'It waits no more.';
  }
}
