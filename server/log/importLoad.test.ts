import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { encodeId } from '../core/ids.ts';
import { testDatabase } from '../testing/database.ts';
import { client, send } from '../testing/graphql.ts';
import { brokenInvariants } from '../testing/invariants.ts';
import { startServer } from '../testing/server.ts';
import { world } from '../testing/world.ts';

const db = await testDatabase();
const { agent, session } = world(db.pool);
await agent('ada');

const MB = 1024 * 1024;

/** As much as a long day's work, in the shape that real transcripts have: most of it results, and progress that nobody keeps. */
function transcript(bytes: number): string {
  const lines: string[] = [];
  const add = (entry: object): number => lines.push(JSON.stringify({ sessionId: 'load', uuid: `u${lines.length}`, timestamp: '2026-03-02T09:00:00Z', ...entry }));
  const words = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n} of what the tool printed, src/garden/bed-${n % 17}.ts:${n}\n`).join('');
  for (let size = 0, n = 0; size < bytes; n += 1) {
    const from = lines.length;
    add({ type: 'assistant', message: { id: `m${n}`, content: [{ type: 'text', text: `Step ${n}.` }, { type: 'tool_use', id: `c${n}`, name: 'Bash', input: { command: `make ${n}` } }], usage: { input_tokens: 3, output_tokens: 10 } } });
    for (let hook = 0; hook < 5; hook += 1) add({ type: 'progress', data: { type: 'hook_progress', command: words(5) } });
    add({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: `c${n}`, content: words(150) }] }, toolUseResult: { stdout: words(150) } });
    size += lines.slice(from).reduce((sum, line) => sum + line.length + 1, 0);
  }
  return lines.join('\n');
}

/** The most memory that a process has held so far, where the system tells. */
function peakOf(pid: number): number | null {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return null;
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1]) * 1024;
}

it('a server that imports 3 MB answers others meanwhile, and never holds more than 300 MB', async () => {
  const server = await startServer({ databaseUrl: db.url });
  const { post } = client(server.url);
  const id = encodeId('session', await session('ada'));
  let imported = false;
  const upload = send(`${server.url}/sessions/${id}/transcript`, { method: 'POST', body: transcript(3 * MB) }).finally(() => (imported = true));
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
