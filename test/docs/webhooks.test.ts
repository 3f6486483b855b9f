import { createHmac } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { testDatabase } from '../database.ts';
import { delivering } from '../delivering.ts';
import { client } from '../graphql.ts';
import { webhookKey } from '../keyring.ts';
import { startApp } from '../server.ts';
import { world } from '../world.ts';
import { blocksOf } from './blocks.ts';
import { runTypeScript } from './typescript.ts';

const database = await testDatabase();
const { url } = await startApp(database, {
  variables: { BATON_WEBHOOK_KEY: webhookKey, BATON_WEBHOOK_ALLOW: '127.0.0.1' },
});
const { agent, session } = world(database.pool);
const blocks = blocksOf('docs/webhooks.md');
const textOf = (language: string): string => blocks.find((block) => block.language === language)!.text;

interface Made {
  createWebhook: { webhook: { id: string }; secret: string };
}

it('the receiver of docs/webhooks.md takes what Baton signed once, and refuses what was altered or is old', async () => {
  await agent('ada');
  // The address becomes known when it listens: the secret is needed before.
  const { data } = await client(url).post<Made>(
    textOf('graphql').replace(/types: \[.*?\]/, 'types: [SESSION_CREATED]'),
  );
  const { webhook, secret } = data.createWebhook;
  const receiver = await runTypeScript(
    textOf('ts').replace(`process.env['WEBHOOK_SECRET'] ?? 'whsec_...'`, JSON.stringify(secret)),
    'listening',
  );
  const port = /"port":(\d+)/.exec(receiver.stdout())![1]!;
  const address = `http://127.0.0.1:${port}/`;
  await client(url).post('mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { __typename } }', {
    input: { webhookId: webhook.id, url: address },
  });
  const worker = delivering(database);
  await session('ada');
  await vi.waitFor(() => expect(receiver.stdout()).toContain('SESSION_CREATED'), { timeout: 20_000, interval: 10 });
  await worker.stop();

  const send = async (body: string, { seconds = Math.floor(Date.now() / 1_000), key = secret, sent = body } = {}) =>
    (
      await fetch(address, {
        method: 'POST',
        body: sent,
        headers: {
          'baton-signature': `t=${seconds},v1=${'0'.repeat(64)},v1=${createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex')}`,
        },
      })
    ).status;
  const body = JSON.stringify({ id: 'event_1', type: 'NEVER_SAID' });
  expect(await send(body, { key: 'whsec_other' })).toBe(400);
  expect(await send(body, { sent: body.replace('NEVER', 'ALTERED') })).toBe(400);
  expect(await send(body, { seconds: Math.floor(Date.now() / 1_000) - 600 })).toBe(400);
  expect((await fetch(address, { method: 'POST', body })).status).toBe(400);
  expect(receiver.stdout()).not.toContain('_SAID');
  for (let times = 0; times < 2; times += 1) expect(await send(body.replace('NEVER', 'ONCE'))).toBe(204);
  await vi.waitFor(() => expect(receiver.stdout().split('ONCE_SAID')).toHaveLength(2), {
    timeout: 20_000,
    interval: 10,
  });
  await receiver.stop();
}, 60_000);
