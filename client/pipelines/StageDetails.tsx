import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import type { StageDetailsQuery } from '../gql/graphql.ts';
import { AgentChip } from '../agents/AgentChip.tsx';
import { HandoffBadge } from '../handoffs/HandoffBadge.tsx';
import { endedBecause } from '../handoffs/ended.ts';
import { Json } from '../tools/Definition.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { Fold } from '../ui/Fold.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { Time } from '../ui/Time.tsx';
import { useAgain } from '../ui/useAgain.ts';
import styles from './StageDetails.module.css';

// The newest 100 handoffs, as on the list of the page.
const StageDetailsDocument = graphql(`
  query StageDetails($id: ID!) {
    session(id: $id) {
      id
      results {
        stage
        outcome
        payload
        reason
        at
        agent {
          id
          ...AgentChip
        }
      }
      handoffs(first: 100) {
        nodes {
          id
          stage
          status
          outcome
          reason
          initiatedAt
          sourceAgent {
            id
          }
          ...Ended
          ...HandoffBadge
        }
      }
    }
  }
`);

type Session = NonNullable<StageDetailsQuery['session']>;
type Result = Session['results'][number];
type Arrival = Session['handoffs']['nodes'][number];

export interface StageDetailsProps {
  sessionId: string;
  stage: string;
  /** Of the Session. */
  version: number;
  onClose: () => void;
}

/** What a stage was left with, and the handoffs to it, newest first. */
export function StageDetails({ sessionId, stage, version, onClose }: StageDetailsProps) {
  const [{ data, error }, ask] = useQuery({
    query: StageDetailsDocument,
    variables: { id: sessionId },
    requestPolicy: 'cache-and-network',
  });
  useAgain(ask, version);
  const entries = data?.session ? entriesOf(data.session, stage) : [];
  return (
    <section className={styles.details} aria-label={`Stage ${stage}`}>
      <header className={styles.head}>
        <h3>{stage}</h3>
        <button type="button" className="button quiet small" onClick={onClose} aria-label={`Close stage ${stage}`}>
          <Icon name="cross" />
        </button>
      </header>
      {error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
      {!data && !error && <Skeleton height="6rem" />}
      {data && entries.length === 0 && (
        <p className="soft small">No handoff led here, and no outcome was given here.</p>
      )}
      <ol role="list" className={styles.entries}>
        {entries.map((entry) => (
          <li key={entry.key} className={styles.entry}>
            {entry.result ? <Left result={entry.result} /> : <Arrived handoff={entry.handoff} />}
          </li>
        ))}
      </ol>
    </section>
  );
}

type Entry = { key: string; at: string } & ({ result: Result; handoff?: never } | { result?: never; handoff: Arrival });

function entriesOf({ results, handoffs }: Session, stage: string): Entry[] {
  const all: Entry[] = [
    ...results
      .filter((each) => each.stage === stage)
      .map((result) => ({ key: `left ${result.at}`, at: result.at, result })),
    ...handoffs.nodes
      .filter((each) => each.stage === stage)
      .map((handoff) => ({ key: handoff.id, at: handoff.initiatedAt, handoff })),
  ];
  return all.sort((one, other) => (one.at < other.at ? 1 : -1));
}

function Left({ result: { outcome, payload, reason, at, agent } }: { result: Result }) {
  return (
    <>
      <Line icon="exit">
        Left with <strong>{outcome}</strong>{' '}
        {agent && (
          <>
            by <AgentChip agent={agent} />
          </>
        )}{' '}
        <Time at={at} />
      </Line>
      {reason != null && <Fold text={reason} lines={4} characters={500} />}
      {payload != null ? (
        <Json value={payload} label={`Payload of ${outcome ?? 'the stage'}`} />
      ) : (
        <p className="soft small">No payload was given.</p>
      )}
    </>
  );
}

function Arrived({ handoff }: { handoff: Arrival }) {
  const { outcome, reason, initiatedAt, sourceAgent } = handoff;
  const declined = endedBecause(handoff);
  return (
    <>
      <Line icon="arrow">
        <HandoffBadge handoff={handoff} /> from {sourceAgent?.id ?? 'no agent'}{' '}
        {outcome != null && (
          <>
            with <strong>{outcome}</strong>
          </>
        )}{' '}
        <Time at={initiatedAt} />
      </Line>
      {reason != null && <Fold text={reason} lines={4} characters={500} />}
      {declined !== null && (
        <div className={styles.declined}>
          <Icon name="back" size={14} />
          <Fold text={declined} lines={4} characters={500} />
        </div>
      )}
    </>
  );
}

function Line({ icon, children }: { icon: IconName; children: ReactNode }) {
  return (
    <div className={styles.line}>
      <Icon name={icon} size={14} />
      {children}
    </div>
  );
}
