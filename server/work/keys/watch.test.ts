import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startRedis } from '../../../test/redis.ts';
import { startApp } from '../../../test/server.ts';
import { rawSocket } from '../../../test/socket.ts';
import { hashOf, newSecret } from './secret.ts';

const database = await testDatabase();
const redis = await startRedis();
atEnd(() => redis.stop());
// Nobody looks by himself.
const options = { variables: { REDIS_URL: redis.url, BATON_ADMIN_KEY: 'k'.repeat(32) }, recheckMs: 3_600_000 };
const [revoking, serving] = [await startApp(database, options), await startApp(database, options)];
const patience = { timeout: 20_000, interval: 10 };
const hears = (yes: boolean) =>
  expect
    .poll(() => [revoking, serving].every(({ live }) => (live.degraded().length === 0) === yes), patience)
    .toBe(true);

test('a key that was revoked while Redis was away ends when Redis is back', async () => {
  const [id, secret] = [randomUUID(), newSecret()];
  await database.pool.query(
    "INSERT INTO keys (id, name, role, secret_hash, created_by, created_at) VALUES ($1, 'test', 'OPERATOR', $2, 'test', now())",
    [id, hashOf(secret)],
  );
  const authorization = `Bearer ${secret}`;
  await hears(true);
  const socket = await rawSocket(serving.url);
  await socket.init({ authorization });
  const ask = () =>
    client(serving.url).post<{ viewer: { role: string } } | undefined>('{ viewer { role } }', {}, { authorization });
  expect((await ask()).data).toEqual({ viewer: { role: 'OPERATOR' } });
  await redis.kill();
  await hears(false);
  await database.pool.query('UPDATE keys SET revoked_at = now() WHERE id = $1', [id]);
  revoking.authenticate.revoked(id);
  await redis.start();
  expect(await socket.closed).toMatchObject({ code: 4403 });
  expect(await ask()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
});
