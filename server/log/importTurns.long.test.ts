import { expect, test } from 'vitest';
import { setTimeout as pause } from 'node:timers/promises';
import { testDatabase } from '../../test/database.ts';
import { send } from '../../test/graphql.ts';
import { startServer } from '../../test/server.ts';
import { transcriptShapes } from '../../test/transcripts.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
await world(db.pool).agent('ada', { maxCapacity: 100 });
const probe = new URL('../../test/longestTurn.mjs', import.meta.url).href;
const server = await startServer({ databaseUrl: db.url, env: { BATON_DEMO: '0', NODE_OPTIONS: `--import ${probe}` } });

/** Processor time, so that other programs on the machine do not count. */
async function longestTurn(): Promise<number> {
  const before = server.logs.length;
  process.kill(server.pid, 'SIGUSR2');
  for (;;) {
    const line = server.logs.slice(before).find((each) => each.startsWith('longest turn'));
    if (line !== undefined) return Number(/[\d.]+/.exec(line)![0]);
    await pause(5);
  }
}

async function upload(body: string): Promise<number> {
  for (;;) {
    const { status } = await send(`${server.url}/sessions/new/transcript?agentId=ada`, { method: 'POST', body });
    if (status !== 503) return status;
    await pause(1_000);
  }
}

const MB = 1_000_000;
/** Cheap shapes at the largest size of an upload. */
const size: Record<string, number> = {
  'a long day of work': 64 * MB,
  'giant lines': 64 * MB,
  'parts of one message': 64 * MB,
};

test.each(Object.entries(transcriptShapes))(
  'an import of %s holds no turn of the event loop for 100 ms',
  async (name, make) => {
    expect(await upload(make(200_000))).toBe(200);
    await longestTurn();
    expect(await upload(make(size[name] ?? 16 * MB))).toBe(200);
    expect(await longestTurn()).toBeLessThan(100);
  },
  600_000,
);
