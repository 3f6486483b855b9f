import { expect, test } from 'vitest';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { secretFor } from '../../../test/keyring.ts';
import { startRedis } from '../../../test/redis.ts';
import { startApp } from '../../../test/server.ts';
import { createRates } from '../../infra/limits/rates.ts';

/** A server, writes of one key, and how many that key has left there. */
async function counting(variables: Record<string, string>) {
  const rates = createRates({ rateOf: () => ({ perMinute: 1, burst: 500 }) });
  const { url } = await startApp(database, { variables, rates });
  const { post } = client(url, { key });
  return {
    writes: async (count: number): Promise<void> => {
      for (let nth = 0; nth < count; nth += 1)
        await post('mutation { pauseSession(input: { sessionId: "x" }) { __typename } }');
    },
    left: async (): Promise<number> =>
      (await post<{ rateLimit: { writes: { remaining: number } } }>('{ rateLimit { writes { remaining } } }')).data
        .rateLimit.writes.remaining,
  };
}

const database = await testDatabase();
const key = await secretFor(database.pool, 'OPERATOR');

test('two servers with one Redis count the requests of a key together', async () => {
  const redis = await startRedis();
  atEnd(() => redis.stop());
  const [one, two] = [await counting({ REDIS_URL: redis.url }), await counting({ REDIS_URL: redis.url })];
  // What was counted before the connections to Redis stood is not heard.
  await expect.poll(async () => (await one.writes(1), two.left()), { interval: 300 }).toBeLessThan(500);
  const before = await two.left();
  await one.writes(40);
  await expect.poll(two.left, { interval: 300 }).toBeLessThanOrEqual(before - 40);
});

test('two servers without a Redis count the requests of a key each for itself', async () => {
  const [one, two] = [await counting({}), await counting({})];
  await one.writes(40);
  // The servers with Redis tell of what they counted once a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect([await one.left(), await two.left()]).toEqual([460, 500]);
});
