import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bundled } from './bundled.ts';

test('returns each caller its own value, reads one bundle at a time, and limits its size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(50), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 20 }),
      async (keys, most) => {
        let [reading, bundles] = [0, 0];
        const find = bundled(async (bundle: number[]) => {
          reading += 1;
          bundles += 1;
          expect(reading).toBe(1);
          expect(bundle.length).toBeLessThanOrEqual(most);
          await new Promise(setImmediate);
          reading -= 1;
          if (bundle.includes(13)) throw new Error('unlucky');
          return new Map(bundle.filter((key) => key % 2 === 0).map((key) => [key, `found ${key}`]));
        }, most);
        const asked = keys.map((key) =>
          find(key).then(
            (found) => ({ key, found }),
            () => null,
          ),
        );
        for (const answer of await Promise.all(asked)) {
          if (answer !== null) expect(answer.found).toBe(answer.key % 2 === 0 ? `found ${answer.key}` : undefined);
        }
        if (!keys.includes(13)) expect(await Promise.all(asked)).not.toContain(null);
        expect(bundles).toBe(1 + Math.ceil((keys.length - 1) / most));
      },
    ),
  );
});

test('rejects only the callers of a failed bundle', async () => {
  let away = true;
  const find = bundled(async (keys: string[]) => {
    if (away) throw new Error('away');
    return new Map(keys.map((key) => [key, key]));
  });
  await expect(find('a')).rejects.toThrow('away');
  away = false;
  expect(await find('a')).toBe('a');
});
