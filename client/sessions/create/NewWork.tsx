import { lazy, Suspense, useState } from 'react';
import { useAccess, useMay } from '../../access/viewer.ts';
import { DropHint } from '../../log/importing/DropHint.tsx';
import { useFileDrop } from '../../log/importing/useFileDrop.ts';
import { usePageActions } from '../../palette/actions.ts';
import { Icon } from '../../ui/Icon.tsx';

const NewSessionDialog = lazy(() => import('./NewSessionDialog.tsx'));
const ImportDialog = lazy(() => import('../../log/importing/ImportDialog.tsx'));

/** Creates sessions: from a title, or from transcripts, which may be dropped on the page. */
export function NewWork() {
  const { viewer } = useAccess();
  const may = useMay('createSession', viewer.agentId);
  const [opened, setOpened] = useState<'new' | readonly File[] | null>(null);
  const isOver = useFileDrop(may ? setOpened : null);
  usePageActions(
    may
      ? [
          { word: 'New session …', icon: 'plus', run: () => setOpened('new') },
          { word: 'Import transcripts …', icon: 'upload', run: () => setOpened([]) },
        ]
      : [],
  );
  if (!may) return null;
  const close = (): void => setOpened(null);
  return (
    <>
      <button type="button" className="button" onClick={() => setOpened([])}>
        <Icon name="upload" /> Import …
      </button>
      <button type="button" className="button primary" onClick={() => setOpened('new')}>
        <Icon name="plus" /> New session
      </button>
      {isOver && <DropHint>Drop transcripts to import each as a session</DropHint>}
      <Suspense>
        {opened === 'new' && <NewSessionDialog onClose={close} />}
        {opened !== null && opened !== 'new' && <ImportDialog into={null} files={opened} onClose={close} />}
      </Suspense>
    </>
  );
}
