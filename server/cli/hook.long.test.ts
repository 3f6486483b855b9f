import { execFile, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundled } from '../../test/bundle.ts';
import { atEnd, testDatabase } from '../../test/database.ts';
import { hookProcess, listen, workplace } from '../../test/hooks.ts';
import { startServer } from '../../test/server.ts';
import { world } from '../../test/world.ts';

/** Rounds of all cases in turn, so that the load of the machine meets each alike. 50 measure a p99. */
const rounds = Number(process.env['HOOK_ROUNDS'] ?? 15);
/** A wait costs the same on every machine, work in proportion to the empty program. */
const mostAdded = (bareMs: number): number => 40 + 4 * bareMs;
/** Without a sign of life of Baton. */
const silenceMs = 150;

it.each([
  ['idle', 0],
  ['whose cores two other processes take', 2],
])(
  'on a machine %s, briefs every conversation at its start or first prompt while Baton is up, and holds a program up once while it is away',
  async (name, spinning) => {
    const database = await testDatabase();
    const { url } = await startServer({ databaseUrl: database.url });
    await world(database.pool).agent('claude-1', { maxCapacity: 1_000 });
    const hanging = await listen(createServer(() => undefined));
    const failing = await listen(createServer((_request, response) => response.writeHead(500).end()));
    for (let n = 0; n < spinning; n += 1) {
      const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
      atEnd(() => void child.kill('SIGKILL'));
    }

    const bare = (): Promise<unknown> =>
      new Promise((resolve) =>
        execFile(process.execPath, ['-e', '0'], { env: { PATH: process.env['PATH'] } }, resolve),
      );
    /** A hook with a state of its own, so that each is the first one; or with that of the hook before. */
    let state = '';
    const hook = (to: string, event: string, isFirst: boolean) => async (): Promise<{ stdout: string }> => {
      if (isFirst) place = workplace(to);
      state = join(place.transcript, '../state');
      const input = { hook_event_name: event, cwd: place.folder, transcript_path: place.transcript };
      return hookProcess(['hook', 'claude-code', '--url', to], JSON.stringify(input), { XDG_STATE_HOME: state });
    };
    let place = workplace(url);
    const cases = {
      bare,
      'up, start': hook(url, 'SessionStart', true),
      'up, prompt': hook(url, 'UserPromptSubmit', false),
      'up, turn end': hook(url, 'Stop', false),
      'down, start': hook('http://127.0.0.1:1', 'SessionStart', true),
      'down, prompt': hook('http://127.0.0.1:1', 'UserPromptSubmit', false),
      'failing, start': hook(failing, 'SessionStart', true),
      'failing, prompt': hook(failing, 'UserPromptSubmit', false),
      'hanging, start': hook(hanging, 'SessionStart', true),
      'hanging, prompt': hook(hanging, 'UserPromptSubmit', false),
    };
    const times = new Map<string, number[]>(Object.keys(cases).map((each) => [each, []]));
    let briefed = 0;
    await cases['up, start']();
    for (let round = 0; round < rounds; round += 1)
      for (const [each, run] of Object.entries(cases)) {
        const began = performance.now();
        const answer = await run();
        times.get(each)!.push(performance.now() - began);
        if (each === 'up, start' || each === 'up, prompt')
          briefed += Number((answer as { stdout: string }).stdout.includes('You work as'));
      }
    const bareTimes = times.get('bare')!;
    const bareMs = quantile(bareTimes, 0.5);
    const added = Object.fromEntries(
      [...times].map(([each, all]) => [each, all.map((ms, round) => ms - bareTimes[round]!)]),
    );
    const line = Object.entries(added).map(
      ([each, all]) =>
        `${each}: ${[0.5, 0.99].map((q) => quantile(times.get(each)!, q).toFixed(0)).join(' / ')} (added ${quantile(all, 0.5).toFixed(0)} / ${quantile(all, 0.99).toFixed(0)})`,
    );
    process.stderr.write(`hooks on a machine ${name}, ms, median / p99\n  ${line.join('\n  ')}\n`);
    expect(briefed).toBe(rounds);
    for (const [each, all] of Object.entries(added)) {
      const limit = mostAdded(bareMs) + (each === 'hanging, start' ? silenceMs * (spinning === 0 ? 1 : 3) : 0);
      expect([each, limit, quantile(all, 0.5) < limit]).toEqual([each, limit, true]);
    }
  },
  600_000,
);

it('a hook ends by itself when the tool never closes its input', async () => {
  const program = await bundled('server/cli/baton.ts');
  const child = spawn(process.execPath, [program, 'hook', 'claude-code', '--url', 'http://127.0.0.1:1'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env['PATH'], XDG_STATE_HOME: '/proc/nowhere' },
  });
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
}, 60_000);

const quantile = (values: readonly number[], part: number): number =>
  [...values].sort((one, other) => one - other)[Math.ceil(values.length * part) - 1]!;
