import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundled } from './bundle.ts';
import { endsWithThisProcess } from './children.ts';
import { atEnd } from './database.ts';
import { temporaryFolder } from './temporary.ts';

/** A line of `baton run --json`. */
export interface RunLine {
  event: string;
  session?: string;
  agent?: string;
  text?: string;
  step?: number;
  model?: string;
  words?: string;
  calls?: { name: string; error: string | null }[];
  modelMs?: number;
  addedMs?: number;
}

export interface Running {
  lines: RunLine[];
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  pid: number;
  /** The exit code, or the signal that ended it. */
  exited: Promise<number | string>;
}

/** A folder with these files, for `--folder`. Values that are no texts are written as JSON. */
export function runFolder(files: Record<string, unknown>): string {
  const folder = temporaryFolder('baton-run');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

/** Starts `baton run --json`, or another command, as a process that has only this environment. */
export async function startRun(
  folder: string,
  args: string[],
  env: Record<string, string> = {},
  command: string[] = ['run', '--json'],
): Promise<Running> {
  const { PATH } = process.env;
  const child = endsWithThisProcess(
    spawn(process.execPath, [await bundled('cli/baton.ts'), ...command, ...args], {
      cwd: folder,
      env: { PATH, HOME: folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  atEnd(() => void child.kill('SIGKILL'));
  const lines: RunLine[] = [];
  let stderr = '';
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line.startsWith('{"at"') ? (JSON.parse(line) as RunLine) : { event: 'text', text: line });
  });
  createInterface(child.stderr).on('line', (line) => (stderr += `${line}\n`));
  const exited = new Promise<number | string>(
    (resolve) => void child.once('close', (code, signal) => resolve(signal ?? code ?? 0)),
  );
  return { lines, stderr: () => stderr, kill: (signal) => void child.kill(signal), pid: child.pid ?? 0, exited };
}
