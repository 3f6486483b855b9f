import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testDatabase } from '../test/database.ts';
import { brokenInvariants } from '../test/invariants.ts';
import { startServer } from '../test/server.ts';
import { startWatch, watchPlace } from '../test/watching.ts';
import { world } from '../test/world.ts';
import { encodeId } from '../server/core/ids.ts';

const processes = 10;
const handoffs = 40;

it('runs each handoff once when ten processes of two machines watch for one agent, and three of them are killed', async () => {
  const database = await testDatabase();
  const { url } = await startServer({ databaseUrl: database.url });
  const { agent, session, reassign } = world(database.pool);
  await agent('source', { maxCapacity: 1_000 });
  await agent('worker', { maxCapacity: 1_000 });
  const handOver = async (): Promise<string> =>
    (await reassign(await session('source'), { agentId: 'worker' })).handoffId!;
  const given: string[] = [];
  for (let n = 0; n < handoffs / 2; n += 1) given.push(await handOver());

  // Each machine has a state folder of its own.
  const machines = [watchPlace(), watchPlace()];
  const ran = join(machines[0]!.root, 'ran');
  appendFileSync(ran, '');
  const runs = (): string[] => readFileSync(ran, 'utf8').split('\n').filter(Boolean);
  const args = [
    '--agent',
    'worker',
    '--any',
    '--exec',
    `echo $BATON_HANDOFF >> ${ran}; sleep 0.05`,
    '--parallel',
    '2',
    '--url',
    url,
  ];
  const start = (n: number) => startWatch(machines[n % 2]!, args);
  const watching = await Promise.all(Array.from({ length: processes }, (_, n) => start(n)));
  const patience = { timeout: 240_000, interval: 50 };
  await expect.poll(() => runs().length, patience).toBeGreaterThan(3);
  for (const one of watching.slice(0, 3)) one.kill('SIGKILL');
  for (let n = 0; n < handoffs / 2; n += 1) given.push(await handOver());
  await Promise.all(watching.slice(0, 3).map(({ exited }) => exited));
  // What the killed ones began is resumed by others of their machine, or by these.
  watching.push(await start(0), await start(1));

  const open = () => database.prisma.handoff.count({ where: { status: { in: ['INITIATED', 'ACCEPTED'] } } });
  await expect.poll(open, patience).toBe(0);
  expect(runs().sort()).toEqual(given.map((id) => encodeId('handoff', id)).sort());
  const closed = await database.prisma.handoff.findMany({ select: { status: true, failureReason: true } });
  expect(closed).toEqual(given.map(() => ({ status: 'COMPLETED', failureReason: null })));
  for (const { lines } of watching.slice(3))
    await expect.poll(() => lines.map(({ event }) => event), patience).toContain('live');
  for (const one of watching.slice(3)) one.kill('SIGTERM');
  expect(await Promise.all(watching.slice(3).map(({ exited }) => exited))).toEqual(watching.slice(3).map(() => 0));
  expect(await brokenInvariants(database.pool)).toEqual([]);
}, 300_000);
