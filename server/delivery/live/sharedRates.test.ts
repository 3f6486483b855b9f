import { expect, test } from 'vitest';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { secretFor } from '../../../test/keyring.ts';
import { startRedis } from '../../../test/redis.ts';
import { startApp } from '../../../test/server.ts';
import { createRates } from '../../infra/limits/rates.ts';

test('two servers with one Redis count the requests of a key together', async () => {
  const redis = await startRedis();
  atEnd(() => redis.stop());
  const database = await testDatabase();
  const key = await secretFor(database.pool, 'OPERATOR');
  const start = async () => {
    const rates = createRates({ rateOf: () => ({ perMinute: 1, burst: 500 }) });
    const { url } = await startApp(database, { variables: { REDIS_URL: redis.url }, rates });
    const { post } = client(url, { key });
    const left = async () =>
      (await post<{ rateLimit: { writes: { remaining: number } } }>('{ rateLimit { writes { remaining } } }')).data
        .rateLimit.writes.remaining;
    return { post, left };
  };
  const [one, two] = [await start(), await start()];
  const writes = async (server: typeof one, count: number) => {
    for (let nth = 0; nth < count; nth += 1)
      await server.post('mutation { pauseSession(input: { sessionId: "x" }) { __typename } }');
  };
  // What was counted before the connections to Redis stood is not heard.
  await expect.poll(async () => (await writes(one, 1), two.left()), { interval: 300 }).toBeLessThan(500);
  const before = await two.left();
  await writes(one, 40);
  await expect.poll(two.left, { interval: 300 }).toBeLessThanOrEqual(before - 40);
});
