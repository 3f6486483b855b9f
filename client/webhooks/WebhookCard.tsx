import { useId, useState } from 'react';
import { useMutation } from 'urql';
import { readFragment, type FragmentType } from '../gql/index.ts';
import { Badge } from '../ui/Badge.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { ErrorNote, RequestError } from '../ui/ErrorNote.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Time } from '../ui/Time.tsx';
import { Deliveries } from './Deliveries.tsx';
import { DeleteWebhookMutation, UpdateWebhookMutation, WebhookFragment } from './documents.ts';
import styles from './WebhooksPage.module.css';
import { disabledWords } from './words.ts';

interface WebhookCardProps {
  webhook: FragmentType<typeof WebhookFragment>;
  onSecret: (secret: string) => void;
  onDeleted: () => void;
}

/** A webhook with its acts and, when opened, its deliveries. */
export function WebhookCard({ webhook, onSecret, onDeleted }: WebhookCardProps) {
  const { id, url, description, types, enabled, disabledAt, disabledReason, previousSecretUntil, createdAt } =
    readFragment(WebhookFragment, webhook);
  const [open, setOpen] = useState(false);
  const [asked, setAsked] = useState<'rotate' | 'delete' | null>(null);
  const [{ data, error, fetching }, update] = useMutation(UpdateWebhookMutation);
  const [removal, remove] = useMutation(DeleteWebhookMutation);
  const heading = useId();
  const change = async (input: { enabled?: boolean; rotateSecret?: boolean }) => {
    setAsked(null);
    if (fetching) return;
    const answer = (await update({ input: { webhookId: id, ...input } })).data?.updateWebhook;
    if (answer?.__typename === 'UpdateWebhookPayload' && answer.secret != null) onSecret(answer.secret);
  };
  const end = async () => {
    setAsked(null);
    if ((await remove({ input: { webhookId: id } })).data?.deleteWebhook.__typename === 'DeleteWebhookPayload')
      onDeleted();
  };
  const refusal = [data?.updateWebhook, removal.data?.deleteWebhook].find(
    (answer) => answer !== undefined && 'message' in answer,
  );
  const failure = error ?? removal.error;
  return (
    <section className={`card ${styles.card}`} aria-labelledby={heading}>
      <div className={styles.head}>
        <h2 id={heading}>{url}</h2>
        {enabled ? (
          <Badge tone="good" icon="check" word="Enabled" />
        ) : (
          <Badge tone="bad" icon="ban" word={disabledReason == null ? 'Disabled' : disabledWords[disabledReason]} />
        )}
      </div>
      {description && <p>{description}</p>}
      <p className="soft small">
        {types.length === 0 ? 'Every event, except of the log' : types.join(', ')}. Created <Time at={createdAt} />
        {disabledAt != null && (
          <>
            , disabled <Time at={disabledAt} />: enabled again, it continues with every event since
          </>
        )}
        {previousSecretUntil != null &&
          new Date(previousSecretUntil) > new Date() &&
          ', signed with two secrets since the rotation'}
        .
      </p>
      <div className={styles.acts}>
        <button type="button" className="button small" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name="list" size={14} /> Deliveries
        </button>
        <button
          type="button"
          className="button small"
          aria-disabled={fetching}
          onClick={() => void change({ enabled: !enabled })}
        >
          <Icon name={enabled ? 'pause' : 'play'} size={14} /> {enabled ? 'Disable' : 'Enable'}
        </button>
        <button type="button" className="button small" onClick={() => setAsked('rotate')}>
          <Icon name="key" size={14} /> Rotate the secret
        </button>
        <button type="button" className="button small" onClick={() => setAsked('delete')}>
          <Icon name="cross" size={14} /> Delete
        </button>
      </div>
      {failure && <RequestError error={failure} />}
      {refusal && 'message' in refusal && <ErrorNote title="It was not changed">{refusal.message}</ErrorNote>}
      {open && <Deliveries webhookId={id} enabled={enabled} />}
      {asked === 'rotate' && (
        <Confirm
          title="Rotate the secret"
          word="Rotate"
          onConfirm={() => void change({ rotateSecret: true })}
          onClose={() => setAsked(null)}
        >
          You get a new secret. For 24 hours requests are signed with the present one too, so that the receiver can
          change over.
        </Confirm>
      )}
      {asked === 'delete' && (
        <Confirm
          title="Delete the webhook"
          word="Delete"
          danger
          onConfirm={() => void end()}
          onClose={() => setAsked(null)}
        >
          Nothing more is sent to {url}, and its deliveries are forgotten. This cannot be taken back.
        </Confirm>
      )}
    </section>
  );
}

function Confirm({
  title,
  word,
  danger = false,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  word: string;
  danger?: boolean;
  onConfirm: () => void;
  onClose: () => void;
  children: React.ReactNode;
}) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="button" className={`button ${danger ? 'danger' : 'primary'}`} onClick={onConfirm}>
            {word}
          </button>
        </>
      }
    >
      <p className={styles.text}>{children}</p>
    </Dialog>
  );
}
