import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client, send } from '../../../test/graphql.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { secretFor } from '../../../test/keyring.ts';
import { fixture } from '../../../test/readTranscripts.ts';
import { startApp } from '../../../test/server.ts';
import { transcriptShapes } from '../../../test/transcripts.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';

const database = await testDatabase();
const { agent, session } = world(database.pool);
await agent('ada', { maxCapacity: 100 });
const transcript = await readFile(fixture('claude-tasks'));
const [one, other] = [await secretFor(database.pool, 'OPERATOR'), await secretFor(database.pool, 'OPERATOR')];

interface Upload {
  outgoing: ClientRequest;
  answer: Promise<{ status: number; retryAfter: string | undefined; body: string }>;
}

/** An upload of which nobody knows how long it is, until `end`. */
async function open(url: string, key: string): Promise<Upload> {
  const id = encodeId('session', await session('ada'));
  const outgoing = request(`${url}/sessions/${id}/transcript`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${key}` },
  });
  outgoing.on('error', () => undefined);
  const answer = once(outgoing, 'response').then(async ([response]: IncomingMessage[]) => ({
    status: response!.statusCode!,
    retryAfter: response!.headers['retry-after'],
    body: await text(response!),
  }));
  outgoing.write(transcript);
  return { outgoing, answer };
}

test('answers 503 with Retry-After to a large upload that gets no turn in time, and changes nothing', async () => {
  const { url } = await startApp(database, { uploads: { atOnce: 1, waitMs: 300 } });
  const first = await open(url, one);
  const second = await open(url, other);
  // One of the two has its turn, and keeps it until its file ends.
  const refused = await Promise.race([first.answer, second.answer]);
  expect(refused).toMatchObject({
    status: 503,
    retryAfter: '5',
    body: expect.stringContaining('UNAVAILABLE') as string,
  });
  const before = await hashAllTables(database.pool);
  const third = await open(url, one);
  expect((await third.answer).status).toBe(503);
  expect((await hashAllTables(database.pool)).tables['messages']).toEqual(before.tables['messages']);
  first.outgoing.end();
  second.outgoing.end();
  expect((await Promise.all([first.answer, second.answer])).map(({ status }) => status).sort()).toEqual([200, 503]);
});

test('gives the next turn to the key with the fewest, and answers small uploads and queries meanwhile', async () => {
  const patient = { bytes: 1, ms: 60_000 };
  const { url } = await startApp(database, { uploads: { atOnce: 2, ofKey: 2, waitMs: 20_000, slowest: patient } });
  const running = [await open(url, one), await open(url, one)];
  const [queued, late] = [await open(url, one), await open(url, other)];
  const small = await send(`${url}/sessions/${encodeId('session', await session('ada'))}/transcript`, {
    method: 'POST',
    body: transcript,
    headers: { authorization: `Bearer ${one}` },
  });
  expect(small.status).toBe(200);
  expect((await client(url, { key: other }).post('{ viewer { role } }')).errors).toBeUndefined();
  const done: string[] = [];
  void queued.answer.then(() => done.push('queued'));
  void late.answer.then(() => done.push('late'));
  queued.outgoing.end();
  late.outgoing.end();
  running[0]!.outgoing.end();
  expect((await running[0]!.answer).status).toBe(200);
  expect((await late.answer).status).toBe(200);
  running[1]!.outgoing.end();
  expect((await queued.answer).status).toBe(200);
  expect((await running[1]!.answer).status).toBe(200);
  expect(done).toEqual(['late', 'queued']);
});

test('ends an upload that sends too slowly with 408, and gives its turn to the next one', async () => {
  const { url } = await startApp(database, {
    uploads: { atOnce: 1, waitMs: 20_000, slowest: { bytes: 100_000, ms: 200 } },
  });
  const before = await hashAllTables(database.pool);
  const slow = await open(url, one);
  const refused = await slow.answer;
  expect(refused).toMatchObject({
    status: 408,
    body: expect.stringMatching(/fewer than 100000 bytes came in 200 ms: nothing was changed/) as string,
  });
  expect((await hashAllTables(database.pool)).tables['messages']).toEqual(before.tables['messages']);
  const next = await open(url, other);
  next.outgoing.end();
  expect((await next.answer).status).toBe(200);
});

test('takes all of twenty uploads that come at once', async () => {
  const { url } = await startApp(database, { uploads: { waitMs: 60_000 } });
  const keys = await Promise.all(Array.from({ length: 20 }, () => secretFor(database.pool, 'OPERATOR')));
  const uploads = await Promise.all(keys.map((key) => open(url, key)));
  for (const { outgoing } of uploads) outgoing.end(' '.repeat(2 * limits.uploads.turnBytes));
  const answers = await Promise.all(uploads.map(({ answer }) => answer));
  expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
});

test('frees the turn of a sender that has gone', async () => {
  const { url } = await startApp(database, { uploads: { atOnce: 1, waitMs: 20_000 } });
  const first = await open(url, one);
  first.answer.catch(() => undefined);
  const second = await open(url, other);
  second.outgoing.end();
  // Whichever came first.
  first.outgoing.destroy();
  expect((await second.answer).status).toBe(200);
});

test('waits for a sender only while it has read all that came: its own slow reading does not count', async () => {
  const { url } = await startApp(database, {
    http: { requestWithin: 100, checkedEvery: 20, requestBytes: limits.http.requestBytes },
  });
  const imported = await send(`${url}/sessions/new/transcript?agentId=ada`, {
    method: 'POST',
    body: transcriptShapes['short turns']!(6_000_000),
    headers: { authorization: `Bearer ${one}` },
  });
  expect(imported.status).toBe(200);
}, 120_000);
