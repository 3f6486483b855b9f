import { describe, expect, it, vi } from 'vitest';
import { movableClock } from '../../../test/clock.ts';
import { testDatabase } from '../../../test/database.ts';
import { delivering } from '../../../test/delivering.ts';
import { client } from '../../../test/graphql.ts';
import { webhookKey } from '../../../test/keyring.ts';
import { isSignedWith, receiver } from '../../../test/receiver.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { decodeId, encodeId } from '../../core/ids.ts';
import { observe } from '../../core/observed.ts';
import { acceptHandoff } from '../../work/handoffs/changeHandoff.ts';

const db = await testDatabase();
const clock = await movableClock(db);
const { url, streams } = await startApp(db, {
  variables: { BATON_WEBHOOK_KEY: webhookKey, BATON_WEBHOOK_ALLOW: '127.0.0.1' },
});
const { post } = client(url);
const { agent, session, reassign, run, turn } = world(db.pool);
for (const id of ['ada', 'bob']) await agent(id, { maxCapacity: 1_000 });

const fields = 'id enabled disabledReason previousSecretUntil types';
interface Answer {
  answer: {
    webhook: {
      id: string;
      enabled: boolean;
      disabledReason: string | null;
      previousSecretUntil: string | null;
      types: string[];
    };
    secret: string;
  };
}
const create = async (input: object) =>
  (
    await post<Answer>(
      `mutation ($input: CreateWebhookInput!) { answer: createWebhook(input: $input) { ... on CreateWebhookPayload { webhook { ${fields} } secret } ... on Error { message } } }`,
      { input },
    )
  ).data.answer;
const update = async (input: object) =>
  (
    await post<Answer>(
      `mutation ($input: UpdateWebhookInput!) { answer: updateWebhook(input: $input) { ... on UpdateWebhookPayload { webhook { ${fields} } secret } ... on Error { message } } }`,
      { input },
    )
  ).data.answer;
const remove = (webhookId: string) =>
  post('mutation ($input: DeleteWebhookInput!) { deleteWebhook(input: $input) { __typename } }', {
    input: { webhookId },
  });
interface Delivered {
  id: string;
  status: string;
  attempts: number;
  error: string | null;
  responseStatus: number | null;
  nextAttemptAt: string | null;
  redeliveryOf: string | null;
  event: { type: string; session: { id: string } };
}
const deliveries = async (webhookId: string, status = '') =>
  (
    await post<{ deliveries: { nodes: Delivered[] } }>(
      `query ($webhookId: ID!) { deliveries(webhookId: $webhookId${status}, first: 100) { nodes { id status attempts error responseStatus nextAttemptAt redeliveryOf event { type session { id } } } } }`,
      { webhookId },
    )
  ).data.deliveries.nodes;
const ended = (webhookId: string) =>
  vi.waitFor(async () => expect(await deliveries(webhookId, ', status: [PENDING, PARKED]')).toEqual([]), {
    timeout: 20_000,
    interval: 10,
  });
const idOf = (uuid: string) => encodeId('session', uuid);

/** A session that is handed off and accepted, and the types of its events in order. */
async function story(): Promise<string> {
  const id = await session('ada');
  const { handoffId } = await reassign(id, { agentId: 'bob' });
  await run(acceptHandoff, { handoffId: handoffId! });
  return idOf(id);
}
const told = ['SESSION_CREATED', 'HANDOFF_INITIATED', 'SESSION_REASSIGNED', 'HANDOFF_ACCEPTED'];

describe('a webhook', () => {
  it('gets every event after its creation, signed, in the order of each session, as a subscription has it', async () => {
    await story();
    const hook = await receiver();
    const { webhook, secret } = await create({ url: hook.url });
    const worker = delivering(db, { positioned: () => streams.positioned() });
    const sessions = await Promise.all([story(), story(), story()]);
    await hook.has(12);
    for (const id of sessions) expect(hook.types(id)).toEqual(told);
    for (const one of hook.received) expect(isSignedWith(secret, one)).toBe(true);
    const [first] = hook.received.filter(({ event }) => event.type === 'HANDOFF_INITIATED');
    expect(first!.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Baton/test',
      'baton-webhook': webhook.id,
      'baton-delivery': expect.stringMatching(/^delivery_/) as string,
    });
    expect(first!.headers['baton-redelivery']).toBeUndefined();
    expect(first!.event).toMatchObject({
      actor: { principal: 'operator', role: 'OPERATOR' },
      agent: { id: 'ada' },
      sessionSequence: 2,
      handoff: { sourceAgent: { id: 'ada' }, targetAgent: { id: 'bob' } },
    });
    // Its cursor continues a subscription.
    const [before, after] = [hook.received.at(-2)!.event, hook.received.at(-1)!.event].sort((a, b) =>
      a.id < b.id ? -1 : 1,
    );
    expect(before!.cursor).not.toBe(after!.cursor);
    await ended(webhook.id);
    expect(
      (await deliveries(webhook.id)).map(({ status, attempts, responseStatus }) => [status, attempts, responseStatus]),
    ).toEqual(Array.from({ length: 12 }, () => ['DELIVERED', 1, 204]));
    await worker.stop();
    await remove(webhook.id);
  });

  it('gets only the types that it names, also those of the log', async () => {
    const [named, all] = [await receiver(), await receiver()];
    const hooks = [
      await create({ url: named.url, types: ['TURN_APPENDED', 'SESSION_CREATED'] }),
      await create({ url: all.url }),
    ];
    const worker = delivering(db);
    const id = await session('ada');
    await turn(id);
    await reassign(id, { agentId: 'bob' });
    await all.has(3);
    await named.has(2);
    await Promise.all(hooks.map(({ webhook }) => ended(webhook.id)));
    expect(named.types()).toEqual(['SESSION_CREATED', 'TURN_APPENDED']);
    expect(all.types()).toEqual(['SESSION_CREATED', 'HANDOFF_INITIATED', 'SESSION_REASSIGNED']);
    await worker.stop();
    for (const { webhook } of hooks) await remove(webhook.id);
  });

  it('parks a session whose delivery fails, goes on with the others, and continues it in order', async () => {
    const hook = await receiver();
    const { webhook } = await create({ url: hook.url });
    const bad = await story();
    hook.answers.with = (one, response) => response.writeHead(one.event.session?.id === bad ? 503 : 200).end();
    const worker = delivering(db);
    const good = await story();
    await vi.waitFor(() => expect(hook.types(good)).toEqual(told), { timeout: 20_000, interval: 5 });
    await vi.waitFor(
      async () =>
        expect(await deliveries(webhook.id, ', status: PENDING')).toMatchObject([
          {
            attempts: 1,
            error: 'STATUS',
            responseStatus: 503,
            nextAttemptAt: expect.any(String) as string,
            event: { type: 'SESSION_CREATED' },
          },
        ]),
      { timeout: 20_000, interval: 5 },
    );
    expect((await deliveries(webhook.id, ', status: PARKED')).map(({ event }) => event.type)).toEqual(
      told.slice(1).reverse(),
    );
    hook.answers.with = hook.taking;
    await clock.move('6 seconds');
    await ended(webhook.id);
    // The failed attempt first.
    expect(hook.types(bad)).toEqual(['SESSION_CREATED', ...told]);
    await worker.stop();
    await remove(webhook.id);
  });

  it('waits twice as long after each failure, is disabled after 24 hours, and continues with every event when it is enabled', async () => {
    const [hook, watcher] = [await receiver(), await receiver()];
    const { webhook } = await create({ url: hook.url });
    const other = await create({ url: watcher.url, types: ['WEBHOOK_DISABLED'] });
    hook.answers.with = (_one, response) => response.writeHead(500).end();
    const worker = delivering(db);
    const failures: string[] = [];
    const stopCounting = observe(db.pool, { failure: ({ part }) => void failures.push(part) });
    const id = await story();
    const attempts = (number: number) =>
      vi.waitFor(
        async () =>
          expect((await deliveries(webhook.id, ', status: PENDING'))[0]).toMatchObject({
            attempts: number,
            error: 'STATUS',
          }),
        {
          timeout: 20_000,
          interval: 5,
        },
      );
    await attempts(1);
    for (const [number, wait] of [6, 12, 23, 45, 90, 180, 360, 720, 1_440, 2_880].entries()) {
      await clock.move(`${wait} seconds`);
      await attempts(number + 2);
    }
    expect(failures).toEqual(Array(11).fill('webhook'));
    stopCounting();
    const [waiting] = await deliveries(webhook.id, ', status: PENDING');
    const { rows } = await db.pool.query<{ wait: number }>(
      'SELECT extract(epoch FROM $1::timestamptz - clock_timestamp())::float8 AS wait',
      [waiting!.nextAttemptAt],
    );
    expect(rows[0]!.wait).toBeGreaterThan(3_000);
    expect(rows[0]!.wait).toBeLessThan(4_000);
    await clock.move('24 hours');
    await watcher.has(1);
    expect(watcher.received[0]!.event).toMatchObject({
      type: 'WEBHOOK_DISABLED',
      session: null,
      agent: null,
      actor: { principal: 'webhook', role: null },
      metadata: { webhookId: webhook.id, reason: 'FAILING' },
    });
    const tried = hook.received.length;
    const later = await story();
    await clock.move('2 days');
    await watcher.has(1);
    expect(hook.received).toHaveLength(tried);
    expect(await deliveries(webhook.id, ', status: PENDING')).toMatchObject([{ nextAttemptAt: null }]);
    hook.answers.with = hook.taking;
    hook.received.length = 0;
    expect((await update({ webhookId: webhook.id, enabled: true })).webhook).toMatchObject({
      enabled: true,
      disabledReason: null,
    });
    await hook.has(9);
    // The event of its own disabling too.
    expect([hook.types(id), hook.types(later), hook.types().includes('WEBHOOK_DISABLED')]).toEqual([told, told, true]);
    await worker.stop();
    for (const one of [webhook, other.webhook]) await remove(one.id);
  });

  it('is disabled at once by 410', async () => {
    const hook = await receiver();
    const { webhook } = await create({ url: hook.url });
    hook.answers.with = (_one, response) => response.writeHead(410).end();
    const worker = delivering(db);
    await story();
    await vi.waitFor(
      async () =>
        expect((await update({ webhookId: webhook.id })).webhook).toMatchObject({
          enabled: false,
          disabledReason: 'GONE',
        }),
      { timeout: 20_000, interval: 10 },
    );
    expect(hook.received).toHaveLength(1);
    await worker.stop();
    await remove(webhook.id);
  });

  it('gets an event again by redeliver, marked and once, while its session waits', async () => {
    const hook = await receiver();
    const { webhook } = await create({ url: hook.url });
    const worker = delivering(db);
    const id = await story();
    await hook.has(4);
    await ended(webhook.id);
    hook.answers.with = (_one, response) => response.writeHead(500).end();
    await reassign(decodeId(id)!.uuid, { agentId: 'ada' });
    const waiting = await vi.waitFor(
      async () => {
        const [found] = await deliveries(webhook.id, ', status: PENDING');
        expect(found).toMatchObject({ attempts: 1 });
        return found!;
      },
      { timeout: 20_000, interval: 5 },
    );
    const again = async (deliveryId: string) =>
      (
        await post<{ answer: { delivery?: { id: string }; code?: string; state?: string } }>(
          'mutation ($input: RedeliverInput!) { answer: redeliver(input: $input) { ... on RedeliverPayload { delivery { id } } ... on InvalidStateError { code state } } }',
          { input: { deliveryId } },
        )
      ).data.answer;
    expect(await again(waiting.id)).toEqual({ code: 'INVALID_STATE', state: 'PENDING' });
    const done = (await deliveries(webhook.id, ', status: DELIVERED')).find(
      ({ event }) => event.type === 'SESSION_CREATED',
    )!;
    const failed = (await again(done.id)).delivery!;
    await vi.waitFor(
      async () =>
        expect(await deliveries(webhook.id, ', status: FAILED')).toMatchObject([
          { id: failed.id, redeliveryOf: done.id, attempts: 1 },
        ]),
      { timeout: 20_000, interval: 5 },
    );
    hook.answers.with = hook.taking;
    hook.received.length = 0;
    const { id: redelivered } = (await again(failed.id)).delivery!;
    await hook.has(1);
    expect(hook.received[0]).toMatchObject({
      event: { type: 'SESSION_CREATED' },
      headers: { 'baton-delivery': redelivered, 'baton-redelivery': failed.id },
    });
    await worker.stop();
    await remove(webhook.id);
  });

  it('is signed with the previous secret too for a day after a rotation', async () => {
    const hook = await receiver();
    const { webhook, secret: first } = await create({ url: hook.url });
    const { secret: second, webhook: rotated } = await update({ webhookId: webhook.id, rotateSecret: true });
    expect(second).not.toBe(first);
    expect(rotated.previousSecretUntil).not.toBeNull();
    const worker = delivering(db);
    await session('ada');
    await hook.has(1);
    expect([isSignedWith(first, hook.received[0]!), isSignedWith(second, hook.received[0]!)]).toEqual([true, true]);
    await db.pool.query(`UPDATE webhooks SET previous_secret_until = now() - interval '1 minute'`);
    await session('ada');
    await hook.has(2);
    expect([isSignedWith(first, hook.received[1]!), isSignedWith(second, hook.received[1]!)]).toEqual([false, true]);
    await worker.stop();
    await remove(webhook.id);
  });

  it('of another BATON_WEBHOOK_KEY is sent nothing until its secret is rotated', async () => {
    const hook = await receiver();
    const { webhook } = await create({ url: hook.url });
    const foreign = delivering(db, { key: 'x'.repeat(32) });
    await session('ada');
    await vi.waitFor(
      async () =>
        expect(await deliveries(webhook.id, ', status: PENDING')).toMatchObject([
          { error: 'SIGNING_KEY', responseStatus: null },
        ]),
      { timeout: 20_000, interval: 5 },
    );
    expect(hook.received).toEqual([]);
    await foreign.stop();
    await remove(webhook.id);
  });
});

describe('two processes', () => {
  it('send each event once, and one continues when the other stops or dies', async () => {
    const hook = await receiver();
    const { webhook } = await create({ url: hook.url });
    const workers = [delivering(db, { leaseMs: 14_000 }), delivering(db, { leaseMs: 14_000 })];
    const sessions = await Promise.all([story(), story(), story(), story()]);
    await hook.has(16);
    await ended(webhook.id);
    expect(hook.received).toHaveLength(16);
    for (const id of sessions) expect(hook.types(id)).toEqual(told);
    const holder = async () =>
      (await db.pool.query<{ holder: string | null }>('SELECT holder FROM webhook_worker')).rows[0]!.holder;
    const before = await holder();
    await workers[0]!.stop();
    const next = await story();
    await vi.waitFor(() => expect(hook.types(next)).toEqual(told), { timeout: 20_000, interval: 5 });
    await workers[1]!.stop();
    // As a process leaves it that was killed.
    await db.pool.query(`UPDATE webhook_worker SET holder = $1, until = clock_timestamp() + interval '14 seconds'`, [
      before,
    ]);
    const third = delivering(db, { leaseMs: 14_000 });
    const last = await story();
    await clock.move('15 seconds');
    await vi.waitFor(() => expect(hook.types(last)).toEqual(told), { timeout: 20_000, interval: 5 });
    await third.stop();
    await remove(webhook.id);
  });

  it('neither repeat a request of one that lost its place, nor lose its answer', async () => {
    const hook = await receiver();
    const { webhook } = await create({ url: hook.url });
    let [arrived, answer] = [(): void => undefined, (): void => undefined];
    const isThere = new Promise<void>((resolve) => (arrived = resolve));
    hook.answers.with = (_one, response) => {
      answer = () => void response.writeHead(200).end();
      arrived();
    };
    const slow = delivering(db);
    const id = await session('ada');
    await isThere;
    hook.answers.with = hook.taking;
    await db.pool.query('UPDATE webhook_worker SET holder = NULL, until = NULL');
    const other = delivering(db);
    const next = await story();
    await vi.waitFor(() => expect(hook.types(next)).toEqual(told), { timeout: 20_000, interval: 5 });
    answer();
    await ended(webhook.id);
    await slow.stop();
    expect(hook.types(idOf(id))).toEqual(['SESSION_CREATED']);
    expect((await deliveries(webhook.id)).at(-1)).toMatchObject({ status: 'DELIVERED', attempts: 1 });
    await other.stop();
    await remove(webhook.id);
  });
});

it('deliveries of a deleted webhook, and those done a week ago, are forgotten', async () => {
  const hook = await receiver();
  const { webhook } = await create({ url: hook.url });
  const first = delivering(db);
  await story();
  await hook.has(4);
  await ended(webhook.id);
  await first.stop();
  const left = async () =>
    (await db.prisma.delivery.groupBy({ by: ['webhookId'], _count: true })).map(({ webhookId }) =>
      encodeId('webhook', webhookId),
    );
  const second = delivering(db);
  await vi.waitFor(async () => expect(await left()).toEqual([webhook.id]), { timeout: 20_000, interval: 10 });
  await second.stop();
  await clock.move('8 days');
  const third = delivering(db);
  await vi.waitFor(async () => expect(await left()).toEqual([]), { timeout: 20_000, interval: 10 });
  await third.stop();
});
