import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { bundled } from '../test/bundle.ts';
import { atEnd, testDatabase } from '../test/database.ts';
import { takeCore } from '../test/busyCore.ts';
import { entry, listen, passOn, workplace } from '../test/hooks.ts';
import { startServer } from '../test/server.ts';
import { world } from '../test/world.ts';
import { temporaryFolder } from '../test/temporary.ts';

/** Rounds of all cases in turn, so that the load of the machine meets each alike. 50 measure a p99. */
const rounds = Number(process.env['HOOK_ROUNDS'] ?? 15);
/** A wait costs the same on every machine, work in proportion to the empty program. A process that stays saves its start. */
const most = (bareMs: number): number => 40 + bareMs;
/** Without a sign of life of Baton. */
const silenceMs = 200;

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
      const child = takeCore();
      atEnd(() => void child.kill('SIGKILL'));
    }

    const bare = (): Promise<unknown> =>
      new Promise((resolve) =>
        execFile(process.execPath, ['-e', '0'], { env: { PATH: process.env['PATH'] } }, resolve),
      );
    const home = temporaryFolder('baton-state');
    let place = workplace(url);
    /** As the settings of a tool start it: in a folder of its own, with nothing known of the server, or after the hook before. */
    const hook = (to: string, event: string, isFirst: boolean) => ({
      prepare: () => {
        if (!isFirst) return;
        place = workplace(to, { state: home, wait: null });
        place.forgetServer();
      },
      run: async (): Promise<string | null> => {
        const { code, context } = await place.hook(event, {}, { script: true });
        expect(code).toBe(0);
        return context;
      },
    });
    const cases = {
      bare: { prepare: () => undefined, run: bare },
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
    cases['up, start'].prepare();
    await cases['up, start'].run();
    await vi.waitFor(() => expect(existsSync(join(home, 'baton/hook.sock'))).toBe(true), { timeout: 60_000 });
    for (let round = 0; round < rounds; round += 1)
      for (const [each, { prepare, run }] of Object.entries(cases)) {
        prepare();
        const began = performance.now();
        const answer = await run();
        times.get(each)!.push(performance.now() - began);
        if (each === 'up, start' || each === 'up, prompt') briefed += Number(String(answer).includes('You work as'));
      }
    const bareTimes = times.get('bare')!;
    const bareMs = quantile(bareTimes, 0.5);
    const line = [...times].map(
      ([each, all]) => `${each}: ${[0.5, 0.99].map((q) => quantile(all, q).toFixed(0)).join(' / ')}`,
    );
    process.stderr.write(`hooks on a machine ${name}, ms, median / p99\n  ${line.join('\n  ')}\n`);
    expect(briefed).toBe(rounds);
    for (const [each, all] of times) {
      const limit = most(bareMs) + (each === 'hanging, start' ? silenceMs : 0);
      expect([each, limit, quantile(all, 0.5) < limit]).toEqual([each, limit, true]);
    }
  },
  600_000,
);

it('a handoff is forbidden until Baton reads nothing more for a minute, with what is missing and the way out, and then goes on', async () => {
  const database = await testDatabase();
  const { url } = await startServer({ databaseUrl: database.url });
  await world(database.pool).agent('claude-1');
  const slow = await listen(
    createServer((request, response) => {
      // Of the log it reads the first part, never the rest.
      const isFirst = Number(request.headers['content-length']) > 3_500_000;
      if (isFirst || !request.url!.includes('/transcript')) void passOn(url, request, response).catch(() => undefined);
    }),
  );
  const place = workplace(slow, { wait: '700' });
  await vi.waitFor(async () => expect((await place.hook('SessionStart')).context).toMatch(/^You work/), {
    timeout: 60_000,
  });
  place.write(entry('user', 'Hand it off.'));
  for (let n = 0; n < 6; n += 1) place.write(entry('assistant', [{ type: 'text', text: `${n}`.repeat(1_000_000) }]));
  const call = () => place.hook('PreToolUse', { tool_name: 'mcp__baton__baton_handoff', tool_input: { target: 'x' } });
  const reasons: string[] = [];
  for (let answer = await call(); answer.permissionDecision === 'deny'; answer = await call())
    reasons.push(answer.permissionDecisionReason!);
  const [last, ...before] = reasons.reverse();
  expect(last).toMatch(/^Baton has read 4 of 7 MB .* comes no further\. Tell the user\. To hand off without the rest/);
  expect(before.length).toBeGreaterThan(10);
  for (const reason of before) expect(reason).toMatch(/reads on\. Call the tool again now/);
}, 300_000);

it('a hook ends by itself when the tool never closes its input', async () => {
  const program = await bundled('cli/baton.ts');
  const child = spawn(process.execPath, [program, 'hook', 'claude-code', '--url', 'http://127.0.0.1:1'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env['PATH'], XDG_STATE_HOME: '/proc/nowhere' },
  });
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
}, 60_000);

const quantile = (values: readonly number[], part: number): number =>
  [...values].sort((one, other) => one - other)[Math.ceil(values.length * part) - 1]!;
