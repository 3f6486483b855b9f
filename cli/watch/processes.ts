import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Runs the command once for a folder: the link is made by the first process only. The process outlives `baton watch`, so its
 * standard input, output and exit code are files. The trap lets it write the exit code of a command that was stopped.
 */
const script = `echo $$ > "$0/pid.$$" && ln "$0/pid.$$" "$0/started" || exit 0
trap : TERM INT HUP
sh -c "$1" < "$0/prompt" > "$0/output" 2>&1
echo $? > "$0/exit.new" && mv "$0/exit.new" "$0/exit"`;

/** Starts the command in a process group of its own. Resolves when it runs or another process has started it. */
export async function startCommand(folder: string, command: string, env: Record<string, string>): Promise<void> {
  const child = spawn('sh', ['-c', script, folder, command], {
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, ...env },
  });
  let failed: Error | undefined;
  child
    .once('error', (error) => (failed = error))
    .once('exit', () => (failed ??= new Error(`The command could not be started in ${folder}`)));
  while (!isStarted(folder)) {
    if (failed !== undefined && !isStarted(folder)) throw failed;
    await wait(10);
  }
  child.unref();
}

export const isStarted = (folder: string): boolean => existsSync(join(folder, 'started'));

const pollMs = 100;

/** Resolves with the exit code when the command has ended; null when it was killed before it could leave one. */
export async function ended(folder: string): Promise<number | null> {
  const pid = pidOf(folder);
  // The pid may belong to another process by now.
  const isOurs = (): boolean => argumentsOf(pid).includes(folder);
  const runs = hasProc || !isOurs() ? isOurs : (): boolean => isAlive(pid);
  for (;;) {
    const code = exitCode(folder);
    if (code !== null) return code;
    // It writes its exit code before it ends.
    if (!runs()) return exitCode(folder);
    await wait(pollMs);
  }
}

/** Sends a signal to the command and its children. */
export function signalCommand(folder: string, signal: NodeJS.Signals): void {
  const pid = pidOf(folder);
  if (exitCode(folder) !== null || !argumentsOf(pid).includes(folder)) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}

const pidOf = (folder: string): number => Number(readFileSync(join(folder, 'started'), 'utf8'));

function exitCode(folder: string): number | null {
  const path = join(folder, 'exit');
  return existsSync(path) ? Number(readFileSync(path, 'utf8')) : null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const hasProc = existsSync('/proc/self/stat');

/** The arguments of a process; empty when it does not run. */
function argumentsOf(pid: number): string {
  if (hasProc) return existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : '';
  return spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
}

/** When a process started, in units of the system; null when it does not run. With its number it names a process. */
export function startOf(pid: number): string | null {
  if (!isAlive(pid)) return null;
  if (!hasProc)
    return (
      spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout.replaceAll(/\W/g, '') || null
    );
  try {
    // The name in parentheses may contain blanks.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    // A process that ended stays in the list until its parent asks for it.
    return fields[0] === 'Z' ? null : fields[19]!;
  } catch {
    return null;
  }
}
