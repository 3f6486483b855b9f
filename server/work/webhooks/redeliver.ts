import { statement } from '../../core/changes.ts';
import { InvalidStateError, NotFoundError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import type { Work } from '../../core/work.ts';
import { lockWebhook } from './changeWebhook.ts';

const find = statement(
  `SELECT webhook_id AS "webhookId", event_id AS "eventId", position::float8, status FROM deliveries WHERE id = $1`,
);

interface Found {
  webhookId: string;
  eventId: string;
  position: number;
  status: string;
}

/** Sends the event of a delivery again: once, whatever the order of its Session. */
export async function redeliver(work: Work, { deliveryId }: { deliveryId: string }): Promise<{ deliveryId: string }> {
  await work.begin();
  const [found] = await work.query<Found>(find, [deliveryId]);
  if (found === undefined) throw new NotFoundError('delivery', encodeId('delivery', deliveryId));
  const earlier = await work.earlierAnswer<{ deliveryId: string }>();
  if (earlier !== null) return earlier;
  const { disabledAt } = await lockWebhook(work, found.webhookId);
  if (disabledAt !== null)
    throw new InvalidStateError('The webhook is disabled: enable it with updateWebhook first', 'DISABLED', ['ENABLED']);
  if (found.status === 'PENDING' || found.status === 'PARKED')
    throw new InvalidStateError('The delivery is not done: it is sent again by itself', found.status, [
      'DELIVERED',
      'FAILED',
    ]);
  const id = work.newId();
  work.insert('deliveries', {
    id,
    webhookId: found.webhookId,
    eventId: found.eventId,
    position: found.position as never,
    lane: `redelivery ${id}`,
    status: 'PENDING',
    attempts: 0,
    failures: 0,
    dueAt: work.now,
    redeliveryOfId: deliveryId,
    createdAt: work.now,
  });
  return { deliveryId: id };
}
