import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { endsWithThisProcess } from '../children.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface ServerProcess {
  url: string;
  pid: number;
  /** Sends a signal; nothing happens when it is gone already. */
  kill(signal: NodeJS.Signals): void;
  /** The last lines that it said. */
  logs: string[];
  /** How it ended, once it has. */
  exited: Promise<string>;
}

export interface ProcessOptions {
  /** The one processor that it may run on, where the system can say so. */
  cpu?: number;
  /** The size of its heap in MB, when not Node's own choice. */
  heapMb?: number | undefined;
}

/** A Node program as a command and its arguments. A pinned one runs as the same process. */
export function nodeCommand(args: readonly string[], { cpu, heapMb }: ProcessOptions): [string, string[]] {
  const node = [process.execPath, ...(heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`]), '--import', 'tsx', ...args];
  const [command, ...rest] = cpu === undefined || !existsSync('/usr/bin/taskset') ? node : ['/usr/bin/taskset', '-c', String(cpu % availableParallelism()), ...node];
  return [command!, rest];
}

/** A real server process on a free port, ready when this resolves. It ends with this process at the latest. */
export async function startServerProcess(env: Record<string, string>, options: ProcessOptions = {}): Promise<ServerProcess> {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = endsWithThisProcess(spawn(...nodeCommand(['server/main.ts'], options), {
    cwd: root,
    env: { PATH, HOME, TMPDIR, PORT: '0', BATON_DEMO: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  }));
  const logs: string[] = [];
  const ready = new Promise<string>((resolve) => {
    const keep = (line: string): void => {
      if (logs.push(line) > 50) logs.shift();
      if (line.startsWith('{') && line.includes('"url":')) resolve((JSON.parse(line) as { url: string }).url);
    };
    createInterface(child.stdout).on('line', keep);
    createInterface(child.stderr).on('line', keep);
  });
  const exited = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const url = await Promise.race([ready, exited.then(() => Promise.reject(new Error(`The server did not start:\n${logs.join('\n')}`)))]);
  return { url, pid: child.pid!, kill: (signal) => void child.kill(signal), logs, exited };
}
