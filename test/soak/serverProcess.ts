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
  /** Sends a signal; does nothing after the process has ended. */
  kill(signal: NodeJS.Signals): void;
  /** The last lines of output. */
  logs: string[];
  /** The reason of its end. */
  exited: Promise<string>;
}

export interface ProcessOptions {
  /** The core to run on, where the system supports pinning. */
  cpu?: number;
  /** The heap size in MB; default: Node's own. */
  heapMb?: number | undefined;
  /** Hears each line of both outputs. */
  heard?: (line: string) => void;
}

/** The command and arguments of a Node program. A pinned one keeps its process id. */
export function nodeCommand(args: readonly string[], { cpu, heapMb }: ProcessOptions): [string, string[]] {
  const node = [
    process.execPath,
    ...(heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`]),
    '--import',
    'tsx',
    ...args,
  ];
  const [command, ...rest] =
    cpu === undefined || !existsSync('/usr/bin/taskset')
      ? node
      : ['/usr/bin/taskset', '-c', String(cpu % availableParallelism()), ...node];
  return [command!, rest];
}

/** Starts a real server process on a free port; resolves when it is ready. It ends at the latest with this process. */
export async function startServerProcess(
  env: Record<string, string>,
  options: ProcessOptions = {},
): Promise<ServerProcess> {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = endsWithThisProcess(
    spawn(...nodeCommand(['server/main.ts'], options), {
      cwd: root,
      env: { PATH, HOME, TMPDIR, PORT: '0', BATON_DEMO: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  const logs: string[] = [];
  const ready = new Promise<string>((resolve) => {
    const keep = (line: string): void => {
      if (logs.push(line) > 50) logs.shift();
      options.heard?.(line);
      if (line.startsWith('{') && line.includes('"url":')) resolve((JSON.parse(line) as { url: string }).url);
    };
    createInterface(child.stdout).on('line', keep);
    createInterface(child.stderr).on('line', keep);
  });
  const exited = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const url = await Promise.race([
    ready,
    exited.then(() => Promise.reject(new Error(`The server did not start:\n${logs.join('\n')}`))),
  ]);
  return { url, pid: child.pid!, kill: (signal) => void child.kill(signal), logs, exited };
}
