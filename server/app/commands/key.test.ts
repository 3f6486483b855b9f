import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { bundled } from '../../../test/bundle.ts';
import { emptyDatabase, testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startServer, type ServerProcess } from '../../../test/server.ts';
import { dataFolder } from '../../../test/dataFolder.ts';
import { temporaryFolder } from '../../../test/temporary.ts';

// Every case starts a process or several.
vi.setConfig({ testTimeout: 120_000 });

const root = fileURLToPath(new URL('../../..', import.meta.url));
const viewer = '{ viewer { role agent { id } key { name expiresAt } } }';

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

const key = async (env: Record<string, string>, ...args: string[]): Promise<Ran> => {
  const { PATH, HOME, TMPDIR } = process.env;
  const program = await bundled('cli/baton.ts');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, 'key', ...args],
      { cwd: root, env: { PATH, HOME, TMPDIR, ...env } },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
};
const secretForm = /^baton_[\w-]{49}\n$/;

describe('npm run key', async () => {
  const database = await testDatabase();
  const env = { DATABASE_URL: database.url };
  /** Started by the first case, with its key. */
  let server: ServerProcess;

  it('makes a key that opens a server, lists it and revokes it', async () => {
    const made = await key(env, 'create', '--role', 'operator', '--name', 'ci \u001B[31m', '--expires', '30d');
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(secretForm) as string,
      stderr: expect.stringContaining('shown this once') as string,
    });
    server = await startServer({ databaseUrl: database.url, env: { HOST: '0.0.0.0' } });
    const url = server.url.replace('0.0.0.0', '127.0.0.1');
    expect(server.logs.join('\n')).toContain('Callers need a key');
    const holder = client(url, { key: made.stdout.trim() });
    expect((await client(url).post(viewer)).status).toBe(401);
    const { data } = await holder.post<{ viewer: { key: { expiresAt: string } } }>(viewer);
    expect(data).toMatchObject({ viewer: { role: 'OPERATOR', key: { name: 'ci \u001B[31m' } } });
    expect(new Date(data.viewer.key.expiresAt).getTime() / 86_400_000).toBeCloseTo(Date.now() / 86_400_000 + 30, 1);

    const { stdout: list } = await key(env, 'list');
    const [id] = /key_\w{26}/.exec(list)!;
    expect(list).toMatch(/^key_\w{26} {2}operator {2}- .* {2}expires .* {2}ci \uFFFD\[31m\n$/);
    expect(list).not.toContain(made.stdout.trim());
    expect(await key(env, 'revoke', id)).toMatchObject({ code: 0, stdout: '' });
    expect((await key(env, 'list')).stdout).toMatch(/ {2}revoked 20\d\d-/);
  });

  it('lets a server with a key listen beyond this machine', async () => {
    expect(server.url).toContain('0.0.0.0');
    expect((await client(server.url.replace('0.0.0.0', '127.0.0.1')).post(viewer)).status).toBe(401);
    await server.kill();
  });

  it.each<[string, number, string[], RegExp]>([
    [
      'an unknown role',
      2,
      ['create', '--role', 'king', '--name', 'x'],
      /^--role must be agent, operator, analyst or admin$/m,
    ],
    ['no name', 2, ['create', '--role', 'admin'], /^--name must be/m],
    ['an agent’s key without an agent', 1, ['create', '--role', 'agent', '--name', 'x'], /bound to an agent: name it/],
    [
      'an unknown agent',
      1,
      ['create', '--role', 'agent', '--name', 'x', '--agent', 'nobody'],
      /There is no agent 'nobody'/,
    ],
    [
      'an agent for another role',
      1,
      ['create', '--role', 'analyst', '--name', 'x', '--agent', 'nobody'],
      /bound to no agent/,
    ],
    [
      'an expiry that is no time',
      2,
      ['create', '--role', 'admin', '--name', 'x', '--expires', 'soon'],
      /^--expires must be like 12h/,
    ],
    [
      'an expiry in the past',
      1,
      ['create', '--role', 'admin', '--name', 'x', '--expires', '2020-01-01'],
      /in the future/,
    ],
    [
      'an unknown key',
      1,
      ['revoke', 'key_01h455vb4pex5vsknk084sn02q'],
      /There is no key 'key_01h455vb4pex5vsknk084sn02q'/,
    ],
    ['an id of another kind', 2, ['revoke', 'session_01h455vb4pex5vsknk084sn02q'], /is not the id of a key/],
    ['an unknown command', 2, ['make'], /^npm run key -- create/],
  ])('refuses %s with one message', async (_what, exitCode, args, says) => {
    const { code, stdout, stderr } = await key(env, ...args);
    expect([code, stdout]).toEqual([exitCode, '']);
    expect(stderr).toMatch(says);
    expect(stderr).not.toMatch(/ {4}at /);
  });

  it('prints its usage, and reports a database without migrations', async () => {
    expect(await key({}, '--help')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('npm run key -- revoke') as string,
    });
    const { url } = await emptyDatabase();
    expect(await key({ DATABASE_URL: url }, 'list')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The database lacks [^\n]+\n$/) as string,
    });
  });
});

it('works on the embedded database before its first server, and beside it', async () => {
  const folder = temporaryFolder('baton-test', dataFolder());
  const env = { BATON_DATA: folder };
  const first = await key(env, 'create', '--role', 'admin', '--name', 'first');
  expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(secretForm) as string });

  const server = await startServer({ env });
  expect((await client(server.url, { key: first.stdout.trim() }).post(viewer)).data).toMatchObject({
    viewer: { role: 'ADMIN' },
  });
  // The story has agents; the server keeps running while another key is made, which works at once.
  const second = await key(env, 'create', '--role', 'agent', '--name', 'second', '--agent', 'claude-1');
  expect(second).toMatchObject({ code: 0 });
  expect((await client(server.url, { key: second.stdout.trim() }).post(viewer)).data).toMatchObject({
    viewer: { role: 'AGENT', agent: { id: 'claude-1' } },
  });
  expect((await key(env, 'list')).stdout.trim().split('\n')).toHaveLength(2);
  expect(await server.kill()).toMatchObject({ code: 0 });
});
