import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { send } from '../../../test/graphql.ts';
import { adminKey } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { createRates } from '../../infra/limits/rates.ts';
import { acceptHandoff } from '../../work/handoffs/changeHandoff.ts';

const database = await testDatabase();
const { agent, session, reassign, run } = world(database.pool);
let path = '';

beforeAll(async () => {
  for (const id of ['ada', 'bob']) await agent(id);
  const id = await session('ada');
  for (let n = 0; n < 90; n += 1) {
    const { handoffId } = await reassign(id, { agentId: n % 2 === 0 ? 'bob' : 'ada' });
    await run(acceptHandoff, { handoffId: handoffId! });
  }
  await database.pool.query(
    `UPDATE handoffs SET summary = (SELECT string_agg(encode(sha256((handoffs.id::text || n)::bytea), 'base64'), '') FROM generate_series(1, 6400) n)`,
  );
  path = `/sessions/${encodeId('session', id)}.json`;
});

const caller = { principal: 'admin', role: 'ADMIN' as const };
const key = { variables: { BATON_ADMIN_KEY: adminKey } };
const headers = { authorization: `Bearer ${adminKey}` };

test.each([
  ['identity', 14],
  ['gzip', 22],
  ['br', 22],
] as const)('is read only as its reader takes it, and costs a read for each megabyte: %s', async (encoding, most) => {
  const rates = createRates({ rateOf: () => ({ perMinute: 1, burst: 1_000 }), clock: () => 0 });
  const { url } = await startApp(database, { ...key, rates });
  const paid = (): number => 1_000 - rates.allowances(caller)!.reads.remaining;
  const outgoing = request(`${url}${path}`, { agent: false, headers: { ...headers, 'accept-encoding': encoding } });
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  expect(response.headers['content-encoding'] ?? 'identity').toBe(encoding);
  response.pause();
  // The kernels on both ends keep some of it; then nothing more is read.
  await expect
    .poll(
      async () => {
        const before = paid();
        for (let n = 0; n < 5; n += 1) await send(`${url}/livez`);
        return before > 1 && before === paid();
      },
      { interval: 1_000, timeout: 20_000 },
    )
    .toBe(true);
  expect(paid()).toBeLessThan(most);
  const decoded =
    encoding === 'identity' ? response : response.pipe(encoding === 'gzip' ? createGunzip() : createBrotliDecompress());
  let bytes = 0;
  for await (const chunk of decoded) bytes += (chunk as Buffer).length;
  expect(bytes).toBeGreaterThan(90 * 280_000);
  expect(paid()).toBe(Math.ceil(bytes / limits.readBytes));
});

test('a large download waits while its key has no reads left', async () => {
  let ms = 0;
  const rates = createRates({ rateOf: () => ({ perMinute: 6_000, burst: 10 }), clock: () => ms });
  const { url } = await startApp(database, { ...key, rates });
  const whole = send(`${url}${path}`, { headers });
  await expect.poll(() => rates.allowances(caller)?.reads.remaining, { timeout: 20_000 }).toBe(0);
  // Time passes only now.
  const passing = setInterval(() => (ms += 10), 5);
  expect((await whole).status).toBe(200);
  clearInterval(passing);
});
