import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import { transcriptShapes } from '../../../test/transcripts.ts';
import { silentLog } from '../../infra/log.ts';
import { withPrepared } from './importThread.ts';
import type { Prepared, ReadyEntry } from './preparation.ts';
import { prepareImport } from './prepareImport.ts';

// A session that does not exist yet has no known lines: nothing is queried.
const pool = {} as Pool;
const options = { sessionId: null, format: 'AUTO', sidechain: false } as const;

/** Parts of a text that end anywhere, also within a character. */
function* cut(text: string, bytes: number): Generator<Uint8Array> {
  const all = Buffer.from(text);
  for (let from = 0; from < all.length; from += bytes) yield all.subarray(from, from + bytes);
}

async function whole(prepared: Prepared) {
  const parts: (readonly ReadyEntry[])[] = [];
  for await (const part of prepared.entries([])) parts.push(part);
  return { parts, ...prepared, entries: parts.flat() };
}

const inThread = <Result>(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  use: (prepared: Prepared) => Promise<Result>,
) => withPrepared({ pool, log: silentLog, principal: 'key' }, { ...options, chunks, hasTurn: false }, use);

test.each(Object.entries(transcriptShapes))('a thread prepares %s as this one does', async (_name, make) => {
  const text = make(60_000);
  const here = await whole(await prepareImport(pool, { ...options, chunks: cutAsync(text) }));
  expect(here.entries.length).toBeGreaterThan(0);
  expect(await inThread(cut(text, 4_099), whole)).toEqual(here);
});

async function* cutAsync(text: string): AsyncGenerator<Uint8Array> {
  yield* cut(text, 65_536);
}

test('gives entries in parts of at most 500 and about 128 KB, as often as they are read', async () => {
  const text = transcriptShapes['short turns']!(1_500_000);
  await inThread(cut(text, 65_536), async (prepared) => {
    const first = await whole(prepared);
    expect(first.parts.length).toBeGreaterThan(2);
    for (const part of first.parts) {
      expect(part.length).toBeLessThanOrEqual(500);
      expect(JSON.stringify(part).length).toBeLessThan(600_000);
    }
    expect((await whole(prepared)).entries).toEqual(first.entries);
  });
});

test('leaves out the entries of lines that the log has got since', async () => {
  const text = transcriptShapes['short turns']!(5_000);
  await inThread(cut(text, 65_536), async (prepared) => {
    const all: ReadyEntry[] = [];
    for await (const part of prepared.entries([0, 2])) all.push(...part);
    const { entries } = await whole(await prepareImport(pool, { ...options, chunks: cutAsync(text) }));
    expect(all).toEqual(entries.filter((_, index) => index !== 0 && index !== 2));
  });
});

test('a file that breaks off, or is refused, leaves the thread to the next one', async () => {
  const text = transcriptShapes['short turns']!(200_000);
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield* cut(text.slice(0, 100_000), 65_536);
    throw new Error('broken off');
  }
  await expect(inThread(broken(), whole)).rejects.toThrow('broken off');
  await expect(inThread(cut('no transcript', 4), whole)).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    path: ['input', 'content'],
    message: expect.stringMatching(/^input.content is not a known transcript/) as string,
  });
  expect((await inThread(cut(text, 65_536), whole)).facts.humanMessages).toBeGreaterThan(100);
});
