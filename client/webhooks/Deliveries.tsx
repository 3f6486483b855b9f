import { useEffect, useState } from 'react';
import { useMutation, useQuery } from 'urql';
import { Link } from 'wouter';
import { Badge } from '../ui/Badge.tsx';
import { ErrorNote, RequestError } from '../ui/ErrorNote.tsx';
import { Icon } from '../ui/Icon.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { Time } from '../ui/Time.tsx';
import { DeliveriesQuery, RedeliverMutation } from './documents.ts';
import styles from './WebhooksPage.module.css';
import { answerText, lookOf } from './words.ts';

/** Deliveries change without an event: while the list is open it is read again. */
const readEveryMs = 3_000;

/** The deliveries of a webhook, newest first, ten at a time. */
export function Deliveries({ webhookId, enabled }: { webhookId: string; enabled: boolean }) {
  // The cursors of the pages before, for the way back.
  const [after, setAfter] = useState<readonly (string | null)[]>([null]);
  const [{ data, error }, ask] = useQuery({
    query: DeliveriesQuery,
    variables: { webhookId, after: after.at(-1) ?? null },
    requestPolicy: 'cache-and-network',
  });
  const [{ data: sent, error: sendError }, redeliver] = useMutation(RedeliverMutation);
  useEffect(() => {
    const timer = setInterval(
      () => document.visibilityState === 'visible' && ask({ requestPolicy: 'network-only' }),
      readEveryMs,
    );
    return () => clearInterval(timer);
  }, [ask]);
  const page = data?.deliveries;
  const again = async (deliveryId: string) => {
    await redeliver({ input: { deliveryId } });
    ask({ requestPolicy: 'network-only' });
  };
  const failure = error ?? sendError;
  return (
    <div className={styles.deliveries}>
      {failure && <RequestError error={failure} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
      {sent && sent.redeliver.__typename !== 'RedeliverPayload' && (
        <ErrorNote title="It was not sent again">{sent.redeliver.message}</ErrorNote>
      )}
      {!page && !error && <SkeletonRows rows={3} height="2rem" label="Loading the deliveries" />}
      {page?.nodes.length === 0 && <p className="soft">Nothing was sent in the last 7 days.</p>}
      {page !== undefined && page.nodes.length > 0 && (
        <ul role="list" aria-label="Deliveries">
          {page.nodes.map((delivery) => (
            <li key={delivery.id} className={styles.delivery}>
              <Badge {...lookOf(delivery)} />
              <span className={styles.event}>
                <span className="mono">{delivery.event.type}</span>
                {delivery.event.session && (
                  <>
                    {' '}
                    of <Link href={`/sessions/${delivery.event.session.id}`}>{delivery.event.session.title}</Link>
                  </>
                )}
                {delivery.redeliveryOf != null && ' (sent again)'}
              </span>
              <span className="soft small">
                <Time at={delivery.attemptedAt ?? delivery.createdAt} />
                {delivery.attempts > 0 && `, ${delivery.attempts} ${delivery.attempts === 1 ? 'attempt' : 'attempts'}`}
                {answerText(delivery) !== '' && `, ${answerText(delivery)}`}
              </span>
              {enabled && (delivery.status === 'DELIVERED' || delivery.status === 'FAILED') && (
                <button type="button" className="button small" onClick={() => void again(delivery.id)}>
                  <Icon name="back" size={14} /> Send again
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      <div className={styles.acts}>
        {after.length > 1 && (
          <button type="button" className="button small" onClick={() => setAfter(after.slice(0, -1))}>
            Newer
          </button>
        )}
        {page?.pageInfo.hasNextPage === true && (
          <button
            type="button"
            className="button small"
            onClick={() => setAfter([...after, page.pageInfo.endCursor ?? null])}
          >
            Older
          </button>
        )}
      </div>
    </div>
  );
}
