import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

export interface Script {
  url: string;
  /** The prepared statement that each client repeats. */
  text: string;
  clients: number;
  /** Repetitions per client. */
  times: number;
  variables?: Record<string, number>;
}

/** Runs a script with pgbench and returns transactions per second, without connection time. */
export async function pgbench(program: string, { url, text, clients, times, variables = {} }: Script): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-pgbench-'));
  const { host, port, user, password, database } = new pg.Client({ connectionString: url });
  const defines = Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]);
  try {
    const script = join(folder, 'script.sql');
    writeFileSync(script, text);
    const args = [
      '--no-vacuum',
      '--protocol=prepared',
      `--client=${clients}`,
      '--jobs=2',
      `--transactions=${times}`,
      ...defines,
      `--file=${script}`,
    ];
    const { stdout } = await promisify(execFile)(
      program,
      [...args, `--host=${host}`, `--port=${port}`, `--username=${user ?? ''}`, database ?? ''],
      {
        env: { ...process.env, PGPASSWORD: String(password) },
      },
    );
    const said = /^tps = ([\d.]+) \(without initial connection time\)/m.exec(stdout)?.[1];
    if (said === undefined || !stdout.includes(`processed: ${clients * times}/${clients * times}`))
      throw new Error(`pgbench said:\n${stdout}`);
    return Number(said);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The path of pgbench, installed when missing if run as root; null when unavailable. */
export function findPgbench(say: (line: string) => void): string | null {
  const found = onThisMachine();
  if (found !== null || process.getuid?.() !== 0) return found;
  say('pgbench is missing: installing it with apt-get');
  try {
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'postgresql-contrib'], {
      stdio: 'ignore',
      env,
    });
  } catch {
    return null;
  }
  return onThisMachine();
}

/** Debian installs it beside its server version; /usr/bin/pgbench is a wrapper. */
function onThisMachine(): string | null {
  const debian = '/usr/lib/postgresql';
  const folders = existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, 'bin')) : [];
  return (
    [...folders, ...(process.env.PATH ?? '').split(delimiter)]
      .map((folder) => join(folder, 'pgbench'))
      .find(existsSync) ?? null
  );
}
