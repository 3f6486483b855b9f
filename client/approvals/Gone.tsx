import { useQuery } from 'urql';
import { actorText } from '../access/byWhom.ts';
import type {
  DecisionFragment as Decided,
  WaitingFragment,
  WhatBecameQuery as Became,
  WhatWasAnsweredQuery as Answered,
} from '../gql/graphql.ts';
import { readFragment } from '../gql/index.ts';
import styles from './Decide.module.css';
import { DecisionDocument, decisionText } from './Decision.tsx';
import { WhatBecameQuery, WhatWasAnsweredQuery } from './documents.ts';

/** What became of a decision that somebody else made, or that is not needed any more, while it was open here. */
export function Gone({ waiting, onNext }: { waiting: WaitingFragment; onNext: () => void }) {
  const { id, handoff, agent, session } = waiting;
  const [{ data: became }] = useQuery({
    query: WhatBecameQuery,
    variables: { handoffId: handoff?.id ?? '' },
    pause: handoff == null,
    requestPolicy: 'network-only',
  });
  const [{ data: answered }] = useQuery({
    query: WhatWasAnsweredQuery,
    variables: { sessionId: session.id },
    pause: handoff != null,
    requestPolicy: 'network-only',
  });
  return (
    <div className={styles.body}>
      <p role="status" className={styles.gone}>
        {handoff == null ? answeredText(answered, { id, agentId: agent.id }) : becameText(became?.handoff)}
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
  if (handoff == null) return 'It needs no decision now.';
  const { approval, edits }: Decided = readFragment(DecisionDocument, handoff);
  const said = decisionText(approval, edits);
  const note = approval?.note == null ? '' : `: ${approval.note}`;
  switch (approval?.decision) {
    case 'APPROVED':
      return `${said}${note}. ${handoff.targetAgent.id} gets the session.`;
    case 'DECLINED':
      return `${said}${note === '' ? '.' : note}`;
    case 'TIMED_OUT':
      return 'Nobody decided in time: the agent goes on with the session.';
    case 'CANCELLED':
      return 'It needs no decision now: the agent took it back, or the session moved or ended.';
    default:
      return 'It needs no decision now.';
  }
}

function answeredText(data: Answered | undefined, { id, agentId }: { id: string; agentId: string }): string {
  if (data === undefined) return 'It needs no answer now.';
  const [last] = data.events.nodes;
  const isThis = (last?.metadata as { questionId?: string } | null | undefined)?.questionId === id;
  return last !== undefined && isThis
    ? `${actorText(last.actor)} answered ${agentId}: ${last.reason ?? ''}`
    : 'It needs no answer now: the session was resumed without one, moved or ended.';
}
