import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { startServer, type ServerProcess } from '../test/server.ts';
import type { Place } from './place.ts';

export interface Probed extends ServerProcess {
  /** The processor time of the main thread in the longest turn of the event loop since the last call, in milliseconds. */
  longestTurn(): Promise<number>;
  /** In MB. */
  memoryOf(name: 'VmHWM' | 'VmRSS'): number;
}

/** A server that measures the turns of its event loop. */
export async function startProbed(
  place: Place,
  databaseUrl: string,
  env: Record<string, string> = {},
): Promise<Probed> {
  const probe = new URL('../test/longestTurn.mjs', import.meta.url).href;
  const server = await startServer({
    databaseUrl,
    env: { BATON_DEMO: '0', NODE_OPTIONS: `--import ${probe}`, ...env },
  });
  place.atEnd(async () => void (await server.kill()));
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
    memoryOf: (name) =>
      Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))![1]) / 1_024,
  };
}
