import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { emptyDatabase, testDatabase } from '../test/database.ts';
import { client, send } from '../test/graphql.ts';
import { isAlive, postgresPid } from '../test/processes.ts';
import { refusedStart, startServer, type Exit, type ServerProcess } from '../test/server.ts';
import { dataFolder } from '../test/dataFolder.ts';
import { temporaryFolder } from '../test/temporary.ts';

const database = await testDatabase();
const query = '{ agents { totalCount } }';
const patiently = { timeout: 30_000 };

/** Makes every read of the agents wait until it is released. */
async function holdAgents() {
  const holder = await database.pool.connect();
  // Longer than a busy machine takes.
  await holder.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE agents');
  let released: Promise<void> | undefined;
  const release = (): Promise<void> => (released ??= holder.query('COMMIT').then(() => holder.release()));
  // A test that fails does not hold them for the next one.
  onTestFinished(release);
  return {
    async untilSomebodyWaits() {
      await vi.waitFor(async () => {
        const { rowCount } = await database.pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        expect(rowCount).toBe(1);
      }, patiently);
    },
    release,
  };
}

let interruption: Promise<{ server: ServerProcess; exit: Exit }> | undefined;
/** A server that was started and got the signal of Ctrl-C twice, as npm passes it on. */
const interrupted = () =>
  (interruption ??= startServer({ databaseUrl: database.url }).then(async (server) => {
    void server.kill('SIGINT');
    return { server, exit: await server.kill('SIGINT') };
  }));

describe('a server that receives a signal to stop', () => {
  test('finishes running requests, is not ready meanwhile, and exits with 0', async () => {
    const server = await startServer({ databaseUrl: database.url });
    const agents = await holdAgents();
    const running = client(server.url).post(query);
    await agents.untilSomebodyWaits();

    const exited = server.kill('SIGTERM');
    await vi.waitFor(
      async () =>
        expect(await send(`${server.url}/readyz`)).toMatchObject({ status: 503, body: '{"status":"stopping"}' }),
      patiently,
    );
    await agents.release();
    expect(await running).toMatchObject({ status: 200, data: { agents: { totalCount: 0 } } });
    expect(await exited).toEqual({ code: 0, signal: null });
  });

  test('exits at once at a second signal', async () => {
    const server = await startServer({ databaseUrl: database.url });
    const agents = await holdAgents();
    const outcome = client(server.url)
      .post(query)
      .then(
        () => 'answered',
        () => 'cut off',
      );
    await agents.untilSomebodyWaits();

    void server.kill('SIGTERM');
    await vi.waitFor(async () => expect((await send(`${server.url}/readyz`)).status).toBe(503), patiently);
    expect(await server.kill('SIGINT')).toEqual({ code: 130, signal: null });
    expect(await outcome).toBe('cut off');
  });

  test('counts a signal that npm repeats as one', async () => {
    expect((await interrupted()).exit).toEqual({ code: 0, signal: null });
  });
});

describe('a server that cannot start prints one line and exits with 1', () => {
  const { url } = database;

  test('for a taken port', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    expect(await refusedStart({ databaseUrl: url, env: { PORT: String(port) } })).toEqual({
      code: 1,
      signal: null,
      stderr: `Port ${port} is taken: stop what uses it, or set PORT to another`,
    });

    // Nothing of it is left behind either.
    const folder = temporaryFolder('baton-test', dataFolder());
    expect(await refusedStart({ env: { PORT: String(port), BATON_DATA: folder } })).toMatchObject({ code: 1 });
    expect(readdirSync(join(folder, 'socket'))).toEqual([]);
    expect(() => isAlive(postgresPid(folder))).toThrow('ENOENT');
    taken.close();
  });

  test('for an address that other machines can reach, without keys', async () => {
    expect(await refusedStart({ databaseUrl: url, env: { HOST: '0.0.0.0' } })).toMatchObject({
      code: 1,
      stderr:
        'HOST is 0.0.0.0, which other machines can reach, and no keys exist: set BATON_ADMIN_KEY (at least 32 characters), or create a key with npm run key',
    });
  });

  test('for an admin key that is too short, without printing it', async () => {
    const { code, stderr } = await refusedStart({
      databaseUrl: url,
      env: { BATON_ADMIN_KEY: 'correct horse battery staple' },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^BATON_ADMIN_KEY must be 32 to 512 characters[^\n]+$/);
    expect(stderr).not.toContain('horse');
  });

  test('for a database without migrations', async () => {
    const empty = await emptyDatabase();
    const { code, stderr } = await refusedStart({ databaseUrl: empty.url });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The database lacks [^\n]+: run npm run migrate$/);
  });

  test('for a database that does not answer', async () => {
    const { code, stderr } = await refusedStart({ databaseUrl: 'postgresql://baton:secret@127.0.0.1:1/baton' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^PostgreSQL does not answer \([^\n]+\): check DATABASE_URL and that it runs$/);
    expect(stderr).not.toContain('secret');
  });
});

test('logs the nearest name of each unknown setting, and its address with the base path', async () => {
  const {
    logs,
    url: address,
    kill,
  } = await startServer({ databaseUrl: database.url, env: { BATON_BASEPATH: '/secret', BATON_BASE_PATH: '/baton' } });
  expect(address).toMatch(/:\d+\/baton$/);
  const warnings = logs.filter((line) => line.includes('"level":40'));
  expect(warnings).toEqual([
    expect.stringContaining(
      'BATON_BASEPATH is not a setting and has no effect: the nearest setting is BATON_BASE_PATH',
    ),
  ]);
  expect(logs.join()).not.toContain('secret');
  await kill();
});

test('a server logs one JSON object a line', async () => {
  const { server } = await interrupted();
  expect(server.logs.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 30, msg: 'No keys exist: every program on this machine has full access' },
    { level: 30, url: server.url, msg: `Baton is ready: open ${server.url}` },
  ]);
});
