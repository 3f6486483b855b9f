import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { endsWithThisProcess } from './children.ts';
import { atEnd } from './database.ts';
import { blocksOf } from './docs/blocks.ts';
import { freePort } from './ports.ts';
import { pgbouncerProgram, requireProgram } from './programs.ts';
import { temporaryFolder } from './temporary.ts';

interface PgBouncer {
  /** The way through PgBouncer to a database of the same PostgreSQL. */
  through(databaseUrl: string): string;
}

/** Starts PgBouncer as docs/operations.md configures it, in front of the PostgreSQL of this URL. `change` edits the configuration. */
export async function startPgBouncer(
  adminUrl: string,
  change: (ini: string) => string = (ini) => ini,
): Promise<PgBouncer> {
  const {
    host,
    user,
    password,
    port: serverPort,
  } = new pg.Client({ connectionString: adminUrl }) as pg.Client & { password: string };
  const folder = temporaryFolder('baton-pgbouncer');
  const port = await freePort();
  const { text } = blocksOf('docs/operations.md').find((block) => block.language === 'ini')!;
  const files = { ini: join(folder, 'pgbouncer.ini'), users: join(folder, 'userlist.txt') };
  const place = text
    .replace('baton = host=127.0.0.1 port=5432', `* = host=${host} port=${serverPort}`)
    .replace('6432', String(port))
    .replace('/etc/pgbouncer/userlist.txt', files.users);
  writeFileSync(files.ini, `${change(place)}\nunix_socket_dir =\nlogfile = ${folder}/log\nadmin_users = ${user}\n`);
  writeFileSync(files.users, `"${user}" "${password}"\n`, { mode: 0o600 });
  // PgBouncer does not run as root, and the embedded PostgreSQL's socket is its owner's alone.
  const owner = host.startsWith('/') ? statSync(host) : undefined;
  const as = process.getuid?.() === 0 && owner !== undefined ? { uid: owner.uid, gid: owner.gid } : {};
  if (as.uid !== undefined) for (const path of [folder, ...Object.values(files)]) chownSync(path, as.uid, as.gid);
  const child = endsWithThisProcess(
    spawn(requireProgram(pgbouncerProgram), [files.ini], { ...as, stdio: ['ignore', 'ignore', 'pipe'] }),
  );
  const said: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => void said.push(chunk.toString()));
  atEnd(async () => {
    const gone = child.exitCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGINT');
    child.kill('SIGTERM');
    await gone;
  });
  const through = (databaseUrl: string): string =>
    `postgresql://${user}:${password}@127.0.0.1:${port}/${new pg.Client({ connectionString: databaseUrl }).database}`;
  while (!(await answers(through(adminUrl)))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer did not start:\n${said.join('')}`);
    await wait(20);
  }
  return { through };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  return client
    .connect()
    .then(
      () => true,
      () => false,
    )
    .finally(() => client.end().catch(() => undefined));
}
