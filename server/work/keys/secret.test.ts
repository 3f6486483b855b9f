import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isMeantAsSecret, looksLikeSecret, newSecret } from './secret.ts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

test('rejects a secret with one wrong, missing or additional character without a look-up', () => {
  fc.assert(
    fc.property(fc.nat(48), fc.constantFrom(...letters), (at, letter) => {
      const secret = newSecret();
      const [begin, old, end] = [secret.slice(0, 6 + at), secret[6 + at]!, secret.slice(7 + at)];
      expect(looksLikeSecret(secret)).toBe(true);
      expect(looksLikeSecret(begin + letter + end)).toBe(letter === old);
      expect(looksLikeSecret(begin + end)).toBe(false);
      expect(looksLikeSecret(begin + letter + old + end)).toBe(false);
      expect([begin + letter + end, begin + end].every(isMeantAsSecret)).toBe(true);
    }),
  );
});

test('looks up a secret from before checksums', () => {
  expect(looksLikeSecret(`baton_${randomBytes(32).toString('base64url')}`)).toBe(true);
});
