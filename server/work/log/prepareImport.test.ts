import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import type { ReadyEntry, ReadyMessage } from './preparation.ts';
import { prepareImport } from './prepareImport.ts';
import { maxBytes } from './transcripts/clean.ts';
import { piecesOf } from './transcripts/lines.ts';

// A session that does not exist yet has no known lines: nothing is queried.
const pool = {} as Pool;

async function onlyMessage(chunks: AsyncIterable<string>): Promise<ReadyMessage> {
  const prepared = await prepareImport(pool, { sessionId: null, chunks, format: 'AUTO', sidechain: false });
  const found: ReadyEntry[] = [];
  for await (const some of prepared.entries([])) found.push(...some);
  const [message, ...others] = found;
  if (message?.kind !== 'message' || others.length > 0) throw new Error('not one message');
  return message;
}

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
  const { content } = await onlyMessage(chunks());
  expect(Buffer.byteLength(content)).toBeLessThanOrEqual(maxBytes);
  expect(content).toContain(`[... ${200 * (text.length + 2) - 2 - maxBytes} bytes more were not kept]`);
});

test('keeps 500 parts of a message, and gives the number of bytes of the others', async () => {
  const content = Array.from({ length: 20_000 }, () => ({ type: 'text', text: 'a' }));
  const line = JSON.stringify({ type: 'assistant', uuid: 'u', sessionId: 's', message: { id: 'm', content } });
  const { content: stored } = await onlyMessage(piecesOf(line));
  expect(stored).toBe(`${Array(500).fill('a').join('\n\n')}\n[... ${(20_000 - 500) * 3} bytes more were not kept]`);
});
