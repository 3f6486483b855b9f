import { setTimeout as pause } from 'node:timers/promises';
import { startServer, type ServerProcess } from './server.ts';

export interface Probed extends ServerProcess {
  /** The processor time of the main thread in the longest turn of the event loop since the last call, in milliseconds. */
  longestTurn(): Promise<number>;
}

/** A server that measures the turns of its event loop. */
export async function startProbed(databaseUrl: string, env: Record<string, string> = {}): Promise<Probed> {
  const probe = new URL('longestTurn.mjs', import.meta.url).href;
  const server = await startServer({
    databaseUrl,
    env: { BATON_DEMO: '0', NODE_OPTIONS: `--import ${probe}`, ...env },
  });
  return {
    ...server,
    async longestTurn() {
      const lines = server.logs.length;
      process.kill(server.pid, 'SIGUSR2');
      for (;;) {
        const line = server.logs.slice(lines).find((each) => each.startsWith('longest turn'));
        if (line !== undefined) return Number(/[\d.]+/.exec(line)![0]);
        await pause(5);
      }
    },
  };
}
