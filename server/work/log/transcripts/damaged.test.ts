import fc from 'fast-check';
import { expect, test } from 'vitest';
import { made, madeFormats } from '../../../../test/madeTranscripts.ts';
import { readText } from '../../../../test/readTranscripts.ts';
import { readTranscript } from './detect.ts';

const format = fc.constantFrom(...madeFormats);
const transcript = fc
  .record({ said: fc.constantFrom('Mend the fence.', 'Repariere die Tür: ✓'), output: fc.string({ maxLength: 40 }) })
  .chain((texts) => format.map((name) => ({ name, text: made[name](texts) })));

/** Pieces of random sizes. */
async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}
const refusal = (bytes: Uint8Array, size: number): Promise<Record<string, unknown> | null> =>
  readTranscript(inPieces(bytes, size), { format: 'AUTO', sidechain: false }).then(
    () => null,
    (error: unknown) => error as Record<string, unknown>,
  );
const size = fc.integer({ min: 1, max: 400 });
const linesBefore = (bytes: Uint8Array): number => bytes.filter((byte) => byte === 0x0a).length;
const naming = (line: number): object => ({
  code: 'BAD_USER_INPUT',
  path: ['input', 'content'],
  message: expect.stringMatching(new RegExp(`\\bline ${line}: `)) as string,
});
const isWhole = (line: string): boolean => {
  try {
    return line.trim() === '' || typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
};

test('refuses a file that was cut anywhere but between its lines, and names the line', async () => {
  await fc.assert(
    fc.asyncProperty(transcript, fc.nat(), size, async ({ name, text }, at, pieces) => {
      const bytes = Buffer.from(text);
      const cut = bytes.subarray(0, at % bytes.length);
      const isDocument = text.startsWith('{\n');
      const last = cut.toString('utf8').split('\n').at(-1)!;
      const found = await refusal(cut, pieces);
      if (cut.toString().trim() === '')
        expect(found).toMatchObject({ message: expect.stringContaining('it is empty') as string });
      else if (isDocument || (!isWhole(last) && isText(name) === false))
        expect(found).toMatchObject(naming(linesBefore(cut) + (last.trim() === '' ? 0 : 1)));
      else expect(found === null || /line \d+: /.test(String(found['message']))).toBe(true);
    }),
    { numRuns: 150 },
  );
});

/** Formats of plain text, which has no structure that a cut could break. */
const isText = (name: string): boolean => name === 'AIDER';

test('refuses a file with a line that is not text in UTF-8, or overwritten with NUL characters, and names the line', async () => {
  await fc.assert(
    fc.asyncProperty(
      transcript,
      fc.nat(),
      fc.constantFrom(0x00, 0xff, 0xc3),
      size,
      async ({ text }, at, byte, pieces) => {
        const bytes = Buffer.from(text);
        const places = [...bytes.keys()].filter((each) => bytes[each] !== 0x0a && bytes[each]! < 0x80);
        const place = places[at % places.length]!;
        bytes[place] = byte;
        // A NUL in text is replaced and counted.
        const found = await refusal(bytes, pieces);
        if (byte !== 0 || found !== null)
          expect(found).toMatchObject(naming(linesBefore(bytes.subarray(0, place)) + 1));
      },
    ),
    { numRuns: 150 },
  );
});

test.each(madeFormats)('refuses a file of %s in another encoding, and names the line', async (name) => {
  const text = made[name]({ said: 'Repariere die Tür.' });
  const line = text.slice(0, text.indexOf('Tür')).split('\n').length;
  expect(await refusal(Buffer.from(text, 'latin1'), 100)).toMatchObject(naming(line));
  expect(await refusal(Buffer.from(`\uFEFF${text}`, 'utf16le'), 100)).toMatchObject(naming(1));
  expect(await refusal(Buffer.from(made[name]({}), 'utf16le'), 100)).toMatchObject({
    message: expect.stringMatching(/line [12]: .*NUL characters/) as string,
  });
});

test('reads a file whose lines were swapped, or refuses it and names a line', async () => {
  await fc.assert(
    fc.asyncProperty(transcript, fc.nat(), fc.nat(), async ({ name, text }, a, b) => {
      const lines = text.trimEnd().split('\n');
      const [one, other] = [a % lines.length, b % lines.length];
      [lines[one], lines[other]] = [lines[other]!, lines[one]!];
      const read = await readText(lines.join('\n')).catch((error: unknown) => error);
      if (read instanceof Error) expect(read.message).toMatch(/line \d+/);
      else expect(read).toMatchObject({ format: name, facts: { badLines: 0 } });
    }),
    { numRuns: 200 },
  );
});

test('refuses any other text or JSON, and names the line', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.json(),
        fc.object().map((value) => JSON.stringify(value, null, 2)),
      ),
      fc.constantFrom('AUTO' as const, ...madeFormats),
      async (text, given) => {
        await expect(readText(text, { format: given })).rejects.toMatchObject({
          code: 'BAD_USER_INPUT',
          message: expect.stringMatching(/line \d+: |it is empty/) as string,
        });
      },
    ),
    { numRuns: 150 },
  );
});
