import { useMutation } from 'urql';
import { graphql } from '../../gql/gql.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { ErrorNote, RequestError } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';

const ArchivePipelineMutation = graphql(`
  mutation ArchivePipeline($slug: String!) {
    archivePipeline(input: { slug: $slug }) {
      __typename
      ... on ArchivePipelinePayload {
        pipeline {
          id
          archivedAt
        }
      }
      ... on Error {
        message
      }
    }
  }
`);

/** Archives a pipeline, once confirmed. */
export function ArchiveDialog({
  slug,
  name,
  open,
  onClose,
}: {
  slug: string;
  name: string;
  open: number | undefined;
  onClose: () => void;
}) {
  const [{ data, error, fetching }, archive] = useMutation(ArchivePipelineMutation);
  const answer = data?.archivePipeline;
  const confirm = async () => {
    if (fetching) return;
    const done = (await archive({ slug })).data?.archivePipeline;
    if (done?.__typename === 'ArchivePipelinePayload') onClose();
  };
  return (
    <Dialog
      title={`Archive ${name}`}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            Keep it
          </button>
          <button type="button" className="button danger" aria-disabled={fetching} onClick={() => void confirm()}>
            <Icon name="ban" /> {fetching ? 'Archiving …' : 'Archive'}
          </button>
        </>
      }
    >
      <p>
        No new session can begin in {slug}. {underWay(open)} All versions stay readable. To use the pipeline again,
        define its next version: Edit, then save it with or without a change.
      </p>
      {error && <RequestError error={error} onRetry={() => void confirm()} />}
      {answer && answer.__typename !== 'ArchivePipelinePayload' && (
        <ErrorNote title="It was not archived">{answer.message}</ErrorNote>
      )}
    </Dialog>
  );
}

const underWay = (open: number | undefined): string =>
  open === 0
    ? 'No session is under way in it.'
    : open === 1
      ? 'The open session goes on.'
      : `${open === undefined ? 'Open' : `The ${open.toLocaleString()} open`} sessions go on.`;
