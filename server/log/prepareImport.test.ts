import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import { prepareImport } from './prepareImport.ts';
import { Cleaner, maxBytes } from './transcripts/clean.ts';
import { piecesOf } from './transcripts/lines.ts';

// A session that does not exist yet has no known lines: nothing is queried.
const pool = {} as Pool;

test('redacts no more of a long message than it stores, and gives the number of dropped bytes', async () => {
  const text = 'of plain words '.repeat(2_000);
  const lines = Array.from(
    { length: 200 },
    (_, n) =>
      `${JSON.stringify({ type: 'assistant', uuid: `u${n}`, sessionId: 's', message: { id: 'm', content: [{ type: 'text', text }] } })}\n`,
  );
  async function* chunks() {
    for (const line of lines) yield Promise.resolve(line);
  }
  const { entries } = await prepareImport(pool, {
    sessionId: null,
    chunks: chunks(),
    format: 'AUTO',
    sidechain: false,
  });
  const [said] = entries;
  if (said?.kind !== 'message') throw new Error('not a message');
  expect(said.parts).toHaveLength(Math.ceil(maxBytes / text.length) + 1);
  const content = new Cleaner().text(said.parts.map((part) => part.text).join('\n\n'), undefined, said.unkept);
  expect(Buffer.byteLength(content)).toBeLessThanOrEqual(maxBytes);
  expect(content).toContain(`[... ${200 * (text.length + 2) - 2 - maxBytes} bytes more were not kept]`);
});

test('keeps 500 parts of a message, and gives the number of bytes of the others', async () => {
  const content = Array.from({ length: 20_000 }, () => ({ type: 'text', text: 'a' }));
  const line = JSON.stringify({ type: 'assistant', uuid: 'u', sessionId: 's', message: { id: 'm', content } });
  const { entries } = await prepareImport(pool, {
    sessionId: null,
    chunks: piecesOf(line),
    format: 'AUTO',
    sidechain: false,
  });
  expect(entries).toMatchObject([{ parts: { length: 500 }, unkept: (20_000 - 500) * 3 }]);
});
