import { useQuery } from 'urql';
import { Link, useLocation, useSearch } from 'wouter';
import { Page } from '../../app/Page.tsx';
import { graphql } from '../../gql/gql.ts';
import type { BoardPipelineQuery } from '../../gql/graphql.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { RequestError } from '../../ui/ErrorNote.tsx';
import { SelectField } from '../../ui/SelectField.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import styles from './Board.module.css';
import { BoardColumn } from './BoardColumn.tsx';
import { columnsOf } from './columns.ts';
import { useMoved } from './useMoved.ts';
import { readBoardView, writeBoardView, type BoardView } from './view.ts';

const BoardPipelineDocument = graphql(`
  query BoardPipeline($slug: String!) {
    pipelines(first: 100) {
      nodes {
        id
        slug
        name
      }
    }
    versions: pipelines(where: { slug: $slug, allVersions: true, includeArchived: true }, last: 100) {
      nodes {
        id
        version
        name
        description
        archivedAt
        stages {
          name
          role
        }
      }
    }
  }
`);

/** The open Sessions of a pipeline by stage. The URL holds the pipeline and the version. */
export default function BoardPage({ slug }: { slug: string }) {
  const view = readBoardView(slug, useSearch());
  const [{ data, error }, ask] = useQuery({
    query: BoardPipelineDocument,
    variables: { slug },
    requestPolicy: 'cache-and-network',
  });
  const failure = error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />;
  const newest = data?.versions.nodes.at(-1);
  const shown = view.version === null ? newest : data?.versions.nodes.find(({ version }) => version === view.version);
  return (
    <Page
      title={newest ? `Board of ${newest.name}` : 'Board'}
      intro={newest && <Intro slug={slug} newest={newest} />}
      actions={data && newest && <Choices data={data} name={newest.name} view={view} />}
    >
      {failure}
      {!data && !error && <Skeleton height="24rem" />}
      {data && !shown && (
        <div className="card">
          <EmptyState
            icon="pipeline"
            title={newest ? `${newest.name} has no version ${view.version}.` : 'There is no such pipeline.'}
          >
            {newest ? 'Choose another version above.' : 'Its address may be mistyped.'}
          </EmptyState>
        </div>
      )}
      {data && shown && <Board key={writeBoardView(view)} view={view} versions={data.versions.nodes} />}
    </Page>
  );
}

function Intro({
  slug,
  newest: { description, archivedAt },
}: {
  slug: string;
  newest: { description?: string | null; archivedAt?: string | null };
}) {
  return (
    <>
      {archivedAt != null && 'Archived: no new session begins in it. '}
      {description ?? 'Open sessions by stage.'} <Link href={`/pipelines/${encodeURIComponent(slug)}`}>Definition</Link>
    </>
  );
}

function Choices({ data, name, view }: { data: BoardPipelineQuery; name: string; view: BoardView }) {
  const [, navigate] = useLocation();
  const pipelines = data.pipelines.nodes.map((pipeline) => [pipeline.slug, pipeline.name] as const);
  // An archived one is not in the list.
  const all = pipelines.some(([slug]) => slug === view.slug) ? pipelines : [[view.slug, name] as const, ...pipelines];
  const versions = data.versions.nodes.toReversed();
  return (
    <div className={styles.choices}>
      <SelectField
        label="Pipeline"
        value={view.slug}
        onChange={(slug) => navigate(writeBoardView({ slug, version: null }))}
        options={all}
      />
      <SelectField
        label="Version"
        value={view.version === null ? '' : String(view.version)}
        onChange={(version) => navigate(writeBoardView({ ...view, version: version === '' ? null : Number(version) }))}
        options={[
          ['', 'All versions'],
          ...versions.map(
            ({ version }, index) => [String(version), index === 0 ? `${version} (newest)` : String(version)] as const,
          ),
        ]}
      />
    </div>
  );
}

function Board({ view, versions }: { view: BoardView; versions: BoardPipelineQuery['versions']['nodes'] }) {
  const moved = useMoved(view);
  return (
    <div className={styles.board} key={moved.edition}>
      <p className="hidden" role="status">
        {moved.words}
      </p>
      <div className={styles.stages}>
        {columnsOf(view, versions).map(({ stage, role, isEarlier }) => (
          <BoardColumn
            key={stage}
            view={view}
            column={{ stage }}
            note={isEarlier ? 'only in earlier versions' : role !== null && role !== stage ? role : undefined}
            hiddenWhenEmpty={isEarlier}
            moved={moved}
          />
        ))}
      </div>
      <BoardColumn view={view} column="finished" folds moved={moved} />
    </div>
  );
}
