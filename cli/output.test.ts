import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { oneLine, print, printJson, printLine, tell, tellLine } from './output.ts';

afterEach(() => void vi.restoreAllMocks());

/** What reaches the terminal. */
function written(write: () => void): string {
  const parts: string[] = [];
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((part) => parts.push(String(part)) > 0);
  write();
  vi.restoreAllMocks();
  return parts.join('');
}

const code = fc.constantFrom(
  ...[
    '\u001B[2J',
    '\u001B]8;;https://evil.example\u0007x\u001B]8;;\u0007',
    '\u009B31m',
    '\u0007',
    '\rover',
    '\b',
    '\u007F',
  ],
  ...['\u202A', '\u202E', '\u2066', '\u2069', '\u200E', '\u061C', '\u2028', '\u2029', '\uFEFF', '\u0085', '\u0000'],
);
const text = fc
  .array(fc.oneof(code, fc.string({ unit: 'binary' }), fc.constantFrom('\n', '\t', 'a')), { maxLength: 20 })
  .map((parts) => parts.join(''));
const harmful = /[\0-\x08\x0B-\x1F\x7F-\x9F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/;

it('no text reaches the terminal with codes of terminals or of the direction of text', () => {
  fc.assert(
    fc.property(text, (given) => {
      expect(written(() => print(given))).not.toMatch(harmful);
      expect(written(() => tell(given))).not.toMatch(harmful);
      expect(oneLine(given)).not.toMatch(/[\n\t]/);
      expect(oneLine(given)).not.toMatch(harmful);
      for (const write of [printLine, tellLine]) expect(written(() => write(given))).toMatch(/^[^\n\t]*\n$/);
      const json = written(() => printJson({ given }, 2));
      expect(json).not.toMatch(harmful);
      expect(JSON.parse(json)).toEqual({ given });
    }),
  );
});

it('lines, tabs and joined emoji stay', () => {
  expect(written(() => print('a\r\n\tb \u{1F469}\u200D\u{1F4BB}'))).toBe('a\n\tb \u{1F469}\u200D\u{1F4BB}\n');
});
