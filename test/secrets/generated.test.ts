import { expect, test } from 'vitest';
import { familiesOfCarriers, generated, generatedHarmless, generatedManifests } from './generated.ts';
import { heldOutGenerated, heldOutGeneratedHarmless } from './heldOutGenerated.ts';
import { isKept, redacted } from './judge.ts';
import type { Sample } from './samples.ts';

const describe = ({ kind, form, written }: Sample): string =>
  `${kind}, ${form}: ${redacted(written).stored.slice(0, 300)}`;

function recallOf(what: string, samples: readonly Sample[]): { recall: number; missed: string } {
  const missed = samples.filter((sample) => !isKept(sample));
  const recall = 1 - missed.length / samples.length;
  console.log(`${what}: ${samples.length - missed.length}/${samples.length} (${recall.toFixed(4)})`);
  return { recall, missed: missed.slice(0, 40).map(describe).join('\n') };
}

test.each(familiesOfCarriers)('redacts at least 98 in 100 generated values in %s', (family) => {
  const { recall, missed } = recallOf(family, generated(family, 4));
  expect(recall, missed).toBeGreaterThanOrEqual(0.98);
});

test('redacts all data of Secrets of Kubernetes', () => {
  const { recall, missed } = recallOf('manifests', generatedManifests(4));
  expect(recall, missed).toBe(1);
});

test('redacts private keys without BEGIN and END, and keeps public keys', () => {
  const { recall } = recallOf(
    'private keys',
    heldOutGenerated(5, 4).filter(({ kind }) => kind === 'private key'),
  );
  expect(recall).toBeGreaterThanOrEqual(0.97);
  const publicKeys = heldOutGeneratedHarmless(5, 4).filter(({ kind }) => kind.startsWith('public key'));
  expect(publicKeys.filter(({ written }) => redacted(written).count > 0)).toEqual([]);
});

test('redacts at least 97 in 100 values of the held-out generator', () => {
  const { recall, missed } = recallOf('held-out generator', heldOutGenerated(1, 3));
  expect(recall, missed).toBeGreaterThanOrEqual(0.97);
});

test('redacts at most 1 in 100 generated texts without a secret', () => {
  for (const texts of [generatedHarmless(), heldOutGeneratedHarmless(2, 4)]) {
    const wrong = texts.filter(({ written }) => redacted(written).count > 0);
    console.log(`harmless texts taken for secrets: ${wrong.length}/${texts.length}`);
    expect(
      wrong.length / texts.length,
      wrong.map(({ written }) => redacted(written).stored.slice(0, 200)).join('\n'),
    ).toBeLessThanOrEqual(0.01);
  }
});
