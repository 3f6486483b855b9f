import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ask } from './api.ts';
import { startBaton } from './listening.ts';
import type { Place } from './place.ts';
import { digits, spread, type Line } from './report.ts';
import { alternate } from './rounds.ts';

const idleMs = 10_000;

/** Measures the time from the command to the first answer with embedded PostgreSQL, and the idle memory. */
export async function start(place: Place): Promise<Line[]> {
  const folders: string[] = [];
  const newFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'baton-test-start-'));
    folders.push(folder);
    return folder;
  };
  place.atEnd(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });
  const firstAnswer = async (folder: string, env: Record<string, string>): Promise<number> => {
    const started = performance.now();
    const server = await startBaton({ BATON_DATA: folder, ...env });
    await ask(server.url, '{ viewer { role } }');
    const ms = performance.now() - started;
    await server.stop();
    return ms;
  };
  const existing = newFolder();
  const { again, first } = await alternate(3, {
    again: () => firstAnswer(existing, {}),
    // With the demonstration data of a first start.
    first: () => firstAnswer(newFolder(), { BATON_DEMO: '1' }),
  });
  const server = await startBaton({ BATON_DATA: existing });
  await ask(server.url, '{ viewer { role } }');
  await wait(idleMs);
  const memory = memoryOf(server.pid);
  await server.stop();
  return [
    { what: 'Start to first answer, existing data, embedded PostgreSQL', figure: spread(again, 'ms') },
    { what: 'The same with an empty folder: database made, migrated, story loaded', figure: spread(first, 'ms') },
    {
      what: `Memory of the server process, idle for ${idleMs / 1_000} s after its first answer`,
      figure: memory === null ? 'unknown on this system' : `${digits(memory)} MB`,
    },
  ];
}

/** Resident memory in MB; null where the system does not report it. */
function memoryOf(pid: number): number | null {
  const status = `/proc/${pid}/status`;
  return existsSync(status) ? Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1]) / 1_024 : null;
}
