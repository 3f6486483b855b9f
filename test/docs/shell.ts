import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
// Packages are installed, and `npm start`'s build runs before the tests.
const setUp = 'set -euo pipefail; npm() { [ "$1" = ci ] || command npm "$@"; }';
const quietly = { npm_config_ignore_scripts: 'true', npm_config_loglevel: 'silent', LOG_LEVEL: 'info' };

export interface Running {
  stdout(): string;
  /** Ends the command and its children. */
  stop(): Promise<void>;
}

/** Runs a shell block to its end, or until it prints `until`. @throws with both outputs when it fails or ends early */
export async function runShell(script: string, env: Record<string, string>, until?: string): Promise<Running> {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn('bash', ['-c', `${setUp}\n${script}`], {
    cwd: root,
    env: { PATH, HOME, TMPDIR, ...quietly, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  const closed = new Promise<number | null>((resolve) => void child.once('close', resolve));
  const printed = new Promise<'printed'>((resolve) => {
    child.stdout.on('data', (data: Buffer) => {
      stdout += data.toString();
      if (until !== undefined && stdout.includes(until)) resolve('printed');
    });
  });
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  const end = await Promise.race([closed, printed]);
  if (end !== (until === undefined ? 0 : 'printed')) throw new Error(`ended with ${end}:\n${stdout}\n${stderr}`);
  return {
    stdout: () => stdout,
    async stop() {
      if (child.exitCode === null) process.kill(-child.pid!, 'SIGTERM');
      await closed;
    },
  };
}
