import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundled } from '../../../test/bundle.ts';
import { atEnd } from '../../../test/database.ts';
import { dataFolder } from '../../../test/dataFolder.ts';
import { client } from '../../../test/graphql.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { installMissing, requireProgram, systemInstaller } from '../../../test/programs.ts';
import { startServer } from '../../../test/server.ts';
import { postgresProgram } from '../../../test/streamingReplica.ts';
import { world } from '../../../test/world.ts';
import { silentLog } from '../log.ts';
import { borrowPostgres, stopAbandoned } from '../postgres/postgres.ts';
import { createDatabase } from '../prisma.ts';
import { checkBackup } from './restore.ts';
import type { Manifest } from './write.ts';
import { temporaryFolder } from '../../../test/temporary.ts';

const root = temporaryFolder('baton-test', dataFolder());
await chmod(root, 0o755);
const folder = (name: string): string => {
  const path = join(root, name);
  atEnd(async () => void (existsSync(path) && (await stopAbandoned(path))));
  return path;
};

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}
const { PATH, HOME, TMPDIR } = process.env;
const baton = async (env: Record<string, string>, ...args: string[]): Promise<Ran> => {
  const program = await bundled('cli/baton.ts');
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env: { PATH, HOME, TMPDIR, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
};

/** Starts a command and kills it once `when` holds. Returns whether it was killed before its end. */
async function killed(
  env: Record<string, string>,
  args: string[],
  when: () => Promise<boolean> | boolean,
): Promise<boolean> {
  const child = spawn(process.execPath, [await bundled('cli/baton.ts'), ...args], {
    env: { PATH, HOME, TMPDIR, ...env },
    stdio: 'ignore',
  });
  const ended = new Promise<boolean>(
    (resolve) => void child.once('exit', (_code, signal) => resolve(signal === 'SIGKILL')),
  );
  while (child.exitCode === null && !(await when())) await wait(2);
  child.kill('SIGKILL');
  return ended;
}

/** A pool on the embedded database of a folder, which a server may be running. */
async function opened<T>(data: string, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const postgres = await borrowPostgres({ folder: data, database: 'baton', log: silentLog, sync: false });
  const pool = new pg.Pool({ connectionString: postgres.url, max: 12 });
  // PostgreSQL may stop while a connection of an ended pool still closes.
  pool.on('error', () => undefined);
  return work(pool).finally(async () => {
    await pool.end();
    await postgres.stop();
  });
}

const own = ['database_identity', 'webhook_worker'];
async function hashes(pool: pg.Pool): Promise<Record<string, string>> {
  const { tables } = await hashAllTables(pool);
  return Object.fromEntries(Object.entries(tables).filter(([name]) => !own.includes(name)));
}

const source = folder('source');

beforeAll(async () => {
  await startServer({ env: { BATON_DATA: source } });
});

describe('baton backup and baton restore', () => {
  const file = join(root, 'busy.backup');

  test('a back-up that is written while eight writers go on is the state of one moment, in another PostgreSQL too', async () => {
    const versions = await opened(source, async (pool) => {
      const { agent, session, reassign, turn } = world(pool);
      await Promise.all(['ann', 'ben'].map((id) => agent(id, { maxCapacity: 100 })));
      const sessions = await Promise.all(Array.from({ length: 8 }, () => session('ann')));
      let stop = false;
      let moves = 0;
      const writing = sessions.map(async (id) => {
        for (let n = 1; !stop; n += 1) {
          await reassign(id, { agentId: n % 2 === 1 ? 'ben' : 'ann' });
          await turn(id, { messages: [{ role: 'USER', content: 'x'.repeat(2_000) }] });
          moves += 1;
        }
      });
      while (moves < 40) await wait(5);
      const before = moves;
      const { code, stdout } = await baton({ BATON_DATA: source }, 'backup', file, '--json');
      const during = moves - before;
      stop = true;
      await Promise.all(writing);
      expect(code).toBe(0);
      expect(during).toBeGreaterThan(8);
      const manifest = JSON.parse(stdout) as Manifest;
      const handoffs = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM handoffs');
      expect(manifest.tables['handoffs']!.rows).toBeLessThan(handoffs.rows[0]!.n);
      return manifest;
    });

    const target = folder('target');
    const restored = await baton({ BATON_DATA: target }, 'restore', file);
    expect(restored).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(
        /^Restored \d+ rows in \d+ tables as of .*; every table is that of the back-up\.\n/,
      ) as string,
    });
    const there = await opened(target, async (pool) => {
      expect(await brokenInvariants(pool)).toEqual([]);
      const { rows } = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM handoffs');
      expect(rows[0]!.n).toBe(versions.tables['handoffs']!.rows);
      return hashes(pool);
    });

    // The restored folder starts, without demonstration data on top, and moves on from where it was.
    const next = await startServer({ env: { BATON_DATA: target } });
    const { data } = await client(next.url).post<{ sessions: { nodes: { id: string }[] } }>(
      '{ sessions(where: {agentId: "ann"}, first: 1) { nodes { id } } agents { totalCount } }',
    );
    expect(data).toMatchObject({ agents: { totalCount: 14 } });
    await next.kill();

    const other = await otherPostgres();
    expect(await baton({ DATABASE_URL: other.url }, 'restore', file)).toMatchObject({ code: 0 });
    const { pool, close } = createDatabase(other.url, silentLog);
    expect(await hashes(pool)).toEqual(there);
    // It compiles plans, which would take a command longer than its time limit.
    const { session, reassign } = world(pool);
    await reassign(await session('ann'), { agentId: 'ben' });
    expect(await brokenInvariants(pool)).toEqual([]);
    await close();
    await other.stop();
  });

  test('a back-up overwrites nothing, a restore needs a new folder and a whole file, and both say what to do', async () => {
    const whole = readFileSync(file);
    expect(await baton({ BATON_DATA: source }, 'backup', file)).toMatchObject({
      code: 1,
      stderr: `${file} exists: a back-up overwrites nothing. Remove it, or give another name\n`,
    });
    expect(readFileSync(file).equals(whole)).toBe(true);
    expect(await baton({ BATON_DATA: join(root, 'none') }, 'backup', join(root, 'none.backup'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^There is no database in /) as string,
    });
    expect(existsSync(join(root, 'none'))).toBe(false);

    const bad = join(root, 'bad.backup');
    await writeFile(bad, whole.subarray(0, whole.length - 100));
    expect(await baton({ BATON_DATA: join(root, 'fresh') }, 'restore', bad)).toMatchObject({
      code: 1,
      stderr: `${bad} is damaged or not complete: use another back-up\n`,
    });
    expect(existsSync(join(root, 'fresh'))).toBe(false);
    expect(await baton({ BATON_DATA: source }, 'restore', file)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Another Baton is running on /) as string,
    });
    expect(await baton({ BATON_DATA: folder('target') }, 'restore', file)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The database is not empty, and nothing was changed/) as string,
    });
    expect(
      await baton({ DATABASE_URL: 'postgresql://127.0.0.1:1/none' }, 'backup', join(root, 'away.backup')),
    ).toMatchObject({ code: 75 });
    expect(await baton({}, 'restore', '-')).toMatchObject({ code: 2 });
    expect((await baton({}, 'restore', '--check', file)).stdout).toMatch(/is whole: \d+ rows in \d+ tables as of /);
  });

  test('a killed back-up leaves no file of its name, and a killed restore an empty database that the next one fills', async () => {
    const half = join(root, 'half.backup');
    const wasKilled = await killed({ BATON_DATA: source }, ['backup', half], () =>
      readdirSync(root).some((name) => name.startsWith('half.backup.')),
    );
    expect([wasKilled, existsSync(half)]).toEqual([true, false]);

    const target = folder('killed');
    const env = { BATON_DATA: target };
    // Its own connection makes tables: there are locks on them, and nobody else sees them.
    const loads = async (): Promise<boolean> => {
      if (!existsSync(join(target, 'cluster', 'password'))) return false;
      const url = `postgresql://postgres:${readFileSync(join(target, 'cluster', 'password'), 'utf8')}@/baton?host=${encodeURIComponent(join(target, 'socket'))}`;
      const one = new pg.Client({ connectionString: url });
      one.on('error', () => undefined);
      try {
        await one.connect();
        const { rowCount } = await one.query(`SELECT FROM pg_stat_activity WHERE query LIKE 'COPY %'`);
        return rowCount! > 0;
      } catch {
        return false;
      } finally {
        await one.end().catch(() => undefined);
      }
    };
    expect(await killed(env, ['restore', file], loads)).toBe(true);
    await opened(target, async (pool) =>
      expect(await pool.query(`SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace`)).toMatchObject({
        rowCount: 0,
      }),
    );
    expect(await baton(env, 'restore', file)).toMatchObject({ code: 0, stderr: '' });
  });

  test('standard output is a back-up too', async () => {
    const piped = join(root, 'piped.backup');
    const program = await bundled('cli/baton.ts');
    await new Promise((resolve) =>
      execFile(
        'sh',
        ['-c', `"$0" "$1" backup - > "$2"`, process.execPath, program, piped],
        { env: { PATH, HOME, TMPDIR, BATON_DATA: source } },
        resolve,
      ),
    );
    expect((await checkBackup(piped)).tables['agents']!.rows).toBe(14);
  });
});

/** The system's PostgreSQL, an older major version in Debian 12, with a role that is not its superuser. */
async function otherPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const problem = installMissing([postgresProgram], systemInstaller);
  if (problem !== null) throw new Error(problem);
  const bin = requireProgram(postgresProgram);
  const place = join(root, 'other');
  await mkdir(place, { mode: 0o755 });
  const owner = statSync(join(source, 'cluster', 'data'));
  const as = process.getuid?.() === 0 ? { uid: owner.uid, gid: owner.gid } : {};
  if (as.uid !== undefined) await chown(place, as.uid, as.gid);
  await promisify(execFile)(
    join(bin, 'initdb'),
    ['-D', join(place, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    as,
  );
  const child = spawn(
    join(bin, 'postgres'),
    ['-D', join(place, 'data'), '-k', place, '-c', 'listen_addresses=', '-c', 'fsync=off'],
    { ...as, stdio: 'ignore' },
  );
  const ended = new Promise((resolve) => void child.once('exit', resolve));
  const stop = async (): Promise<void> => {
    child.kill('SIGINT');
    await ended;
  };
  atEnd(stop);
  const admin = `postgresql://postgres@/postgres?host=${encodeURIComponent(place)}`;
  for (;;) {
    const one = new pg.Client({ connectionString: admin });
    one.on('error', () => undefined);
    try {
      await one.connect();
      await one.query('CREATE ROLE baton LOGIN');
      await one.query('CREATE DATABASE baton OWNER baton');
      return { url: `postgresql://baton@/baton?host=${encodeURIComponent(place)}`, stop };
    } catch (error) {
      if ((error as { code?: string }).code === '42710' || child.exitCode !== null) throw error;
      await wait(50);
    } finally {
      await one.end().catch(() => undefined);
    }
  }
}
