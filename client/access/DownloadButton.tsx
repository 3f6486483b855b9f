import { useState } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { download } from '../urql.ts';
import { useAccess } from './viewer.ts';

/** Downloads a file of the server with the viewer's key. `label` names the file, `children` is the button's text. */
export function DownloadButton({ path, label, children }: { path: string; label: string; children: string }) {
  const { key } = useAccess();
  const [state, setState] = useState<'idle' | 'loading' | 'failed'>('idle');
  const load = async () => {
    setState('loading');
    setState(
      await download(path, key).then(
        () => 'idle' as const,
        () => 'failed' as const,
      ),
    );
  };
  return (
    <>
      <button
        type="button"
        className="button small"
        aria-label={`Download ${label}`}
        title={`Download ${label}`}
        aria-disabled={state === 'loading'}
        onClick={() => void load()}
      >
        <Icon name={state === 'failed' ? 'alert' : 'download'} size={14} />
        {state === 'failed' ? `${children}: try again` : children}
      </button>
      <span className="hidden" role="status">
        {state === 'failed' && `The download of ${label} failed.`}
      </span>
    </>
  );
}
