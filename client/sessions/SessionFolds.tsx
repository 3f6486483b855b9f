import { lazy, Suspense, useId } from 'react';
import { stored } from '../app/stored.ts';
import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import { endedBecause } from '../handoffs/ended.ts';
import { HandoffBadge } from '../handoffs/HandoffBadge.tsx';
import { Route } from '../handoffs/Route.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import styles from './SessionFolds.module.css';

const SessionChain = lazy(() => import('./SessionChain.tsx'));
const SessionPipeline = lazy(() => import('../pipelines/SessionPipeline.tsx'));
const TimeAxis = lazy(() => import('./time/TimeAxis.tsx'));

export const SessionFoldsFragment = graphql(`
  fragment SessionFolds on Session {
    id
    version
    pipeline {
      stage
    }
    lastHandoff {
      id
      reason
      ...Ended
      ...HandoffBadge
      sourceAgent {
        id
        ...AgentChip
      }
      targetAgent {
        id
        ...AgentChip
      }
    }
  }
`);

const parts = ['chain', 'pipeline', 'time'] as const;
type Part = (typeof parts)[number];

/** The part that is open, on the pages of all sessions. */
const opened = stored<Part | null>(
  'baton.session.part',
  (text) => parts.find((part) => JSON.stringify(part) === text) ?? null,
);

/** The newest handoff in one line; the chain, the pipeline and the time axis when they are asked for. */
export function SessionFolds({
  session: masked,
  moment,
}: {
  session: FragmentType<typeof SessionFoldsFragment>;
  /** Changes when the log may have grown. */
  moment: string;
}) {
  const { id, version, pipeline, lastHandoff } = readFragment(SessionFoldsFragment, masked);
  const open = opened.use();
  const content = useId();
  const fold = (part: Part, word: string) => (
    <button
      type="button"
      className={`button quiet small ${styles.fold}`}
      aria-expanded={open === part}
      aria-controls={content}
      onClick={() => opened.set(open === part ? null : part)}
    >
      <Icon name="chevron" size={12} /> {word}
    </button>
  );
  return (
    <>
      <div className={styles.folds}>
        {fold('chain', 'Chain')}
        {lastHandoff && (
          <span className={styles.newest} role="group" aria-label="Newest handoff">
            <HandoffBadge handoff={lastHandoff} />
            <Route source={lastHandoff.sourceAgent} target={lastHandoff.targetAgent} plain />
            <span className={styles.why}>{endedBecause(lastHandoff) ?? lastHandoff.reason}</span>
          </span>
        )}
        {pipeline && fold('pipeline', pipeline.stage == null ? 'Pipeline' : `Pipeline: ${pipeline.stage}`)}
        {fold('time', 'Time axis')}
      </div>
      <div id={content} className={styles.content}>
        <Suspense fallback={<Skeleton height="6rem" />}>
          {open === 'chain' && <SessionChain sessionId={id} version={version} />}
          {open === 'pipeline' && pipeline && <SessionPipeline sessionId={id} version={version} />}
          {open === 'time' && <TimeAxis sessionId={id} moment={moment} />}
        </Suspense>
      </div>
    </>
  );
}
