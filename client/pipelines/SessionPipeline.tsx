import { useId, useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { graphql } from '../gql/gql.ts';
import type { SessionPipelineQuery } from '../gql/graphql.ts';
import { useRereadOn } from '../live/events.ts';
import { RequestError } from '../ui/ErrorNote.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { Time } from '../ui/Time.tsx';
import { useAgain } from '../ui/useAgain.ts';
import { stageLooks, type StageLook } from './looks.ts';
import { PipelineDrawing } from './PipelineDrawing.tsx';
import styles from './SessionPipeline.module.css';
import { StageDetails } from './StageDetails.tsx';
import { writeBoardView } from './board/view.ts';

const SessionPipelineDocument = graphql(`
  query SessionPipeline($id: ID!) {
    session(id: $id) {
      id
      status
      pipeline {
        stage
        enteredAt
        queuePosition
        currentAgent {
          id
        }
        pipeline {
          id
          slug
          version
          name
          start
          stages {
            name
            role
            agentType
          }
          transitions {
            from
            outcome
            to
            when {
              variable
              op
              value
            }
          }
        }
        stages {
          name
          state
          agent {
            id
          }
          attempts
          outcome
        }
        ways {
          from
          outcome
          to
          times
        }
      }
    }
  }
`);

type Session = NonNullable<SessionPipelineQuery['session']>;
type Progress = NonNullable<Session['pipeline']>;

/** How far a Session is in its pipeline. A stage opens what it was left with, and the handoffs to it. */
export default function SessionPipeline({ sessionId, version }: { sessionId: string; version: number }) {
  const [{ data, error }, ask] = useQuery({
    query: SessionPipelineDocument,
    variables: { id: sessionId },
    requestPolicy: 'cache-and-network',
  });
  useAgain(ask, version);
  const again = () => ask({ requestPolicy: 'network-only' });
  const progress = data?.session?.pipeline;
  // The place in a queue changes with other Sessions.
  useRereadOn(() => progress?.queuePosition != null, again, 5_000);
  const [chosen, setChosen] = useState<string | null>(null);
  const details = useId();
  const close = (): void => {
    // The pressed button disappears: the focus goes back to the stage.
    document.querySelector<HTMLElement>(`[aria-controls="${details}"][aria-expanded=true]`)?.focus();
    setChosen(null);
  };
  if (!data?.session || !progress)
    return error ? <RequestError error={error} onRetry={again} /> : <Skeleton height="9rem" />;
  const { pipeline } = progress;
  return (
    <section className={`card ${styles.section}`} aria-label="Pipeline">
      <header className={styles.header}>
        <h2 className={styles.heading}>
          Pipeline <Link href={writeBoardView({ slug: pipeline.slug, version: null })}>{pipeline.name}</Link>{' '}
          <span className={styles.version}>version {pipeline.version}</span>
        </h2>
        <p className={styles.now}>
          <span role="status">{nowText(data.session, progress)}</span>
          {progress.enteredAt != null && (
            <span className="soft">
              , entered <Time at={progress.enteredAt} />
            </span>
          )}
        </p>
      </header>
      {error && <RequestError error={error} onRetry={again} />}
      <PipelineDrawing
        definition={pipeline}
        label={`Stages of ${pipeline.name}`}
        progress={progress.stages.map((stage) => ({
          ...stage,
          state: lookOf(data.session!, progress, stage),
          position: stage.state === 'QUEUED' ? progress.queuePosition : null,
        }))}
        taken={progress.ways}
        choice={{ chosen, onChoose: (stage) => setChosen(stage === chosen ? null : stage), controls: details }}
      />
      <div id={details}>
        {chosen !== null && (
          <StageDetails key={chosen} sessionId={sessionId} stage={chosen} version={version} onClose={close} />
        )}
      </div>
    </section>
  );
}

/** A Session that failed or was cancelled shows it in its last stage. */
function lookOf({ status }: Session, { stage }: Progress, { name, state }: Progress['stages'][number]): StageLook {
  return name === stage && (status === 'FAILED' || status === 'CANCELLED') ? status : state;
}

/** "In reviewer, held by reviewer-1", "Queued for reviewer, number 2", "Completed". */
function nowText(session: Session, progress: Progress): string {
  const { stage, currentAgent, queuePosition, stages } = progress;
  const found = stages.find(({ name }) => name === stage);
  if (!found) return 'Every stage is completed';
  if (found.state === 'QUEUED')
    return `Queued for ${found.name}${queuePosition == null ? '' : `, number ${queuePosition}`}`;
  if (currentAgent) return `In ${found.name}, held by ${currentAgent.id}`;
  return `Ended in ${found.name}: ${stageLooks[lookOf(session, progress, found)].word.toLowerCase()}`;
}
