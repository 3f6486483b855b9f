import { once, setMaxListeners } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { startServer } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';

const MB = 1024 * 1024;
const fileBytes = 60_000_000;

const db = await testDatabase();
const { agent, session } = world(db.pool);
await agent('ada', { maxCapacity: 100 });
const server = await startServer({ databaseUrl: db.url });

afterEach(async () => {
  expect(await brokenInvariants(db.pool)).toEqual([]);
});

/** Steps with a message, a call and its result. One character beyond Latin-1 doubles a text in memory. */
function* transcript(bytes = fileBytes): Generator<string> {
  const said = 'It goes on. '.repeat(1_000);
  const printed = 'a line of what the tool printed → src/garden/bed.ts\n'.repeat(500);
  const common = { sessionId: 'large', timestamp: '2026-03-02T09:00:00Z' };
  for (let sent = 0, n = 0; sent < bytes; n += 1) {
    const call = { type: 'tool_use', id: `call-${n}`, name: 'Bash', input: { command: `make ${n}` } };
    const step = [
      {
        ...common,
        uuid: `a${n}`,
        type: 'assistant',
        message: {
          id: `m${n}`,
          content: [{ type: 'text', text: `Step ${n}. ${said}` }, call],
          usage: { input_tokens: 3, output_tokens: 10 },
        },
      },
      {
        ...common,
        uuid: `u${n}`,
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: `call-${n}`, content: printed }] },
      },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('');
    sent += Buffer.byteLength(step);
    yield step;
  }
}

interface Answer {
  status: number | null;
  retryAfter: number;
  body: unknown;
}

async function send(id: string, signal?: AbortSignal, bytes = fileBytes): Promise<Answer> {
  const outgoing = request(`${server.url}/sessions/${id}/transcript`, {
    method: 'POST',
    agent: false,
    ...(signal && { signal }),
  });
  try {
    outgoing.on('error', () => undefined);
    Readable.from(transcript(bytes))
      .on('error', () => undefined)
      .pipe(outgoing);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return {
      status: response.statusCode!,
      retryAfter: Number(response.headers['retry-after'] ?? 1),
      body: await json(response),
    };
  } catch {
    return { status: null, retryAfter: 1, body: null };
  } finally {
    outgoing.destroy();
  }
}

interface Report {
  messagesAdded: number;
  toolCallsAdded: number;
}

/** Imports the file into a new session. While the server is busy it sends the file again, as `npm run import` does. Null: it was aborted. */
async function upload(signal?: AbortSignal): Promise<Report | null> {
  const id = encodeId('session', await session('ada'));
  for (;;) {
    const { status, retryAfter, body } = await send(id, signal);
    if (status === 200) return body as Report;
    if (signal?.aborted) return null;
    expect([503, 408, null]).toContain(status);
    await wait(retryAfter * 1_000);
  }
}

/** A figure of the server's memory in bytes: `VmRSS` now, `VmHWM` the peak. Null where the system has none. */
function memory(figure: 'VmRSS' | 'VmHWM'): number | null {
  const status = `/proc/${server.pid}/status`;
  if (!existsSync(status)) return null;
  return Number(new RegExp(`${figure}:\\s+(\\d+) kB`).exec(readFileSync(status, 'utf8'))?.[1]) * 1024;
}

test('an import of 60 MB takes less than 150 MB of memory more than a small one', async () => {
  expect((await send(encodeId('session', await session('ada')), undefined, 1)).status).toBe(200);
  const before = memory('VmRSS');
  const { messagesAdded, toolCallsAdded } = (await upload())!;
  expect([messagesAdded, toolCallsAdded]).toEqual([[...transcript()].length, messagesAdded]);
  if (before !== null) expect(memory('VmHWM')! - before).toBeLessThan(150 * MB);
}, 300_000);

test('of twenty imports of 60 MB that come at once one after the other ends, with less than 600 MB of memory, and those that give up change nothing', async () => {
  const others = new AbortController();
  setMaxListeners(20, others.signal);
  const reports: Report[] = [];
  const uploads = Array.from({ length: 20 }, async () => {
    const report = await upload(others.signal);
    if (report !== null) reports.push(report);
    // All twenty wait and send from the start: the rest would only take as long again.
    if (reports.length >= 3) others.abort();
  });
  await Promise.all(uploads);
  const whole = [...transcript()].length;
  expect(new Set(reports.map(({ messagesAdded }) => messagesAdded))).toEqual(new Set([whole]));
  const peak = memory('VmHWM');
  if (peak !== null) expect(peak).toBeLessThan(600 * MB);
  // What was being written for one that gave up ends, whole or not at all.
  const counts =
    'SELECT count(m.id)::int AS messages FROM sessions s LEFT JOIN messages m ON m.session_id = s.id GROUP BY s.id';
  const kinds = async () =>
    new Set((await db.pool.query<{ messages: number }>(counts)).rows.map(({ messages }) => messages));
  // The first test made a small import.
  await expect.poll(kinds, { timeout: 120_000, interval: 500 }).toEqual(new Set([whole, 0, 1]));
}, 1_800_000);
