import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { createApi } from '../client/api/request.ts';
import { bundled } from '../test/bundle.ts';
import { endsWithThisProcess } from '../test/children.ts';
import { atEnd } from '../test/database.ts';
import { runFolder, startRun } from '../test/running.ts';

/** `baton start` as a user calls it, with an empty folder of data. */
async function startBaton(folder: string, ...args: string[]): Promise<{ url: string; stop(): Promise<void> }> {
  const { PATH } = process.env;
  const child = endsWithThisProcess(
    spawn(process.execPath, [await bundled('cli/baton.ts'), 'start', ...args], {
      cwd: folder,
      env: { PATH, HOME: folder, PORT: '0', BATON_DATA: join(folder, 'data') },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  const exited = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const stop = (): Promise<void> => {
    child.kill('SIGTERM');
    return exited;
  };
  atEnd(stop);
  const url = await new Promise<string>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      if (line.includes('"url":')) resolve((JSON.parse(line) as { url: string }).url);
    });
  });
  return { url, stop };
}

it('works on a session of the demonstration without a command, a key and a network, and shows one that is asked for in under 20 s', async () => {
  const folder = runFolder({});
  const { url, stop } = await startBaton(folder);
  const ask = createApi({ url });
  const { session } = await ask<{ session: { id: string } }>(
    `mutation { answer: createSession(input: { title: "Announce the export", agentId: "planner" }) {
      ... on CreateSessionPayload { session { id } } ... on Error { code message } } }`,
    {},
  );
  await expect
    .poll(
      async () =>
        (
          await ask<{ session: { status: string } }>('query ($id: ID!) { session(id: $id) { status } }', {
            id: session.id,
          })
        ).session.status,
      { timeout: 30_000 },
    )
    .toBe('COMPLETED');

  const began = Date.now();
  const asking = await startRun(folder, ['--url', url, 'Write a short announcement'], {}, ['ask']);
  expect(await asking.exited).toBe(0);
  const seconds = (Date.now() - began) / 1_000;
  console.log(`baton ask took ${seconds.toFixed(1)} s`);
  expect(seconds).toBeLessThan(20);
  expect(asking.lines[0]!.text).toMatch(/^planner begins/);
  await stop();
}, 180_000);
