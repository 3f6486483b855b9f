import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client, send } from '../../../test/graphql.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { startServer } from '../../../test/server.ts';
import { workTranscript } from '../../../test/transcripts.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';

const db = await testDatabase();
const { agent, session } = world(db.pool);
await agent('ada');

const MB = 1024 * 1024;

/** The most memory that a process has held so far, where the system tells. */
function peakOf(pid: number): number | null {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return null;
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1]) * 1024;
}

it('a server that imports 3 MB answers other requests meanwhile and stays under 300 MB', async () => {
  const server = await startServer({ databaseUrl: db.url });
  const { post } = client(server.url);
  const id = encodeId('session', await session('ada'));
  let imported = false;
  const upload = send(`${server.url}/sessions/${id}/transcript`, {
    method: 'POST',
    body: workTranscript(3 * MB),
  }).finally(() => (imported = true));
  let answered = 0;
  while (!imported) {
    const { errors } = await post('{ viewer { role } }');
    expect(errors).toBeUndefined();
    answered += 1;
  }
  const { status, body } = await upload;
  expect([status, JSON.parse(body)]).toMatchObject([200, { badLines: 0, turnsAdded: 1 }]);
  expect(answered).toBeGreaterThan(3);
  const peak = peakOf(server.pid);
  if (peak !== null) expect(peak).toBeLessThan(300 * MB);
  expect(await brokenInvariants(db.pool)).toEqual([]);
});
