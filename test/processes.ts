import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The process id of an embedded database's PostgreSQL. */
export function postgresPid(base: string): number {
  return Number.parseInt(readFileSync(join(base, 'cluster/data/postmaster.pid'), 'utf8'), 10);
}

/** Signals a process and its children: PostgreSQL's processes are in no common group. */
export function signalFamily(pid: number, signal: NodeJS.Signals): void {
  const children = childrenOf(pid);
  for (const member of [pid, ...children]) process.kill(member, signal);
}

export function childrenOf(pid: number): number[] {
  const list = `/proc/${pid}/task/${pid}/children`;
  const text = existsSync(list)
    ? readFileSync(list, 'utf8')
    : execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
  return text.split(/\s+/).filter(Boolean).map(Number);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
