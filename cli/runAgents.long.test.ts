import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { atEnd, testDatabase } from '../test/database.ts';
import { fiveHandoffs, steps, tenures } from '../test/fiveHandoffs.ts';
import { startServer } from '../test/server.ts';

/** Issue-sized: BATON_RUNNER_KILLS=200. */
const kills = Number(process.env['BATON_RUNNER_KILLS'] ?? 6);

const database = await testDatabase();
const { url } = await startServer({ databaseUrl: database.url });
const { begin, demandAtRest, demandExact, lapse, read, reset, run, untilDone } = await fiveHandoffs({
  url,
  pool: database.pool,
});

it(`goes on exactly where a runner was killed: ${kills} kills at random points of five handoffs`, async () => {
  let unknown = 0;
  for (let round = 0; round < kills; round += 1) {
    reset();
    const id = await begin('a');
    const victim = await run('a', 'b');
    await vi.waitFor(() => expect(victim.lines.length + victim.stderr().length).toBeGreaterThan(0), {
      timeout: 20_000,
      interval: 5,
    });
    const killed = Math.floor((round / kills) * steps.length);
    await vi.waitFor(
      () => expect(victim.lines.filter(({ event }) => event === 'step').length).toBeGreaterThanOrEqual(killed),
      {
        timeout: 90_000,
        interval: 1,
      },
    );
    // Anywhere within the step.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
    victim.kill('SIGKILL');
    await victim.exited;
    await lapse();
    const next = await run('a', 'b');
    unknown += (await demandExact(id)).unknown;
    next.kill('SIGTERM');
    await next.exited;
  }
  console.log(`${kills} kills: ${unknown} calls of tools were said to be unknown, none was made twice`);
  await demandAtRest();
}, 3_600_000);

it('lets two runners work for the same agents, each tenure by one of them', async () => {
  reset();
  const runners = await Promise.all([run('a', 'b', '--parallel', '2'), run('a', 'b', '--parallel', '2')]);
  const id = await begin('a');
  expect(await demandExact(id)).toEqual({ done: tenures.length, unknown: 0 });
  const others = await Promise.all(Array.from({ length: 6 }, () => begin('a')));
  for (const other of others) expect((await untilDone(other)).turns.nodes).toHaveLength(steps.length);
  for (const runner of runners) runner.kill('SIGTERM');
  await Promise.all(runners.map(({ exited }) => exited));
  const taken = runners.map(({ lines }) => lines.filter(({ event }) => event === 'step').length);
  expect(taken[0]! + taken[1]!).toBe(steps.length * (others.length + 1));
}, 300_000);

it('works on 50 sessions, 20 at once, with a model that answers in 200 ms', async () => {
  const ids = await Promise.all(Array.from({ length: 50 }, () => begin('busy')));
  const began = Date.now();
  const running = await run('busy', '--parallel', '20');
  atEnd(() => running.kill('SIGKILL'));
  // Without asking the server, which has enough to do.
  const ended = () => running.lines.filter(({ event }) => event === 'ended').length;
  await vi.waitFor(() => expect(ended()).toBe(ids.length), { timeout: 120_000, interval: 50 });
  const seconds = (Date.now() - began) / 1_000;
  const memory = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${running.pid}/status`, 'utf8'))![1]) / 1_024;
  running.kill('SIGTERM');
  await running.exited;
  const added = running.lines.flatMap(({ addedMs }) => addedMs ?? []).sort((x, y) => x - y);
  const at = (share: number): number => added[Math.floor(added.length * share)]!;
  console.log(
    `${added.length} steps in ${seconds.toFixed(1)} s: Baton added p50 ${at(0.5)} ms, p95 ${at(0.95)} ms; at most ${memory.toFixed(0)} MB`,
  );
  expect(added).toHaveLength(200);
  for (const id of ids) expect((await read(id)).status).toBe('COMPLETED');
  expect(memory).toBeLessThan(250);
}, 300_000);
