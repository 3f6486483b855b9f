import { useQuery } from 'urql';
import { Link } from 'wouter';
import { useMay } from '../../access/viewer.ts';
import { Page } from '../../app/Page.tsx';
import { readFragment } from '../../gql/index.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { RequestError } from '../../ui/ErrorNote.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { definitionOf, PipelineQuery, SavedPipelineFragment } from '../definitions/savedPipeline.ts';
import { Editor } from './Editor.tsx';

/** Defines a pipeline, or the next version of one. */
export default function EditPipelinePage({ slug = null }: { slug?: string | null }) {
  const mayDefine = useMay('manageAgents');
  const title = slug === null ? 'New pipeline' : `Edit ${slug}`;
  if (!mayDefine) {
    return (
      <Page title={title}>
        <div className="card">
          <EmptyState icon="key" title="Operators define pipelines.">
            <Link href="/pipelines">All pipelines</Link>
          </EmptyState>
        </div>
      </Page>
    );
  }
  return (
    <Page title={title} intro="Sessions under way keep their version; new ones begin in the newest.">
      {slug === null ? <Editor base={null} /> : <Loaded slug={slug} />}
    </Page>
  );
}

function Loaded({ slug }: { slug: string }) {
  const [{ data, error }, ask] = useQuery({
    query: PipelineQuery,
    variables: { slug, version: null },
    requestPolicy: 'network-only',
  });
  const newest = data?.pipeline ? readFragment(SavedPipelineFragment, data.pipeline) : null;
  // The editor keeps what it began with when the newest version changes meanwhile.
  if (newest)
    return (
      <Editor
        base={{ definition: definitionOf(newest), version: newest.version, isArchived: newest.archivedAt != null }}
      />
    );
  return (
    <>
      {error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
      {!data && !error && <Skeleton height="24rem" />}
      {data && (
        <div className="card">
          <EmptyState icon="pipeline" title={`There is no pipeline '${slug}'.`}>
            <Link href="/pipelines">All pipelines</Link>
          </EmptyState>
        </div>
      )}
    </>
  );
}
