import { z } from 'zod';
import { IdempotencyMismatchError, InvalidStateError, NotFoundError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { faultOfSecret, faultOfUrl } from '../../work/webhooks/address.ts';
import {
  createWebhook,
  deleteWebhook,
  demandUrl,
  updateWebhook,
  type WebhookAnswer,
} from '../../work/webhooks/changeWebhook.ts';
import { redeliver } from '../../work/webhooks/redeliver.ts';
import { secretOf } from '../../work/webhooks/signing.ts';
import { admins } from '../access/roles.ts';
import { modelRef } from '../graphql/builder.ts';
import { storedEventType } from '../graphql/input/eventType.ts';
import {
  faultless,
  idOf,
  keyField,
  kept,
  listOf,
  nonBlank,
  optional,
  text,
  withDefault,
} from '../graphql/input/schemas.ts';
import { mutation, run, type Fields } from '../graphql/mutation.ts';

const fields = {
  url: nonBlank({ characters: limits.fields.urlCharacters })
    // Rules that depend on the settings follow in `demandUrl`.
    .check(faultless((url) => faultOfUrl(url, ['0.0.0.0/0', '::/0'])))
    .check(faultless(faultOfSecret))
    .describe(
      'Address that gets each Event as a POST: https, at most 2,000 characters, without a user name, a password or any other secret. A private address, or http, must be in BATON_WEBHOOK_ALLOW.',
    ),
  description: text({ characters: 500 }).describe('Description for people: at most 500 characters.'),
  types: listOf(storedEventType, { what: 'types', limit: 100, advice: 'name each once' })
    .transform((types) => [...new Set(types)])
    .describe('Types of Events to send. Null or empty: every type but TURN_APPENDED and LOG_CHANGED.'),
};
const webhookId = idOf('webhook').describe('The webhook.');

const webhookOf = <Parent extends { webhookId: string }>(t: Fields<Parent>) =>
  t.prismaField({
    type: modelRef('Webhook'),
    description: 'The webhook in its current state.',
    resolve: (query, parent, _args, { prisma }) =>
      prisma.webhook.findUniqueOrThrow({ ...query, where: { id: parent.webhookId } }),
  });

const secret = (t: Fields<WebhookAnswer>, description: string) =>
  t.string({
    nullable: true,
    description,
    resolve: ({ webhookId: id, secretVersion }, _args, { settings: { webhookKey } }) =>
      secretVersion === null || webhookKey === undefined ? null : secretOf(webhookKey, id, secretVersion),
  });

mutation('createWebhook', {
  access: admins,
  description:
    'Sends every Event after this call to an address, signed, in the order of each Session, at least once. INVALID_STATE on a server without BATON_WEBHOOK_KEY, and when there are 50 webhooks. FORBIDDEN unless the caller is an ADMIN.',
  input: z.object({
    url: fields.url,
    description: optional(fields.description),
    types: optional(fields.types).transform((types) => types ?? []),
    ...keyField,
  }),
  payload: {
    description: 'The webhook was created.',
    fields: (t: Fields<WebhookAnswer>) => ({
      webhook: webhookOf(t),
      secret: secret(
        t,
        'Secret that signs the deliveries, for the receiver. Returned only here and after a rotation; Baton does not store it.',
      ),
    }),
  },
  errors: [IdempotencyMismatchError, InvalidStateError],
  async resolve(input, context) {
    demandUrl(input.url, context.settings);
    // Events committed before this call get their positions, so that none of them is sent.
    await context.streams?.positioned();
    return run(context, 'createWebhook', input, createWebhook);
  },
});

mutation('updateWebhook', {
  access: admins,
  description: 'Changes the given fields of a webhook. FORBIDDEN unless the caller is an ADMIN.',
  input: z.object({
    webhookId,
    url: kept(fields.url),
    description: fields.description
      .nullable()
      .optional()
      .describe('Description for people: at most 500 characters. Null removes it.'),
    types: kept(fields.types).describe(
      'Types of Events to send from now on. Empty: every type but TURN_APPENDED and LOG_CHANGED.',
    ),
    enabled: kept(z.boolean()).describe(
      'False: nothing is sent. True: it continues where it stopped, with every Event since.',
    ),
    rotateSecret: withDefault(z.boolean(), false).describe(
      'True: returns a new secret. For 24 hours each delivery is also signed with the previous one.',
    ),
  }),
  payload: {
    description: 'The webhook was changed.',
    fields: (t: Fields<WebhookAnswer>) => ({
      webhook: webhookOf(t),
      secret: secret(t, 'The new secret; null unless `rotateSecret` was true. Returned only here.'),
    }),
  },
  errors: [NotFoundError, InvalidStateError],
  resolve(input, context) {
    demandUrl(input.url, context.settings);
    return run(context, 'updateWebhook', input, updateWebhook);
  },
});

mutation('deleteWebhook', {
  access: admins,
  description: 'Ends a webhook for good and forgets its deliveries. FORBIDDEN unless the caller is an ADMIN.',
  input: z.object({ webhookId }),
  payload: {
    description: 'The webhook was deleted.',
    fields: (t: Fields<WebhookAnswer>) => ({ webhook: webhookOf(t) }),
  },
  errors: [NotFoundError],
  command: deleteWebhook,
});

mutation('redeliver', {
  access: admins,
  description:
    'Sends the Event of a delivery that is done once more, outside of the order, with the header `Baton-Redelivery`. A failure is not repeated. FORBIDDEN unless the caller is an ADMIN.',
  input: z.object({ deliveryId: idOf('delivery').describe('A delivery that is DELIVERED or FAILED.'), ...keyField }),
  payload: {
    description: 'The Event will be sent again.',
    fields: (t: Fields<{ deliveryId: string }>) => ({
      delivery: t.prismaField({
        type: modelRef('Delivery'),
        description: 'The new delivery in its current state.',
        resolve: (query, { deliveryId }, _args, { prisma }) =>
          prisma.delivery.findUniqueOrThrow({ ...query, where: { id: deliveryId } }),
      }),
    }),
  },
  errors: [NotFoundError, IdempotencyMismatchError, InvalidStateError],
  command: redeliver,
});
