import { readFileSync } from 'node:fs';
import { startProbed, type Probed } from '../test/probed.ts';
import type { Place } from './place.ts';

export interface Measured extends Probed {
  /** In MB. */
  memoryOf(name: 'VmHWM' | 'VmRSS'): number;
}

/** A server that measures the turns of its event loop and its memory. */
export async function startMeasured(
  place: Place,
  databaseUrl: string,
  env: Record<string, string> = {},
): Promise<Measured> {
  const server = await startProbed(databaseUrl, env);
  place.atEnd(async () => void (await server.kill()));
  return {
    ...server,
    memoryOf: (name) =>
      Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))![1]) / 1_024,
  };
}
