import { useState } from 'react';
import { useMutation } from 'urql';
import type { EventType } from '../gql/graphql.ts';
import { eventTypes } from '../stream/requests.ts';
import { Dialog, focusFirst } from '../ui/Dialog.tsx';
import { ErrorNote, RequestError } from '../ui/ErrorNote.tsx';
import { CreateWebhookMutation } from './documents.ts';
import styles from './WebhooksPage.module.css';

/** Creates a webhook and passes its secret on. */
export function CreateDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (secret: string) => void }) {
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [types, setTypes] = useState<readonly EventType[]>([]);
  const [{ data, error, fetching }, create] = useMutation(CreateWebhookMutation);
  const answer = data?.createWebhook;
  const save = async () => {
    if (fetching) return;
    const made = (
      await create({ input: { url: url.trim(), description: description.trim() || null, types: [...types] } })
    ).data?.createWebhook;
    if (made?.__typename === 'CreateWebhookPayload' && made.secret != null) onCreated(made.secret);
  };
  return (
    <Dialog
      title="New webhook"
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            form="new-webhook"
            className="button primary"
            aria-disabled={fetching || url.trim() === ''}
          >
            {fetching ? 'Creating …' : 'Create'}
          </button>
        </>
      }
    >
      <form
        id="new-webhook"
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (url.trim() !== '') void save();
        }}
      >
        <label className="field">
          <span className="label">URL</span>
          <input
            className="input"
            type="url"
            inputMode="url"
            ref={focusFirst}
            required
            placeholder="https://example.com/baton"
            value={url}
            onChange={({ target }) => setUrl(target.value)}
          />
          <span className="hint">A public address by https. Others must be in BATON_WEBHOOK_ALLOW.</span>
        </label>
        <label className="field">
          <span className="label">Description</span>
          <input
            className="input"
            maxLength={500}
            value={description}
            onChange={({ target }) => setDescription(target.value)}
          />
        </label>
        <details>
          <summary>
            {types.length === 0
              ? 'Every event, except of the log'
              : `${types.length} ${types.length === 1 ? 'type' : 'types'} of events`}
          </summary>
          <fieldset className={styles.types}>
            <legend className="hidden">Types of events</legend>
            {eventTypes.map((type) => (
              <label key={type}>
                <input
                  type="checkbox"
                  checked={types.includes(type)}
                  onChange={({ target }) =>
                    setTypes(target.checked ? [...types, type] : types.filter((other) => other !== type))
                  }
                />{' '}
                {type}
              </label>
            ))}
          </fieldset>
        </details>
        {error && <RequestError error={error} onRetry={() => void save()} />}
        {answer && answer.__typename !== 'CreateWebhookPayload' && (
          <ErrorNote title="It was not created">{answer.message}</ErrorNote>
        )}
      </form>
    </Dialog>
  );
}
