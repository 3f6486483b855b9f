import { expect, it } from 'vitest';
import { testDatabase } from '../../test/database.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
const { agent, session } = world(db.pool);
await agent('ada', { maxCapacity: 10 });

const secret = `sk-proj-${'aB3dE6gH9jK2mN5pQ8sT1vW4'}`;
const stored = async () =>
  (await db.pool.query<{ row: string }>('SELECT a::text AS row FROM idempotency_answers a')).rows.map(({ row }) => row);

it('an idempotency key is stored as its hash, and repeats its answer', async () => {
  const first = await session('ada', {}, { idempotencyKey: secret });
  expect(await session('ada', {}, { idempotencyKey: secret })).toBe(first);
  expect(await stored()).toHaveLength(1);
  expect((await stored()).join()).not.toContain(secret);
});
