import { describe, expect, it } from 'vitest';
import { client } from '../../../test/graphql.ts';
import { webhookKey } from '../../../test/keyring.ts';
import { house, testRefusals, unknownId, type Expected, type House, type Refusal } from '../../../test/refusals.ts';
import { startApp } from '../../../test/server.ts';
import { encodeId } from '../../core/ids.ts';

const home = await house();
const url = 'https://example.com/baton';

const create = async ({ send, db }: House, input: object = {}) => {
  // Makes room.
  await db.pool.query(`UPDATE webhooks SET deleted_at = now() WHERE created_by = 'x'`);
  return (await send('createWebhook', { url, ...input })) as unknown as { webhook: { id: string }; secret: string };
};
const delivery = async (here: House, status = 'DELIVERED', disabled = false): Promise<Expected> => {
  const { webhook } = await create(here);
  await here.session(null);
  const { rows } = await here.db.pool.query<{ id: string }>(
    `INSERT INTO deliveries (id, webhook_id, event_id, position, lane, status, attempts, created_at)
     SELECT gen_random_uuid(), w.id, e.id, 1, 'x', $1::delivery_status, 1, now() FROM (SELECT id FROM events LIMIT 1) e, (SELECT id FROM webhooks ORDER BY created_at DESC, id DESC LIMIT 1) w RETURNING id`,
    [status],
  );
  if (disabled) await here.send('updateWebhook', { webhookId: webhook.id, enabled: false });
  return { input: { deliveryId: encodeId('delivery', rows[0]!.id) } };
};
const mismatch = async (here: House, mutation: string, first: object, second: object): Promise<Expected> => {
  const idempotencyKey = here.unique('key');
  await here.send(mutation, { ...first, idempotencyKey });
  return { input: { ...second, idempotencyKey } };
};
const bad: Omit<Refusal, 'mutation' | 'given'> = {
  error: 'BadUserInputError',
  when: 'the address is private',
  says: /private address 10\.0\.0\.1: give a public one, or set BATON_WEBHOOK_ALLOW/,
};
const missing: Omit<Refusal, 'mutation' | 'given'> = {
  error: 'NotFoundError',
  when: 'there is no such webhook',
  says: /no webhook/,
};

const cases: Refusal[] = [
  {
    ...bad,
    mutation: 'createWebhook',
    given: () => ({ input: { url: 'https://10.0.0.1/' }, data: { path: ['input', 'url'] } }),
  },
  {
    ...bad,
    mutation: 'updateWebhook',
    given: () => ({
      input: { webhookId: unknownId('webhook'), url: 'https://10.0.0.1/' },
      data: { path: ['input', 'url'] },
    }),
  },
  {
    error: 'BadUserInputError',
    mutation: 'deleteWebhook',
    when: 'the id is of something else',
    says: /id of a session/,
    given: () => ({ input: { webhookId: unknownId('session') } }),
  },
  {
    error: 'BadUserInputError',
    mutation: 'redeliver',
    when: 'the id is of something else',
    says: /id of a webhook/,
    given: () => ({ input: { deliveryId: unknownId('webhook') } }),
  },
  {
    error: 'IdempotencyMismatchError',
    mutation: 'createWebhook',
    when: 'the key was used for another webhook',
    says: /use a new key/,
    given: (here) => mismatch(here, 'createWebhook', { url }, { url: `${url}/other` }),
  },
  {
    error: 'IdempotencyMismatchError',
    mutation: 'redeliver',
    when: 'the key was used for another delivery',
    says: /use a new key/,
    given: async (here) => mismatch(here, 'redeliver', (await delivery(here)).input, (await delivery(here)).input),
  },
  ...['updateWebhook', 'deleteWebhook'].map((mutation): Refusal => ({
    ...missing,
    mutation,
    given: () => ({ input: { webhookId: unknownId('webhook') } }),
  })),
  {
    ...missing,
    mutation: 'updateWebhook',
    when: 'the webhook was deleted',
    given: async (here) => {
      const { webhook } = await create(here);
      await here.send('deleteWebhook', { webhookId: webhook.id });
      return { input: { webhookId: webhook.id, enabled: true } };
    },
  },
  {
    error: 'NotFoundError',
    mutation: 'redeliver',
    when: 'there is no such delivery',
    says: /no delivery/,
    given: () => ({ input: { deliveryId: unknownId('delivery') } }),
  },
  {
    error: 'InvalidStateError',
    mutation: 'redeliver',
    when: 'the delivery is repeated by itself',
    says: /sent again by itself/,
    given: (here) => delivery(here, 'PENDING'),
  },
  {
    error: 'InvalidStateError',
    mutation: 'redeliver',
    when: 'the webhook is disabled',
    says: /enable it/,
    given: (here) => delivery(here, 'DELIVERED', true),
  },
];

describe('a webhook', () => {
  it('has a secret that is returned at its creation and after a rotation, and is never stored', async () => {
    const { webhook, secret } = await create(home, { idempotencyKey: 'once' });
    expect(secret).toMatch(/^whsec_[\w-]{43}$/);
    expect(await create(home, { idempotencyKey: 'once' })).toMatchObject({ webhook, secret });
    expect(await home.send('updateWebhook', { webhookId: webhook.id, description: 'for CI' })).toMatchObject({
      secret: null,
    });
    const { secret: rotated } = (await home.send('updateWebhook', {
      webhookId: webhook.id,
      rotateSecret: true,
    })) as unknown as { secret: string };
    expect(rotated).toMatch(/^whsec_[\w-]{43}$/);
    expect(rotated).not.toBe(secret);
    const { rows } = await home.db.pool.query<{ text: string }>(
      'SELECT w::text AS text FROM webhooks w UNION ALL SELECT a::text FROM idempotency_answers a',
    );
    for (const { text } of rows)
      for (const hidden of [secret.slice(6), rotated.slice(6), webhookKey]) expect(text).not.toContain(hidden);
  });

  it('changes the given fields only, is listed until it is deleted, and is found by node', async () => {
    const { webhook } = await create(home, { description: 'for CI', types: ['SESSION_CREATED', 'SESSION_CREATED'] });
    const app = await startApp(home.db, {
      variables: { BATON_WEBHOOK_KEY: webhookKey, BATON_WEBHOOK_ALLOW: '10.0.0.0/8' },
    });
    const { post } = client(app.url);
    const read = async () =>
      (
        await post<{ node: object }>(
          'query ($id: ID!) { node(id: $id) { ... on Webhook { url description types enabled disabledReason deletedAt createdBy } } }',
          { id: webhook.id },
        )
      ).data.node;
    const listed = async () =>
      (await post<{ webhooks: { nodes: { id: string }[] } }>('{ webhooks { nodes { id } } }')).data.webhooks.nodes.map(
        ({ id }) => id,
      );
    const before = {
      url,
      description: 'for CI',
      types: ['SESSION_CREATED'],
      enabled: true,
      disabledReason: null,
      deletedAt: null,
      createdBy: 'loopback',
    };
    expect(await read()).toEqual(before);
    const update = (input: object) =>
      post('mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { __typename } }', {
        input: { webhookId: webhook.id, ...input },
      });
    await update({ url: 'http://10.1.2.3/', enabled: false });
    expect(await read()).toEqual({ ...before, url: 'http://10.1.2.3/', enabled: false, disabledReason: 'ADMIN' });
    await update({ description: null, types: [], enabled: true });
    expect(await read()).toEqual({ ...before, url: 'http://10.1.2.3/', description: null, types: [] });
    expect(await listed()).toContain(webhook.id);
    await home.send('deleteWebhook', { webhookId: webhook.id });
    expect(await listed()).not.toContain(webhook.id);
    expect(await read()).toMatchObject({ enabled: false, deletedAt: expect.any(String) as string });
  });

  it('is refused with INVALID_STATE on a server without BATON_WEBHOOK_KEY, which says how to set it', async () => {
    const { webhook } = await create(home);
    const { url: without } = await startApp(home.db);
    const send = async (mutation: string, input: object) => {
      const stem = mutation.charAt(0).toUpperCase() + mutation.slice(1);
      return (
        await client(without).post<{ answer: { __typename: string } }>(
          `mutation ($input: ${stem}Input!) { answer: ${mutation}(input: $input) { __typename ... on Error { message } ... on InvalidStateError { state } } }`,
          { input },
        )
      ).data.answer as never;
    };
    const says = /set BATON_WEBHOOK_KEY/;
    for (const [mutation, input] of [
      ['createWebhook', { url }],
      ['updateWebhook', { webhookId: webhook.id, rotateSecret: true }],
    ] as const) {
      expect(await send(mutation, input)).toMatchObject({
        __typename: 'InvalidStateError',
        state: 'OFF',
        message: expect.stringMatching(says) as string,
      });
    }
  });
});

testRefusals(
  home,
  ['createWebhook', 'updateWebhook', 'deleteWebhook', 'redeliver'],
  [
    ...cases,
    {
      error: 'InvalidStateError',
      mutation: 'updateWebhook',
      when: 'its secret was made with another BATON_WEBHOOK_KEY',
      says: /add rotateSecret: true/,
      given: async (here) => {
        const { webhook } = await create(here);
        await here.send('updateWebhook', { webhookId: webhook.id, enabled: false });
        await here.db.pool.query(`UPDATE webhooks SET key_check = 'x' WHERE disabled_at IS NOT NULL`);
        return { input: { webhookId: webhook.id, enabled: true } };
      },
    },
    {
      error: 'InvalidStateError',
      mutation: 'createWebhook',
      when: 'there are 50 webhooks',
      says: /delete one first/,
      given: async (here) => {
        await here.db.pool.query(
          `INSERT INTO webhooks (id, url, types, secret_version, key_check, position, created_by, created_at) SELECT gen_random_uuid(), 'https://example.com', '{}', 1, 'x', 0, 'x', now() FROM generate_series(1, 50)`,
        );
        return { input: { url } };
      },
    },
  ],
);
