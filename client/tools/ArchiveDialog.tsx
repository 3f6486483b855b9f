import { useMutation } from 'urql';
import { readFragment } from '../gql/index.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { ErrorNote, RequestError } from '../ui/ErrorNote.tsx';
import { Icon } from '../ui/Icon.tsx';
import { ArchiveToolMutation, ToolRefusalFragment } from './edit/saveTool.ts';

/** Archives a tool, once confirmed. */
export function ArchiveDialog({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const [{ data, error, fetching }, archive] = useMutation(ArchiveToolMutation);
  const answer = data?.archiveHandoffTool;
  const confirm = async () => {
    if (fetching) return;
    const done = (await archive({ input: { toolId: id } })).data?.archiveHandoffTool;
    if (done?.__typename === 'ArchiveHandoffToolPayload') onClose();
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
        No agent can call it from then on, and its name becomes free. This cannot be taken back. Handoffs made with it
        stay as they are.
      </p>
      {error && <RequestError error={error} onRetry={() => void confirm()} />}
      {answer && answer.__typename !== 'ArchiveHandoffToolPayload' && (
        <ErrorNote title="It was not archived">{readFragment(ToolRefusalFragment, answer).message}</ErrorNote>
      )}
    </Dialog>
  );
}
