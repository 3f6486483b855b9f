import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { dataFolder } from '../../test/dataFolder.ts';
import { testDatabase } from '../../test/database.ts';
import { client, send } from '../../test/graphql.ts';
import { isAlive, postgresPid } from '../../test/processes.ts';
import { startServer, type ServerProcess } from '../../test/server.ts';
import { rawSocket, sseStream } from '../../test/socket.ts';
import { temporaryFolder } from '../../test/temporary.ts';

const database = await testDatabase();
const patiently = { timeout: 30_000 };
const env = { NODE_OPTIONS: `--import ${new URL('../../test/throwing.mjs', import.meta.url).href}` };
const subscription = 'subscription { event: handoffEvents { type } }';

/** Makes everything that uses the agents wait, until it is released. */
async function holdAgents() {
  const holder = await database.pool.connect();
  await holder.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE agents');
  let released: Promise<void> | undefined;
  const release = (): Promise<void> => (released ??= holder.query('COMMIT').then(() => holder.release()));
  onTestFinished(release);
  return {
    release,
    untilSomebodyWaits: () =>
      vi.waitFor(async () => {
        const { rowCount } = await database.pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        expect(rowCount).toBeGreaterThan(0);
      }, patiently),
  };
}

const uncaught = (server: ServerProcess): unknown[] =>
  server.logs.filter((line) => line.includes('An error was not caught')).map((line) => JSON.parse(line) as unknown);

describe('a server with an error that nothing caught', () => {
  test('finishes running requests, refuses new ones with 503, closes sockets with 1012, logs the error and exits with 70', async () => {
    const server = await startServer({ databaseUrl: database.url, env });
    const api = client(server.url);
    const socket = await rawSocket(server.url);
    await socket.init();
    socket.subscribe('1', subscription);
    await socket.result('1');
    const events = await sseStream(server.url, subscription);
    await events.result();
    const agents = await holdAgents();
    const running = api.post('{ agents { totalCount } }');
    await agents.untilSomebodyWaits();

    process.kill(server.pid, 'SIGUSR2');
    expect(await socket.closed).toMatchObject({ code: 1012 });
    expect(await send(`${server.url}/readyz`)).toMatchObject({ status: 503, body: '{"status":"stopping"}' });
    const refused = await client(server.url).post('{ viewer { role } }');
    expect(refused).toMatchObject({ status: 503, errors: [{ extensions: { code: 'UNAVAILABLE' } }] });
    expect(await events.result()).toMatchObject({ errors: [{ extensions: { code: 'UNAVAILABLE' } }] });

    // Another one during the ending changes nothing, and is logged too.
    process.kill(server.pid, 'SIGUSR2');
    await vi.waitFor(() => expect(uncaught(server)).toHaveLength(2), patiently);
    await agents.release();
    expect(await running).toMatchObject({ status: 200 });
    expect(await server.exited).toEqual({ code: 70, signal: null });
    expect(uncaught(server)).toMatchObject([
      { level: 60, err: { message: 'Uncaught 1', stack: expect.stringContaining('throwing.mjs') as string } },
      { level: 60, err: { message: 'Uncaught 2' } },
    ]);
  });

  test('shuts its embedded PostgreSQL down, so that the next start recovers nothing', async () => {
    const folder = temporaryFolder('baton-test', dataFolder());
    const own = { ...env, BATON_DATA: folder, BATON_DEMO: '0' };
    const server = await startServer({ env: own });
    const pid = postgresPid(folder);
    process.kill(server.pid, 'SIGUSR2');
    expect(await server.exited).toEqual({ code: 70, signal: null });
    expect(isAlive(pid)).toBe(false);
    const again = await startServer({ env: own });
    expect(again.logs.join('\n')).not.toMatch(/taking it over|killed/);
    expect(await again.kill()).toEqual({ code: 0, signal: null });
  });
});
