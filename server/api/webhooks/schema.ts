import { z } from 'zod';
import { encodeId } from '../../core/ids.ts';
import { admins } from '../access/roles.ts';
import { builder } from '../graphql/builder.ts';
import { connectionRef, pageArgs, rootPage } from '../graphql/connection.ts';
import { decodeArgs, idOf, optional, someOf } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import type { Order } from '../graphql/page.ts';

const DisabledReason = builder.enumType('WebhookDisabledReason', {
  description: 'Reasons for which a webhook is disabled.',
  values: {
    ADMIN: { description: 'An admin disabled it.' },
    FAILING: { description: 'A delivery failed for 24 hours.' },
    GONE: { description: 'The receiver answered 410.' },
  },
});

const DeliveryStatus = builder.enumType('DeliveryStatus', {
  description: 'Statuses of a Delivery. DELIVERED and FAILED are final.',
  values: {
    PENDING: { description: 'Is sent, or will be sent again at `nextAttemptAt`.' },
    PARKED: { description: 'Waits for an earlier delivery of its Session.' },
    DELIVERED: { description: 'The receiver answered with a status of 200 to 299.' },
    FAILED: { description: 'A redelivery failed. Other deliveries are repeated.' },
  },
});

const DeliveryError = builder.enumType('DeliveryError', {
  description: 'Reasons for which an attempt failed.',
  values: {
    TIMEOUT: { description: 'The receiver did not answer within 10 seconds.' },
    UNREACHABLE: { description: 'The connection failed or was closed without an answer.' },
    UNKNOWN_HOST: { description: 'The name of the host was not found.' },
    PRIVATE_ADDRESS: {
      description: 'The host has a private address, or http leads to a public one: see BATON_WEBHOOK_ALLOW.',
    },
    TLS: { description: 'The certificate was not accepted, or TLS failed.' },
    REDIRECT: { description: 'The receiver answered with a redirect, which is never followed.' },
    STATUS: { description: 'The receiver answered with a status of 400 or more.' },
    SIGNING_KEY: { description: 'The secret was made with another BATON_WEBHOOK_KEY: rotate it with updateWebhook.' },
    INTERNAL: { description: 'Baton could not read the Event.' },
  },
});

builder.prismaNode('Webhook', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: 'An address to which Events are sent.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'Address that gets each Event as a POST.' }),
    description: t.exposeString('description', { nullable: true }),
    types: t.field({
      type: ['EventType' as never],
      description: 'Types of Events that are sent. Empty: every type but TURN_APPENDED and LOG_CHANGED.',
      select: { types: true },
      resolve: ({ types }) => types as never,
    }),
    enabled: t.boolean({
      description: 'Whether Events are sent.',
      select: { disabledAt: true, deletedAt: true },
      resolve: ({ disabledAt, deletedAt }) => disabledAt === null && deletedAt === null,
    }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which it was disabled; null while it is enabled.',
    }),
    disabledReason: t.expose('disabledReason', {
      type: DisabledReason,
      nullable: true,
      description: 'Reason for which it is disabled; null while it is enabled.',
    }),
    previousSecretUntil: t.expose('previousSecretUntil', { type: 'DateTime', nullable: true }),
    createdBy: t.exposeString('createdBy'),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    deletedAt: t.expose('deletedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which it was deleted; null otherwise.',
    }),
  }),
});

builder.prismaNode('Delivery', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: 'An Event on its way to a webhook. Kept for 7 days after it is done.',
  fields: (t) => ({
    webhook: t.relation('webhook', { description: 'The webhook.' }),
    event: t.relation('event', { description: 'The Event.' }),
    status: t.expose('status', { type: DeliveryStatus, description: 'State of the delivery.' }),
    attempts: t.exposeInt('attempts'),
    attemptedAt: t.expose('attemptedAt', { type: 'DateTime', nullable: true }),
    nextAttemptAt: t.expose('dueAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the next attempt; null when it is done, parked, or the webhook is disabled.',
    }),
    responseStatus: t.exposeInt('responseStatus', { nullable: true }),
    error: t.expose('error', {
      type: DeliveryError,
      nullable: true,
      description: 'Reason for which the latest attempt failed; null after a success and before the first attempt.',
    }),
    redeliveryOf: t.id({
      nullable: true,
      description: 'Id of the delivery that this one repeats; null for a first delivery.',
      select: { redeliveryOfId: true },
      resolve: ({ redeliveryOfId }) => (redeliveryOfId === null ? null : encodeId('delivery', redeliveryOfId)),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
  }),
});

const webhookOrder: Order = { name: 'webhook', columns: { createdAt: 'time', id: 'uuid' }, direction: 'desc' };
const deliveryOrder: Order = { name: 'delivery', columns: { createdAt: 'time', id: 'uuid' }, direction: 'desc' };

const deliveriesArgs = z.object({
  webhookId: idOf('webhook').describe('Deliveries to this webhook.'),
  status: optional(someOf(DeliveryStatus)).describe('Deliveries with one of these statuses. Null: with any.'),
});

builder.queryFields((t) => ({
  webhooks: t.field({
    access: admins,
    type: connectionRef('Webhook'),
    description: 'Lists the webhooks, newest first, without deleted ones. FORBIDDEN unless the caller is an ADMIN.',
    args: pageArgs,
    resolve: (_root, args, context, info) =>
      rootPage('Webhook', { args, order: webhookOrder, oneOf: [{ deletedAt: null }] }, context, info),
  }),
  deliveries: t.field({
    access: admins,
    type: connectionRef('Delivery'),
    description:
      'Lists the deliveries to a webhook, newest first; empty for an unknown one. FORBIDDEN unless the caller is an ADMIN.',
    args: { ...argsOf(deliveriesArgs), ...pageArgs },
    resolve: (_root, args, context, info) => {
      const { webhookId, status } = decodeArgs(deliveriesArgs, args);
      const where = { webhookId, ...(status !== null && { status: { in: status } }) };
      return rootPage('Delivery', { args, order: deliveryOrder, oneOf: [where] }, context, info);
    },
  }),
}));
