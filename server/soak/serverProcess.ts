import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { endsWithThisProcess } from '../testing/children.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface ServerProcess {
  url: string;
  /** Sends a signal; nothing happens when it is gone already. */
  kill(signal: NodeJS.Signals): void;
  /** The last lines that it said. */
  logs: string[];
  /** How it ended, once it has. */
  exited: Promise<string>;
}

/** A real server process on a free port, ready when this resolves. It ends with this process at the latest. */
export async function startServerProcess(env: Record<string, string>): Promise<ServerProcess> {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = endsWithThisProcess(spawn(process.execPath, ['--import', 'tsx', 'server/main.ts'], {
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
  return { url, kill: (signal) => void child.kill(signal), logs, exited };
}
