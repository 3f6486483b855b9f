import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { migrateUp } from '../server/infra/migrate.ts';
import { endsWithThisProcess } from './children.ts';
import { dataFolder } from './dataFolder.ts';
import { freePort } from './ports.ts';
import { signalFamily } from './processes.ts';
import { requireProgram, type Program } from './programs.ts';
import { temporaryFolder } from './temporary.ts';

const versions = '/usr/lib/postgresql';
/** The programs of the system's PostgreSQL: the embedded one has no pg_basebackup. */
export const postgresProgram: Program = {
  name: 'PostgreSQL',
  package: 'postgresql',
  find: () =>
    existsSync(versions)
      ? readdirSync(versions)
          .map((version) => join(versions, version, 'bin'))
          .find((bin) => existsSync(join(bin, 'pg_basebackup')))
      : undefined,
  advice: 'install postgresql from the packages of your system',
};

const run = promisify(execFile);

export interface Node {
  url: string;
  readonly pid: number;
  /** Sends one statement as a superuser, again when a replica cancels it for a change of the primary. */
  query<Row extends pg.QueryResultRow>(text: string): Promise<Row[]>;
  start(): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  freeze(): void;
  resume(): void;
}

/** A PostgreSQL with a migrated database, and a replica that streams from it. */
export async function streamingReplica(
  atEnd: (undo: () => Promise<void>) => void,
): Promise<{ primary: Node; replica: Node }> {
  const bin = requireProgram(postgresProgram);
  const folder = temporaryFolder('baton-replica', dataFolder());
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined;
  if (user) chownSync(folder, user.uid, user.gid);
  const options = { ...user, cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' } };
  const [first, second] = [join(folder, 'primary'), join(folder, 'replica')];
  await run(
    join(bin, 'initdb'),
    ['-D', first, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'],
    options,
  );
  const primary = await node(first);
  await primary.start();
  await migrateUp(primary.url);
  const { port } = new URL(primary.url);
  await run(
    join(bin, 'pg_basebackup'),
    ['-D', second, '-h', '127.0.0.1', '-p', port, '-U', 'postgres', '-R', '-X', 'stream', '-c', 'fast', '--no-sync'],
    options,
  );
  // Statements of the replica that stand in the way of the primary's changes are cancelled soon.
  await writeFile(
    join(second, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres'\nmax_standby_streaming_delay = 100ms\nwal_retrieve_retry_interval = 100ms\n`,
  );
  const replica = await node(second);
  await replica.start();
  return { primary, replica };

  async function node(data: string): Promise<Node> {
    const port = await freePort();
    const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
    const pool = new pg.Pool({ connectionString: url, max: 2, application_name: 'this test' });
    pool.on('error', () => undefined);
    let child: ChildProcess | undefined;
    const signal = (name: NodeJS.Signals): void => {
      if (child?.pid !== undefined) signalFamily(child.pid, name);
    };
    const made: Node = {
      url,
      get pid() {
        return child!.pid!;
      },
      query: <Row extends pg.QueryResultRow>(text: string): Promise<Row[]> =>
        pool.query<Row>(text).then(
          ({ rows }) => rows,
          (error: { code?: string }) =>
            error.code === '40001' ? made.query<Row>(text) : Promise.reject(error as Error),
        ),
      async start() {
        child = endsWithThisProcess(
          spawn(
            join(bin, 'postgres'),
            ['-D', data, '-p', String(port), '-k', folder, '-c', 'fsync=off', '-c', 'listen_addresses=127.0.0.1'],
            { ...options, detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
          ),
        );
        const said: string[] = [];
        child.stderr!.on('data', (chunk: Buffer) => void (said.push(chunk.toString()) > 50 && said.shift()));
        for (const started = Date.now(); !(await answers(url)); await wait(20)) {
          if (child.exitCode !== null || Date.now() - started > 60_000)
            throw new Error(`PostgreSQL did not start:\n${said.join('')}`);
        }
      },
      async kill() {
        if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
        const gone = once(child, 'exit');
        signal('SIGKILL');
        await gone;
      },
      freeze: () => signal('SIGSTOP'),
      resume: () => signal('SIGCONT'),
    };
    atEnd(async () => {
      await pool.end();
      await made.kill();
    });
    return made;
  }
}

const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}
