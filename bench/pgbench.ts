import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

export interface Script {
  url: string;
  /** What each client sends, again and again, as a prepared statement. */
  text: string;
  clients: number;
  /** How often each client sends it. */
  times: number;
  variables?: Record<string, number>;
}

/** Runs a script with PostgreSQL's own load generator and answers how often a second, connecting left out. */
export async function pgbench(program: string, { url, text, clients, times, variables = {} }: Script): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-pgbench-'));
  const { host, port, user, password, database } = new pg.Client({ connectionString: url });
  const defines = Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]);
  try {
    const script = join(folder, 'script.sql');
    writeFileSync(script, text);
    const args = ['--no-vacuum', '--protocol=prepared', `--client=${clients}`, '--jobs=2', `--transactions=${times}`, ...defines, `--file=${script}`];
    const { stdout } = await promisify(execFile)(program, [...args, `--host=${host}`, `--port=${port}`, `--username=${user ?? ''}`, database ?? ''], {
      env: { ...process.env, PGPASSWORD: String(password) },
    });
    const said = /^tps = ([\d.]+) \(without initial connection time\)/m.exec(stdout)?.[1];
    if (said === undefined || !stdout.includes(`processed: ${clients * times}/${clients * times}`)) throw new Error(`pgbench said:\n${stdout}`);
    return Number(said);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Where pgbench is; root has it installed when it is missing. Null when it cannot be had. */
export function findPgbench(say: (line: string) => void): string | null {
  const found = onThisMachine();
  if (found !== null || process.getuid?.() !== 0) return found;
  say('pgbench is missing: installing it with apt-get');
  try {
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'postgresql-contrib'], { stdio: 'ignore', env });
  } catch {
    return null;
  }
  return onThisMachine();
}

/** Debian keeps it beside the server that it came with; /usr/bin/pgbench is a wrapper that picks one of those. */
function onThisMachine(): string | null {
  const debian = '/usr/lib/postgresql';
  const folders = existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, 'bin')) : [];
  return [...folders, ...(process.env.PATH ?? '').split(delimiter)].map((folder) => join(folder, 'pgbench')).find(existsSync) ?? null;
}
