import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { made, madeFormats, madeOtherwise } from '../../../../test/madeTranscripts.ts';
import { fixture, readText } from '../../../../test/readTranscripts.ts';
import { faultIn } from './json.ts';

/** Texts that look like the structure of a file. */
const lures = [
  '"messages": [',
  '{"sessionId":"s","projectHash":"h","messages":[{"id":"m","type":"user","content":"x"}]}',
  '{"type":"session_meta","payload":{"id":"x"}}',
  '{"type":"user","uuid":"u","sessionId":"s","message":{"content":"x"}}',
  '\n# aider chat started at 2026-03-02 09:00:00\n',
];
const inner = fc.oneof(
  fc.constantFrom(...lures),
  fc.constantFrom(...madeFormats).map((format) => made[format]({ said: 'Mend the gate.', output: 'done' })),
  fc.constantFrom('claude-compaction', 'codex-rollout').map((name) => readFileSync(fixture(name), 'utf8')),
);

test('reads a file as its outer format, whatever texts of other formats it holds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...(Object.entries(made) as typeof madeOtherwise), ...madeOtherwise),
      fc.array(inner, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('said', 'output', 'answer'),
      async ([format, write], texts, place) => {
        // A history in Markdown has no mark by which an answer could not end: only its kind is sure.
        const isPlain = format === 'AIDER';
        const text = write({ [place]: texts.join('\n') });
        const read = await readText(text);
        expect(read.format).toBe(format);
        if (isPlain) return;
        expect(read.facts).toMatchObject({ badLines: 0, unknownTypes: [], humanMessages: 1 });
        expect(JSON.stringify(read.entries)).toContain(JSON.stringify(texts[0]!.trim().slice(0, 60)).slice(1, -1));
      },
    ),
    { numRuns: 100 },
  );
});

test('finds the first character because of which a text is no JSON', () => {
  const value = fc.json({ maxDepth: 4 });
  fc.assert(
    fc.property(value, (text) => {
      expect(faultIn(text)).toBeNull();
      expect(faultIn(JSON.stringify(JSON.parse(text), null, 2))).toBeNull();
    }),
  );
  fc.assert(
    fc.property(value, fc.nat(), fc.string({ maxLength: 3 }), (text, at, part) => {
      const spoilt = text.slice(0, at % (text.length + 1)) + part + text.slice((at % (text.length + 1)) + part.length);
      const valid = ((): boolean => {
        try {
          JSON.parse(spoilt);
          return true;
        } catch {
          return false;
        }
      })();
      expect(faultIn(spoilt) === null).toBe(valid);
    }),
    { numRuns: 2_000 },
  );
  expect([faultIn('{"a": 1, '), faultIn('{"a": [1,]}'), faultIn('{"a": tru'), faultIn('{} x')]).toEqual([9, 9, 9, 3]);
});
