import { lstatSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { atEnd } from '../../../test/database.ts';
import { dataFolder } from '../../../test/dataFolder.ts';
import { silentLog } from '../log.ts';
import { startPostgres, type EmbeddedPostgres } from './postgres.ts';
import { hydrateSymlinks } from './binaries.ts';
import { temporaryFolder } from '../../../test/temporary.ts';

const temporary = temporaryFolder('baton-test', dataFolder());
// The temporary folder of a test is its maker's alone; PostgreSQL's user has to pass through.
await chmod(temporary, 0o755);

async function start(folder: string, log = silentLog): Promise<EmbeddedPostgres> {
  const postgres = await startPostgres({ folder, log, sync: false });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= postgres.stop());
  atEnd(stop);
  return { ...postgres, stop };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

test('the embedded PostgreSQL listens only on a socket of its owner, with a password', async () => {
  const { url, base, stop } = await start(join(temporary, 'private'));
  const client = await connect(url);
  const { rows } = await client.query(
    `SELECT current_setting('listen_addresses') AS addresses, current_setting('server_encoding') AS encoding`,
  );
  expect(rows).toEqual([{ addresses: '', encoding: 'UTF8' }]);
  await client.end();
  expect(statSync(join(base, 'socket')).mode & 0o777).toBe(0o700);
  await expect(connect(url.replace(/:[0-9a-f]+@/, ':guess@'))).rejects.toThrow('password authentication failed');
  expect(await readFile(join(base, 'postgres.log'), 'utf8')).not.toContain('guess');
  await stop();
});

test('the transaction of a dead client ends within a second, even during a long statement', async () => {
  const { url, stop } = await start(join(temporary, 'died'));
  const dying = await connect(url);
  const watching = await connect(url);
  await dying.query('BEGIN');
  const cut = expect(dying.query('SELECT pg_sleep(30)')).rejects.toThrow();
  const sleeping = async () =>
    (
      await watching.query(
        `SELECT FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid() AND state = 'active'`,
      )
    ).rowCount;
  await vi.waitFor(async () => expect(await sleeping()).toBe(1), { timeout: 30_000 });
  await dying.end();
  await cut;
  await vi.waitFor(async () => expect(await sleeping()).toBe(0), { timeout: 1_500 });
  await watching.end();
  await stop();
});

test.runIf(process.getuid?.() === 0)(
  "as root, data moves to a folder that PostgreSQL's user can reach, and the log names it",
  async () => {
    const hidden = join(temporary, 'hidden');
    await mkdir(hidden, { mode: 0o700 });
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
    const { url, base, stop } = await start(join(hidden, 'data'), log);
    atEnd(() => rm(base, { recursive: true, force: true }));
    expect(base).toMatch(/^\/var\/lib\/baton\/[0-9a-f]{16}$/);
    expect(lines.join('')).toContain(`PostgreSQL's user cannot reach ${hidden}/data: its data is in ${base}`);
    await (await connect(url)).end();
    await stop();
  },
);

test.runIf(process.getuid?.() === 0)(
  'as root, an existing folder keeps its owner, and PostgreSQL runs as that user',
  async () => {
    const folder = join(temporary, 'theirs');
    await mkdir(folder, { mode: 0o700 });
    await chown(folder, 12_345, 12_345);
    const outcome = await start(folder).catch((error: unknown) => error);
    // initdb wants a user with a name; what matters is that the folder did not change hands.
    expect(String(outcome)).toContain('PostgreSQL could not create its files');
    expect(statSync(folder)).toMatchObject({ uid: 12_345, gid: 12_345 });
  },
);

test('a folder with other files is rejected and left unchanged', async () => {
  const folder = join(temporary, 'documents');
  await mkdir(folder, { mode: 0o755 });
  writeFileSync(join(folder, 'letter.txt'), '');
  await expect(startPostgres({ folder, log: silentLog })).rejects.toThrow(
    `The folder ${folder} contains other files than a database: set BATON_DATA to a new or empty one`,
  );
  expect(statSync(folder).mode & 0o777).toBe(0o755);
});

test('rejects a file or a shared folder in its place and names it', async () => {
  writeFileSync(join(temporary, 'file'), '');
  await expect(startPostgres({ folder: join(temporary, 'file'), log: silentLog })).rejects.toThrow(
    `Cannot use the folder ${temporary}/file (EEXIST): set BATON_DATA to another one`,
  );
  await mkdir(join(temporary, 'open', 'socket'), { recursive: true });
  await chmod(join(temporary, 'open', 'socket'), 0o777);
  await expect(startPostgres({ folder: join(temporary, 'open'), log: silentLog })).rejects.toThrow(
    `The folder ${temporary}/open/socket must belong to PostgreSQL's user alone`,
  );
});

test('creates the links of a blocked install script, and keeps existing links', async () => {
  const root = join(temporary, 'package');
  mkdirSync(join(root, 'native/lib'), { recursive: true });
  writeFileSync(join(root, 'native/lib/libx.so.1.2'), 'library');
  const links = ['native/lib/libx.so', 'native/lib/libx.so.1'].map((target) => ({
    source: 'native/lib/libx.so.1.2',
    target,
  }));
  writeFileSync(join(root, 'native/pg-symlinks.json'), JSON.stringify(links));
  for (const _ of [1, 2]) {
    expect(await hydrateSymlinks(join(root, 'native'))).toBe(true);
    expect(lstatSync(join(root, 'native/lib/libx.so.1')).isSymbolicLink()).toBe(true);
    expect(await readFile(join(root, 'native/lib/libx.so'), 'utf8')).toBe('library');
  }
});
