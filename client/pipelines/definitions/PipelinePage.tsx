import { useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { Link, useLocation, useSearch } from 'wouter';
import { useMay } from '../../access/viewer.ts';
import { Page } from '../../app/Page.tsx';
import { graphql } from '../../gql/gql.ts';
import type { SavedPipelineFragment as Saved } from '../../gql/graphql.ts';
import { readFragment } from '../../gql/index.ts';
import { Badge } from '../../ui/Badge.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { RequestError } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { Time } from '../../ui/Time.tsx';
import { PipelineDrawing } from '../PipelineDrawing.tsx';
import { ArchiveDialog } from './ArchiveDialog.tsx';
import { Difference } from './Difference.tsx';
import styles from './PipelinePage.module.css';
import { archivedLook, readVersion, versionPath } from './places.ts';
import { definitionOf, PipelineQuery, SavedPipelineFragment } from './savedPipeline.ts';
import { StageCard } from './StageCard.tsx';

const NewestQuery = graphql(`
  query NewestPipeline($slug: String!, $sessions: SessionFilter!) {
    pipeline(slug: $slug) {
      id
      version
      archivedAt
    }
    sessions(first: 0, where: $sessions) {
      totalCount
    }
  }
`);

/** A definition: drawn, stage by stage, and its difference to the version before. The URL holds the version. */
export default function PipelinePage({ slug }: { slug: string }) {
  const version = readVersion(new URLSearchParams(useSearch()));
  const [{ data, error, stale, fetching }, ask] = useQuery({
    query: PipelineQuery,
    variables: { slug, version },
    requestPolicy: 'cache-and-network',
  });
  const saved = data?.pipeline ? readFragment(SavedPipelineFragment, data.pipeline) : null;
  const failure = error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />;
  // Another version is on its way: the one before stays until then.
  if (saved) return <Shown saved={saved} failure={failure} />;
  return (
    <Page title="Pipeline">
      {failure}
      {(!data || fetching || stale) && !error && <Skeleton height="20rem" />}
      {data && !fetching && !stale && (
        <div className="card">
          <EmptyState
            icon="pipeline"
            title={
              version === null
                ? `There is no pipeline '${slug}'.`
                : `There is no version ${version} of a pipeline '${slug}'.`
            }
          >
            <Link href="/pipelines">All pipelines</Link>
          </EmptyState>
        </div>
      )}
    </Page>
  );
}

function Shown({ saved, failure }: { saved: Saved; failure: ReactNode }) {
  const { slug, version, name, description, createdAt, replacedAt, archivedAt } = saved;
  const mayDefine = useMay('manageAgents');
  const [archiving, setArchiving] = useState(false);
  const [{ data: newest }, askNewest] = useQuery({
    query: NewestQuery,
    variables: { slug, sessions: { pipeline: slug, status: ['RUNNING', 'PAUSED'] } },
    requestPolicy: 'cache-and-network',
  });
  const open = newest?.sessions.totalCount;
  const last = Math.max(version, newest?.pipeline?.version ?? 0);
  const isArchived = newest?.pipeline ? newest.pipeline.archivedAt != null : archivedAt != null;
  const definition = definitionOf(saved);
  return (
    <Page
      title={name}
      intro={
        <span className={styles.facts}>
          <span className="mono">{slug}</span>
          <VersionChoice slug={slug} version={version} last={last} />
          <span>
            defined <Time at={createdAt} />
          </span>
          {replacedAt != null && (
            <span>
              replaced <Time at={replacedAt} />
            </span>
          )}
          {isArchived && <Badge {...archivedLook} />}
          {open !== undefined && (
            <span>{open === 1 ? '1 open session' : `${open.toLocaleString()} open sessions`}</span>
          )}
          <Link href="/pipelines">All pipelines</Link>
        </span>
      }
      actions={
        <>
          <Link href={`/pipelines/${slug}/board`} className="button">
            <Icon name="pipeline" /> Board
          </Link>
          {mayDefine && (
            <Link href={`/pipelines/${slug}/edit`} className="button">
              Edit
            </Link>
          )}
          {mayDefine && !isArchived && (
            <button type="button" className="button danger" onClick={() => setArchiving(true)}>
              <Icon name="ban" /> Archive
            </button>
          )}
        </>
      }
    >
      {failure}
      {description != null && description !== '' && <p className={styles.description}>{description}</p>}
      <section className={`card ${styles.part}`} aria-label="Drawing">
        <PipelineDrawing definition={definition} label={`${name}, version ${version}`} />
      </section>
      <ol role="list" aria-label="Stages and transitions" className={styles.stages}>
        {definition.stages.map((stage) => (
          <StageCard
            key={stage.name}
            stage={stage}
            transitions={definition.transitions}
            isStart={stage.name === definition.start}
          />
        ))}
      </ol>
      {version > 1 && (
        <section className={`card ${styles.part}`} aria-labelledby="difference">
          <h2 id="difference">What version {version} changed</h2>
          <Since slug={slug} version={version - 1} saved={saved} />
        </section>
      )}
      {archiving && (
        <ArchiveDialog
          slug={slug}
          name={name}
          open={open}
          onClose={() => {
            setArchiving(false);
            askNewest({ requestPolicy: 'network-only' });
          }}
        />
      )}
    </Page>
  );
}

/** Version numbers have no gaps. */
function VersionChoice({ slug, version, last }: { slug: string; version: number; last: number }) {
  const [, navigate] = useLocation();
  return (
    <label className={styles.version}>
      <span>Version</span>
      <select
        className="select"
        value={version}
        onChange={({ target }) =>
          navigate(versionPath(slug, Number(target.value) === last ? null : Number(target.value)))
        }
      >
        {Array.from({ length: last }, (_, index) => last - index).map((each) => (
          <option key={each} value={each}>
            {each === last ? `${each} (newest)` : each}
          </option>
        ))}
      </select>
    </label>
  );
}

function Since({ slug, version, saved }: { slug: string; version: number; saved: Saved }) {
  const [{ data, error }, ask] = useQuery({ query: PipelineQuery, variables: { slug, version } });
  const before = data?.pipeline ? readFragment(SavedPipelineFragment, data.pipeline) : null;
  if (error) return <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />;
  // The answer of the version before stays while another one is read.
  if (before?.version !== version) return <Skeleton height="6rem" />;
  return (
    <Difference
      before={definitionOf(before)}
      after={definitionOf(saved)}
      equal="Nothing: it was defined again after it had been archived."
    />
  );
}
