import { spawn } from 'node:child_process';

/** Starts `baton run` beside the server. It ends with this process: then its channel closes. */
export function startRunner(url: string, env: NodeJS.ProcessEnv, output: 'inherit' | 'ignore'): void {
  const [, program = ''] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, program, 'run', '--url', url], {
    env,
    stdio: ['ignore', output, output, 'ipc'],
  });
  // The server goes on without it.
  child.on('error', () => undefined);
  child.unref();
  child.channel?.unref();
}
