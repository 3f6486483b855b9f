import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openStream } from '../../../client/stream/index.ts';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startServer } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';

const db = await testDatabase();
const { agent } = world(db.pool);

it('an agent connected to one server is connected at another, and not any more 15 s after the first was killed', async () => {
  await agent('ada');
  const [first, second] = await Promise.all([
    startServer({ databaseUrl: db.url }),
    startServer({ databaseUrl: db.url }),
  ]);
  const api = client(second.url);
  const ada = async () =>
    (
      await api.post<{ agent: { connected: boolean; lastSeenAt: string | null } }>(
        '{ agent(id: "ada") { connected lastSeenAt } }',
      )
    ).data.agent;
  const stream = openStream({
    url: first.url,
    webSocket: WebSocket,
    topic: { kind: 'handoffAssigned', agentId: 'ada' },
  });
  atEnd(() => stream.stop());
  await stream.ready;
  await expect.poll(async () => (await ada()).connected, { timeout: 10_000 }).toBe(true);
  await first.kill('SIGKILL');
  const began = performance.now();
  await expect.poll(async () => (await ada()).connected, { timeout: 30_000, interval: 250 }).toBe(false);
  const took = performance.now() - began;
  console.log(`connected ended ${(took / 1_000).toFixed(1)} s after the kill`);
  expect(took).toBeLessThan(17_000);
  expect((await ada()).lastSeenAt).not.toBeNull();
}, 90_000);
