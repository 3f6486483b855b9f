import { useRef } from 'react';
import { CopyButton } from '../ui/CopyButton.tsx';
import { Dialog } from '../ui/Dialog.tsx';

/** Shows a new secret, which cannot be read again. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <Dialog
      title="The secret of the webhook"
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            Done
          </button>
          <CopyButton text={secret} primary onRefused={() => field.current?.select()}>
            Copy
          </CopyButton>
        </>
      }
    >
      <p>
        Give it to the receiver, which checks the signature of each request with it. It is shown only now; afterwards it
        can only be replaced.
      </p>
      <label className="field">
        <span className="label">Secret</span>
        <input ref={field} className="input mono" readOnly value={secret} onFocus={({ target }) => target.select()} />
      </label>
    </Dialog>
  );
}
