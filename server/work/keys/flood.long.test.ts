import { Agent } from 'node:http';
import { expect, test } from 'vitest';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { client, send } from '../../../test/graphql.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { rawSocket } from '../../../test/socket.ts';
import { limits } from '../../core/limits.ts';
import { createRates } from '../../infra/limits/rates.ts';
import { newSecret } from './secret.ts';

const database = await testDatabase();
const { url } = await startApp(database, { rates: createRates(), variables: { BATON_ADMIN_KEY: adminKey } });

const connections = 200;
const ask = '{ viewer { role } }';
const statusOf = async (key: string) => (await client(url, { key }).post(ask)).status;

/** Sends unknown secrets of the right form, checksum included, over many connections of this address until it is stopped. */
function flood() {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  atEnd(() => agent.destroy());
  const statuses = new Map<number, number>();
  let over = false;
  const one = async () => {
    while (!over) {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${newSecret()}` };
      const { status } = await send(`${url}/graphql`, {
        agent,
        method: 'POST',
        headers,
        body: JSON.stringify({ query: ask }),
      });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const running = Promise.all(Array.from({ length: connections }, one));
  return {
    statuses,
    async stop() {
      over = true;
      await running;
    },
  };
}

test('slows a flood of unknown secrets from one address without delaying valid keys', async () => {
  const idle = await Promise.all(Array.from({ length: 20 }, () => secretFor(database.pool, 'ANALYST')));
  const overSocket = await secretFor(database.pool, 'OPERATOR');
  const attack = flood();
  await expect.poll(() => attack.statuses.get(429) ?? 0, { timeout: 60_000 }).toBeGreaterThan(connections);
  const took: number[] = [];
  for (const secret of idle) {
    const began = performance.now();
    expect(await statusOf(secret)).toBe(200);
    took.push(performance.now() - began);
  }
  const socket = await rawSocket(url);
  await socket.init({ authorization: `Bearer ${overSocket}` });
  socket.close();
  expect(await statusOf(adminKey)).toBe(200);
  const refused = attack.statuses.get(429)!;
  const began = performance.now();
  await expect.poll(() => attack.statuses.get(429)!, { timeout: 60_000 }).toBeGreaterThan(refused + 3 * connections);
  // Each connection guesses at most once in `late.ms`, and takes a look-up of its own each time.
  expect((attack.statuses.get(429)! - refused) / (performance.now() - began)).toBeLessThan(
    (1.5 * connections) / limits.rate.late.ms,
  );
  await attack.stop();
  expect([...attack.statuses.keys()].sort()).toEqual([401, 429]);
  // The flood and the server share this process: an answer may wait for a turn of all its connections.
  expect(took.sort((a, b) => a - b).at(-1)).toBeLessThan(5_000);
}, 180_000);
