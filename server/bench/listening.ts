import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface Listening {
  url: string;
  stop(): Promise<void>;
}

/** A process that says in a line of JSON at which `url` it listens. */
export async function startListening(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<Listening> {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(program, args, { env: { PATH, HOME, TMPDIR, NODE_ENV: 'production', ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  const said: string[] = [];
  const gone = new Promise<void>((resolve) => {
    child.once('close', () => {
      process.off('exit', end);
      resolve();
    });
  });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stderr).on('line', (line) => said.push(line));
    createInterface(child.stdout).on('line', (line) => {
      said.push(line);
      const found = line.startsWith('{') ? (JSON.parse(line) as { url?: string }).url : undefined;
      if (found !== undefined) resolve(found);
    });
    void gone.then(() => reject(new Error(`${program} ${args.join(' ')} did not start:\n${said.join('\n')}`)));
  });
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await gone;
    },
  };
}
