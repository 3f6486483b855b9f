import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { movableClock } from '../../../test/clock.ts';
import { testDatabase } from '../../../test/database.ts';
import { delivering } from '../../../test/delivering.ts';
import { webhookKey } from '../../../test/keyring.ts';
import { receiver, type Answering } from '../../../test/receiver.ts';
import { world } from '../../../test/world.ts';
import { createWebhook, type WebhookFields } from '../../work/webhooks/changeWebhook.ts';
import { createSender } from './send.ts';

const db = await testDatabase();
const clock = await movableClock(db);
const { agent, session, run } = world(db.pool);
await agent('ada', { maxCapacity: 1_000 });

interface Row {
  id: string;
  status: string;
  attempts: number;
  error: string | null;
  /** Of the wait that follows the attempt, in seconds. */
  wait: number;
}

/** How a receiver may treat a post, and the errors that the attempt then has. Only the first takes the event. */
const doings: Record<string, { answer: Answering; errors: (string | null)[] }> = {
  take: { answer: (_one, response) => response.writeHead(204).end(), errors: [null] },
  fail: { answer: (_one, response) => response.writeHead(500).end(), errors: ['STATUS'] },
  redirect: { answer: (_one, response) => response.writeHead(302, { location: '/' }).end(), errors: ['REDIRECT'] },
  hang: { answer: () => undefined, errors: ['TIMEOUT'] },
  reset: { answer: (_one, response) => void response.socket!.resetAndDestroy(), errors: ['UNREACHABLE'] },
  end: { answer: (_one, response) => void response.socket!.end(), errors: ['UNREACHABLE'] },
  late: { answer: (_one, response) => void response.once('close', () => response.end()), errors: ['TIMEOUT'] },
};

it('a receiver gets one post for each attempt, after the documented wait, from two processes whose lease moves', async () => {
  const hook = await receiver();
  const begun: string[] = [];
  await run(
    function create(work, input: WebhookFields) {
      return createWebhook(work, input, { webhookKey });
    },
    { url: hook.url, description: null, types: ['SESSION_CREATED'] },
  );
  const rows = async () =>
    (
      await db.pool.query<Row>(
        `SELECT id, status, attempts, error, extract(epoch FROM due_at - clock_timestamp())::float8 AS wait FROM deliveries ORDER BY position`,
      )
    ).rows;
  const workers = [1, 2].map(() =>
    delivering(db, { sender: createSender({ allow: ['127.0.0.1'], timeoutMs: 300 }), leaseMs: 14_000 }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...Object.keys(doings).filter((name) => name !== 'take')), { maxLength: 6 }),
      fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
      async (fails, moves) => {
        hook.received.length = 0;
        const plan = [...fails, 'take'];
        hook.answers.with = (one, response) => doings[plan[hook.received.length - 1]!]!.answer(one, response);
        begun.push(await session('ada'));
        const place = begun.length - 1;
        for (const [index, doing] of plan.entries()) {
          await hook.has(index + 1);
          // Another process may take over while the request runs.
          if (moves[index]!) await db.pool.query('UPDATE webhook_worker SET holder = NULL, until = NULL');
          const row = await vi.waitFor(
            async () => {
              const found = (await rows())[place]!;
              expect([found.status, found.error]).not.toEqual(['PENDING', null]);
              return found;
            },
            { timeout: 20_000, interval: 5 },
          );
          expect([row.attempts, hook.received.length]).toEqual([index + 1, index + 1]);
          expect(doings[doing]!.errors).toContain(row.error);
          expect(row.status).toBe(doing === 'take' ? 'DELIVERED' : 'PENDING');
          if (doing === 'take') continue;
          const documented = 5 * 2 ** index;
          expect(row.wait).toBeLessThanOrEqual(documented * 1.1);
          // What the query and a busy machine took.
          expect(row.wait).toBeGreaterThan(documented * 0.9 - 3);
          expect(hook.received).toHaveLength(index + 1);
          await clock.move(`${Math.max(0, row.wait) + 0.01} seconds`);
        }
      },
    ),
    { numRuns: 12 },
  );
  for (const worker of workers) await worker.stop();
}, 120_000);
