import { statement } from '../../core/changes.ts';
import { BadUserInputError, InvalidStateError, NotFoundError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { fromColumns } from '../../core/rows.ts';
import type { Work } from '../../core/work.ts';
import type { Webhook } from '../../generated/prisma/client.ts';
import { record } from '../events/record.ts';
import type { EventType } from '../events/topics.ts';
import { faultOfUrl } from './address.ts';
import { keyCheckOf } from './signing.ts';

/** Creates, changes and deletes webhooks. The process that sends notices within a second. */

export interface WebhookFields {
  url: string;
  description: string | null;
  types: EventType[];
}

export interface WebhookSettings {
  webhookKey?: string | undefined;
  webhookAllow?: readonly string[];
}

export interface WebhookAnswer {
  webhookId: string;
  /** The version of the secret to return; null for none. */
  secretVersion: number | null;
}

export type UpdateWebhookInput = Partial<WebhookFields> & {
  webhookId: string;
  enabled?: boolean | undefined;
  rotateSecret: boolean;
};

/** How long deliveries are signed with the secret before a rotation, too. */
const rotatesWithin = 24 * 3_600_000;

const findHead = statement(
  `SELECT newest_position()::float8 AS head, (SELECT count(*) FROM webhooks WHERE deleted_at IS NULL)::int AS count`,
);
const lock = statement('SELECT to_jsonb(w) AS webhook FROM webhooks w WHERE id = $1 AND deleted_at IS NULL FOR UPDATE');
const restart = statement(
  `UPDATE deliveries SET due_at = clock_timestamp(), failing_since = NULL, failures = 0 WHERE webhook_id = $1 AND status = 'PENDING'`,
);
const suspend = statement(`UPDATE deliveries SET due_at = NULL WHERE webhook_id = $1 AND status = 'PENDING'`);

/** @throws BadUserInputError for an address that no webhook may have here. */
export function demandUrl(url: string | undefined, { webhookAllow = [] }: WebhookSettings): void {
  const fault = url === undefined ? null : faultOfUrl(url, webhookAllow);
  if (fault !== null) throw new BadUserInputError(`input.url ${fault}`, ['input', 'url']);
}

/** Begins with the events after this call. */
export async function createWebhook(
  work: Work,
  { url, description, types }: WebhookFields,
  { webhookKey }: WebhookSettings,
): Promise<WebhookAnswer> {
  await work.begin();
  const earlier = await work.earlierAnswer<WebhookAnswer>();
  if (earlier !== null) return earlier;
  const key = demandKey(webhookKey);
  await work.lockCount('webhooks');
  const [{ head, count } = { head: 0, count: 0 }] = await work.query<{ head: number; count: number }>(findHead, []);
  if (count >= limits.counts.webhooks)
    throw new InvalidStateError(`There are ${count} webhooks, which is the limit: delete one first`, 'FULL', []);
  const id = work.newId();
  work.insert('webhooks', {
    id,
    url,
    description,
    types,
    secretVersion: 1,
    keyCheck: keyCheckOf(key, id),
    position: head as never,
    createdBy: work.caller.principal,
    createdAt: work.now,
  });
  work.afterCommit(() =>
    work.log.info({ webhook: encodeId('webhook', id), by: work.caller.principal }, 'webhook_created'),
  );
  return { webhookId: id, secretVersion: 1 };
}

/** Enabled again, it continues where it stopped. */
export async function updateWebhook(
  work: Work,
  { webhookId, enabled, rotateSecret, ...given }: UpdateWebhookInput,
  { webhookKey }: WebhookSettings,
): Promise<WebhookAnswer> {
  const webhook = await lockWebhook(work, webhookId);
  const key = rotateSecret || enabled === true ? demandKey(webhookKey) : null;
  const changes: Partial<Webhook> = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  if (rotateSecret) {
    // With another key the previous secret is not known: nothing could be signed with it.
    const known = webhook.keyCheck === keyCheckOf(key!, webhookId);
    Object.assign(changes, {
      secretVersion: webhook.secretVersion + 1,
      previousSecretUntil: known ? new Date(work.now.getTime() + rotatesWithin) : null,
      keyCheck: keyCheckOf(key!, webhookId),
    });
  }
  if (enabled === true && !rotateSecret && webhook.keyCheck !== keyCheckOf(key!, webhookId)) {
    throw new InvalidStateError(
      'The secret of the webhook was made with another BATON_WEBHOOK_KEY: add rotateSecret: true, and give the new secret to the receiver',
      'SIGNING_KEY',
      [],
    );
  }
  if (enabled === true && webhook.disabledAt !== null) {
    Object.assign(changes, { disabledAt: null, disabledReason: null });
    await work.query(restart, [webhookId]);
  }
  if (enabled === false && webhook.disabledAt === null) {
    Object.assign(changes, { disabledAt: work.now, disabledReason: 'ADMIN' });
    await work.query(suspend, [webhookId]);
  }
  if (Object.keys(changes).length > 0) work.change('webhooks', webhook, changes);
  return { webhookId, secretVersion: rotateSecret ? webhook.secretVersion : null };
}

/** Nothing more is sent. Its deliveries are deleted afterwards, in small batches. */
export async function deleteWebhook(work: Work, { webhookId }: { webhookId: string }): Promise<WebhookAnswer> {
  const webhook = await lockWebhook(work, webhookId);
  work.change('webhooks', webhook, { deletedAt: work.now });
  work.afterCommit(() =>
    work.log.info({ webhook: encodeId('webhook', webhookId), by: work.caller.principal }, 'webhook_deleted'),
  );
  return { webhookId, secretVersion: null };
}

export async function lockWebhook(work: Work, webhookId: string): Promise<Webhook> {
  await work.begin();
  const [found] = await work.query<{ webhook: object }>(lock, [webhookId]);
  if (found === undefined) throw new NotFoundError('webhook', encodeId('webhook', webhookId));
  return fromColumns<Webhook>(found.webhook);
}

function demandKey(key: string | undefined): string {
  if (key !== undefined) return key;
  throw new InvalidStateError(
    'This server sends no webhooks: set BATON_WEBHOOK_KEY, for example to the output of "openssl rand -base64 32", and start it again',
    'OFF',
    [],
  );
}

/** Disables a webhook whose receiver fails or is gone, and records WEBHOOK_DISABLED. */
export async function disableWebhook(
  work: Work,
  { webhookId, reason }: { webhookId: string; reason: 'FAILING' | 'GONE' },
): Promise<object> {
  await work.begin();
  const [found] = await work.query<{ webhook: object }>(lock, [webhookId]);
  const webhook = found === undefined ? null : fromColumns<Webhook>(found.webhook);
  if (webhook === null || webhook.disabledAt !== null) return {};
  work.change('webhooks', webhook, { disabledAt: work.now, disabledReason: reason });
  await work.query(suspend, [webhookId]);
  const id = encodeId('webhook', webhookId);
  record(work, { type: 'WEBHOOK_DISABLED', session: null, metadata: { webhookId: id, reason }, parts: {} });
  work.afterCommit(() => work.log.warn({ webhook: id, reason }, 'webhook_disabled'));
  return {};
}
