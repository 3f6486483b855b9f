import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { bundled } from '../../../test/bundle.ts';
import { atEnd } from '../../../test/database.ts';
import { send } from '../../../test/graphql.ts';
import { isAlive, postgresPid } from '../../../test/processes.ts';
import { refusedStart, startServer } from '../../../test/server.ts';
import { stopAbandoned } from './postgres.ts';
import { temporaryFolder } from '../../../test/temporary.ts';

function newFolder(name = ''): string {
  const folder = temporaryFolder(`baton-test-${name}`);
  atEnd(async () => void (await stopAbandoned(folder)));
  return folder;
}

/** PostgreSQL's processes on this folder. */
const processesOn = (folder: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${folder}/cluster/data`);
    } catch {
      return false;
    }
  });
const start = (folder: string) => startServer({ env: { BATON_DATA: folder } });
const isReady = async (url: string) => (await send(`${url}/readyz`)).status === 200;

describe('a server on its embedded PostgreSQL', () => {
  const folder = newFolder();

  test('keeps files that only their owner can read', async () => {
    const server = await start(folder);
    expect(await isReady(server.url)).toBe(true);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'cluster', 'password')).mode & 0o777).toBe(0o600);
    await server.kill();
  });

  test('stops its PostgreSQL when it stops', async () => {
    const server = await start(folder);
    const pid = postgresPid(folder);
    const before = performance.now();
    expect(await server.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(performance.now() - before).toBeLessThan(10_000);
    expect(isAlive(pid)).toBe(false);
  });

  test('leaves its PostgreSQL running when it is killed, and the next start takes that over', async () => {
    const killed = await start(folder);
    const pid = postgresPid(folder);
    await killed.kill('SIGKILL');
    expect(isAlive(pid)).toBe(true);

    const next = await start(folder);
    expect(postgresPid(folder)).toBe(pid);
    expect(await isReady(next.url)).toBe(true);
    await next.kill();
    expect(isAlive(pid)).toBe(false);
  });

  test('does not share its folder: a second server exits with one line', async () => {
    const first = await start(folder);
    const second = await refusedStart({ env: { BATON_DATA: folder } });
    expect(second).toMatchObject({
      code: 1,
      stderr: `Another Baton is running on ${folder}: stop it, or set BATON_DATA to another folder`,
    });
    expect(await isReady(first.url)).toBe(true);
    await first.kill();
  });

  test('starts again after a kill of both', async () => {
    const killed = await start(folder);
    const pid = postgresPid(folder);
    await killed.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');

    const next = await start(folder);
    expect(postgresPid(folder)).not.toBe(pid);
    expect(await isReady(next.url)).toBe(true);
    await next.kill();
  });

  test('restarts its PostgreSQL when that dies alone', async () => {
    const server = await start(folder);
    const pid = postgresPid(folder);
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(server.logs.join('\n')).toContain('The embedded PostgreSQL is back'), {
      timeout: 30_000,
    });
    await vi.waitFor(async () => expect(await isReady(server.url)).toBe(true), { timeout: 30_000 });
    expect(postgresPid(folder)).not.toBe(pid);
    await server.kill();
  });
});

describe('a start that fails leaves no PostgreSQL running', () => {
  const made = async (): Promise<string> => {
    const folder = newFolder();
    await (await start(folder)).kill();
    return folder;
  };

  test.each([
    ['because the password beside the files is another one', 'cluster/password', 'other', 'refuses our password'],
    ['because nobody may log in', 'cluster/data/pg_hba.conf', 'local all all reject\n', 'did not start within 10 s'],
  ])('%s', async (_why, file, text, said) => {
    const folder = await made();
    writeFileSync(join(folder, file), text);
    const { code, stderr } = await refusedStart({ env: { BATON_DATA: folder } });
    expect(stderr).toContain(said);
    expect(code).toBe(1);
    expect(processesOn(folder)).toEqual([]);
  });

  test('when SIGTERM comes before it fails', async () => {
    const folder = await made();
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { PATH, HOME, TMPDIR } = process.env;
    const PORT = String((taken.address() as AddressInfo).port);
    const server = spawn(process.execPath, [await bundled('server/main.ts')], {
      env: { PATH, HOME, TMPDIR, PORT, BATON_DATA: folder },
      stdio: 'ignore',
    });
    await vi.waitUntil(() => processesOn(folder).length > 0, { timeout: 20_000, interval: 5 });
    server.kill('SIGTERM');
    expect(await once(server, 'exit')).toEqual([1, null]);
    expect(processesOn(folder)).toEqual([]);
    taken.close();
  });
});

test('of two first starts at the same time one runs, and the other exits with one line', async () => {
  const folder = newFolder();
  const outcomes = await Promise.allSettled([start(folder), start(folder)]);
  const running = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  expect(running).toHaveLength(1);
  expect(String(outcomes.find((outcome) => outcome.status === 'rejected')?.reason)).toContain(
    'Another Baton is running on',
  );
  expect(await isReady(running[0]?.value.url ?? '')).toBe(true);
  await running[0]?.value.kill();
});

test('a server starts in a folder whose path is too long for a socket', async () => {
  const folder = newFolder('x'.repeat(100));
  const server = await start(folder);
  expect(await isReady(server.url)).toBe(true);
  await server.kill();
});
