import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testDatabase } from '../../test/database.ts';
import { hookProcess, listen, workplace } from '../../test/hooks.ts';
import { startServer } from '../../test/server.ts';
import { world } from '../../test/world.ts';

/** Rounds of all cases in turn, so that the load of the machine meets each alike. */
const rounds = 25;
const waitMs = 150;

it('takes a hook a few times as long as an empty program, and its wait at most, whatever Baton does', async () => {
  const database = await testDatabase();
  const { url } = await startServer({ databaseUrl: database.url });
  await world(database.pool).agent('claude-1', { maxCapacity: 100 });
  const hanging = await listen(createServer(() => undefined));
  const failing = await listen(createServer((_request, response) => response.writeHead(500).end()));
  const { folder, transcript } = workplace(url);

  const bare = (): Promise<unknown> => new Promise((resolve) => execFile(process.execPath, ['-e', '0'], resolve));
  const hook = (to: string, event: string) => (): Promise<unknown> =>
    hookProcess(['hook', 'claude-code', '--url', to], JSON.stringify({ hook_event_name: event, cwd: folder, transcript_path: transcript }), { XDG_STATE_HOME: join(transcript, '../state') });
  const cases = { bare, up: hook(url, 'SessionStart'), prompt: hook(url, 'UserPromptSubmit'), 'turn end': hook(url, 'Stop'), dead: hook('http://127.0.0.1:1', 'SessionStart'), failing: hook(failing, 'SessionStart'), hanging: hook(hanging, 'SessionStart') };
  const times = new Map<string, number[]>(Object.keys(cases).map((name) => [name, []]));
  await cases.up();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(cases)) {
      const began = performance.now();
      await run();
      times.get(name)!.push(performance.now() - began);
    }
  }
  const median = (name: string): number => times.get(name)!.sort((one, other) => one - other)[Math.floor(rounds / 2)]!;
  const ratios = Object.fromEntries(Object.keys(cases).map((name) => [name, (median(name) - (name === 'hanging' ? waitMs : 0)) / median('bare')]));
  process.stderr.write(`hooks, as multiples of an empty program: ${Object.entries(ratios).map(([name, ratio]) => `${name} ${ratio.toFixed(1)}`).join(', ')}\n`);
  for (const [name, ratio] of Object.entries(ratios)) expect([name, ratio < 6]).toEqual([name, true]);
}, 300_000);
