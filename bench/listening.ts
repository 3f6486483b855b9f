import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { endsWithThisProcess } from '../test/children.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface Listening {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** Starts the server as `npm start` does. */
export const startBaton = (env: Record<string, string>): Promise<Listening> =>
  startListening(process.execPath, ['--import', 'tsx', 'server/main.ts'], { PORT: '0', BATON_DEMO: '0', ...env });

/** Starts a process that prints its `url` in a line of JSON. */
export async function startListening(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Listening> {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = endsWithThisProcess(
    spawn(program, args, {
      cwd: root,
      env: { PATH, HOME, TMPDIR, NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  const said: string[] = [];
  const gone = new Promise<void>((resolve) => void child.once('close', () => resolve()));
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
    pid: child.pid!,
    async stop() {
      child.kill('SIGTERM');
      await gone;
    },
  };
}
