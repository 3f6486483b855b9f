import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { webhookKey } from '../../../test/keyring.ts';
import { receiver } from '../../../test/receiver.ts';
import { startServer } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';

const db = await testDatabase();
const { agent, session, reassign } = world(db.pool);

it('after a kill between requests and their marks another process continues within 20 seconds, at least once and in the order of each session', async () => {
  for (const id of ['ada', 'bob']) await agent(id, { maxCapacity: 1_000 });
  const hook = await receiver();
  const start = () =>
    startServer({ databaseUrl: db.url, env: { BATON_WEBHOOK_KEY: webhookKey, BATON_WEBHOOK_ALLOW: '127.0.0.1' } });
  // Alone, it is the one that sends.
  const first = await start();
  await client(first.url).post(
    'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { __typename } }',
    { input: { url: hook.url } },
  );
  await session('ada');
  await hook.has(1);
  await start();

  const sessions: string[] = [];
  hook.received.length = 0;
  const held: string[] = [];
  // The second event of each session gets no answer.
  hook.answers.with = (one, response) => {
    if (one.event.type !== 'HANDOFF_INITIATED') return hook.taking(one, response);
    held.push(one.event.id);
  };
  for (let number = 0; number < 10; number += 1) {
    const id = await session('ada');
    sessions.push(encodeId('session', id));
    await reassign(id, { agentId: 'bob' });
  }
  await hook.has(20);
  expect(held).toHaveLength(10);
  await first.kill('SIGKILL');
  const killedAt = performance.now();
  hook.answers.with = hook.taking;
  await hook.has(40);
  expect(performance.now() - killedAt).toBeLessThan(22_000);
  for (const id of sessions)
    expect(hook.types(id)).toEqual(['SESSION_CREATED', 'HANDOFF_INITIATED', 'HANDOFF_INITIATED', 'SESSION_REASSIGNED']);
  // What was repeated has the same id.
  expect(
    hook.received
      .filter(({ event }) => event.type === 'HANDOFF_INITIATED')
      .slice(10)
      .map(({ event }) => event.id)
      .sort(),
  ).toEqual(held.sort());
}, 120_000);
