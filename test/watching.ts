import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundled } from './bundle.ts';
import { endsWithThisProcess } from './children.ts';
import { atEnd } from './database.ts';
import { temporaryFolder } from './temporary.ts';

export interface WatchLine {
  event: string;
  handoff?: string;
  session?: string;
  exitCode?: number | null;
  reason?: string;
}

export interface Watching {
  lines: WatchLine[];
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  /** The exit code, or the signal that ended it. */
  exited: Promise<number | string>;
}

/** Kills the commands whose runs are in a state folder: they outlive the processes that started them. */
export function killCommands(state: string): void {
  const names = existsSync(state) ? readdirSync(state, { recursive: true, encoding: 'utf8' }) : [];
  for (const name of names.filter((one) => one.endsWith('/started'))) {
    try {
      process.kill(-Number(readFileSync(join(state, name), 'utf8')), 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** A home, a state folder and a working folder of `baton watch`. */
export function watchPlace(): { root: string; folder: string; env: Record<string, string> } {
  const root = temporaryFolder('baton-watch');
  atEnd(() => killCommands(root));
  return {
    root,
    folder: root,
    env: {
      HOME: root,
      XDG_STATE_HOME: join(root, 'state'),
      CLAUDE_CONFIG_DIR: join(root, 'claude'),
      CODEX_HOME: join(root, 'codex'),
    },
  };
}

/** Starts `baton watch --json` as a process. */
export async function startWatch(
  place: { folder: string; env: Record<string, string> },
  args: string[],
  env: Record<string, string> = {},
): Promise<Watching> {
  const { PATH } = process.env;
  const child = endsWithThisProcess(
    spawn(process.execPath, [await bundled('cli/baton.ts'), 'watch', '--json', ...args], {
      cwd: place.folder,
      env: { PATH, ...place.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  atEnd(() => void child.kill('SIGKILL'));
  const lines: WatchLine[] = [];
  let stderr = '';
  createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line) as WatchLine));
  createInterface(child.stderr).on('line', (line) => (stderr += `${line}\n`));
  const exited = new Promise<number | string>(
    (resolve) => void child.once('close', (code, signal) => resolve(signal ?? code ?? 0)),
  );
  return { lines, stderr: () => stderr, kill: (signal) => void child.kill(signal), exited };
}
