import { useState } from 'react';
import { useQuery } from 'urql';
import { useMay } from '../access/viewer.ts';
import { Page } from '../app/Page.tsx';
import { useRereadOn } from '../live/events.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { Icon } from '../ui/Icon.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { useFocusKept } from '../ui/useFocusKept.ts';
import { CreateDialog } from './CreateDialog.tsx';
import { WebhooksQuery } from './documents.ts';
import { SecretDialog } from './SecretDialog.tsx';
import { WebhookCard } from './WebhookCard.tsx';
import styles from './WebhooksPage.module.css';

/** The webhooks, for admins. */
export default function WebhooksPage() {
  const mayManage = useMay('manageWebhooks');
  const [creates, setCreates] = useState(false);
  return (
    <Page
      title="Webhooks"
      intro="Addresses that get each event as a signed POST, at least once and in the order of each session."
      actions={
        mayManage && (
          <button type="button" className="button primary" onClick={() => setCreates(true)}>
            <Icon name="plus" /> New webhook
          </button>
        )
      }
    >
      {mayManage ? (
        <List creates={creates} onClose={() => setCreates(false)} />
      ) : (
        <EmptyState icon="key" title="Webhooks are an admin's.">
          Sign in with a key of role ADMIN to see them.
        </EmptyState>
      )}
    </Page>
  );
}

function List({ creates, onClose }: { creates: boolean; onClose: () => void }) {
  const [{ data, error }, ask] = useQuery({ query: WebhooksQuery, requestPolicy: 'cache-and-network' });
  const [secret, setSecret] = useState<string | null>(null);
  const reread = () => ask({ requestPolicy: 'network-only' });
  useRereadOn(({ type }) => type === 'WEBHOOK_DISABLED', reread);
  // A deleted one disappears with its focused button.
  useFocusKept(data?.webhooks.nodes.map(({ id }) => id).join());
  return (
    <>
      {error && <RequestError error={error} onRetry={reread} />}
      {!data && !error && <SkeletonRows rows={3} height="5rem" label="Loading the webhooks" />}
      {data?.webhooks.nodes.length === 0 && (
        <div className="card">
          <EmptyState icon="arrow" title="There are no webhooks.">
            Create one to tell another system what happens: a build, a chat, a table.
          </EmptyState>
        </div>
      )}
      <ul role="list" className={styles.list} aria-label="Webhooks">
        {data?.webhooks.nodes.map((webhook) => (
          <li key={webhook.id}>
            <WebhookCard webhook={webhook} onSecret={setSecret} onDeleted={reread} />
          </li>
        ))}
      </ul>
      {creates && (
        <CreateDialog
          onClose={onClose}
          onCreated={(made) => {
            onClose();
            setSecret(made);
            reread();
          }}
        />
      )}
      {secret !== null && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  );
}
