import fc from 'fast-check';
import { expect, it } from 'vitest';
import { InvalidPayloadError, InvalidToolArgumentsError } from './errors.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.nat(100_000).map((n) => '\u{1F600}'.repeat(n)),
);
const problems = fc.array(fc.record({ path: fc.array(text, { maxLength: 3 }), message: text }), { maxLength: 60 });

it('problems of arguments and of payloads are the first 20, each short, whatever names a caller gives', () => {
  fc.assert(
    fc.property(problems, text, (given, name) => {
      for (const error of [new InvalidToolArgumentsError(name, given, null), new InvalidPayloadError(given, {})]) {
        expect(error.problems).toHaveLength(Math.min(given.length, 20));
        for (const [at, { path, message }] of error.problems.entries()) {
          expect(message.length).toBeLessThanOrEqual(501);
          for (const part of path) expect(part.length).toBeLessThanOrEqual(201);
          const short = given[at]!;
          if (short.message.length <= 500) expect(message).toBe(short.message);
          expect(path).toHaveLength(short.path.length);
        }
        expect(error.message.length).toBeLessThan(7_000);
        if (given.length > 5) expect(error.message).toContain(`and ${given.length - 5} more`);
      }
    }),
    { numRuns: 50 },
  );
});
