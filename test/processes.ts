import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The PostgreSQL that serves an embedded database's folder. */
export function postgresPid(base: string): number {
  return Number.parseInt(readFileSync(join(base, 'cluster/data/postmaster.pid'), 'utf8'), 10);
}

/** Sends a signal to a process and its children: those of PostgreSQL are in no group that could be signalled. */
export function signalFamily(pid: number, signal: NodeJS.Signals): void {
  const children = childrenOf(pid);
  for (const member of [pid, ...children]) process.kill(member, signal);
}

function childrenOf(pid: number): number[] {
  const list = `/proc/${pid}/task/${pid}/children`;
  const text = existsSync(list) ? readFileSync(list, 'utf8') : execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
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
