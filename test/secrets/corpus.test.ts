import { expect, test } from 'vitest';
import { realDataFolder } from '../realData.ts';
import { falseAlarms, fileSamples, saidSamples } from './files.ts';
import { harmlessSamples } from './harmless.ts';
import { heldOutSamples } from './heldOut.ts';
import { heldOutHarmless } from './heldOutHarmless.ts';
import { isKept, redacted } from './judge.ts';
import { kindsOfTokens, lookAlikes } from './kinds.ts';
import { placeSamples } from './places.ts';
import { realTexts } from './realTexts.ts';
import type { Harmless, Sample } from './samples.ts';
import { tokenSamples } from './tokens.ts';
import { wrapped } from './wrappings.ts';

const secrets = [
  ...tokenSamples(),
  ...placeSamples(),
  ...kindsOfTokens().flatMap(([kind, secret]) => wrapped(kind, secret)),
  ...fileSamples(),
  ...saidSamples(),
];
const harmless = [...harmlessSamples(), ...lookAlikes(), ...falseAlarms()];

/** By kind, how many of how many. */
function tally<T extends { kind: string }>(
  samples: readonly T[],
  counts: (sample: T) => boolean,
): Map<string, { is: number; of: number }> {
  const kinds = new Map<string, { is: number; of: number }>();
  for (const sample of samples) {
    const { is, of } = kinds.get(sample.kind) ?? { is: 0, of: 0 };
    kinds.set(sample.kind, { is: is + Number(counts(sample)), of: of + 1 });
  }
  return kinds;
}

/** The sum, and each kind that differs from what is wanted. */
function print(what: string, kinds: Map<string, { is: number; of: number }>, wanted: 'all' | 'none'): void {
  const all = [...kinds.values()];
  const [is, of] = [all.reduce((sum, kind) => sum + kind.is, 0), all.reduce((sum, kind) => sum + kind.of, 0)];
  const others = [...kinds]
    .filter(([, kind]) => kind.is !== (wanted === 'all' ? kind.of : 0))
    .map(([kind, count]) => `, ${kind} ${count.is}/${count.of}`);
  console.log(`${what}: ${is}/${of} (${(is / of).toFixed(4)}) of ${kinds.size} kinds${others.join('')}`);
}

const describe = ({ kind, form, written }: Sample): string =>
  `${kind}, ${form}: ${redacted(written).stored.slice(0, 300)}`;
const isTaken = ({ written }: Harmless): boolean => redacted(written).count > 0;

test('redacts at least 97 in 100 secrets of 80 kinds, and 90 in 100 of each kind', () => {
  const kinds = tally(secrets, isKept);
  print('secrets kept out', kinds, 'all');
  expect(kinds.size).toBeGreaterThanOrEqual(80);
  expect(secrets.length).toBeGreaterThanOrEqual(3_500);
  const missed = secrets.filter((sample) => !isKept(sample));
  expect(missed.length / secrets.length, missed.map(describe).join('\n')).toBeLessThanOrEqual(0.03);
  expect([...kinds].filter(([, { is, of }]) => is / of < 0.9)).toEqual([]);
});

test('redacts 97 in 100 secrets of a held-out corpus, and at most 1 in 100 of its harmless texts', () => {
  const [samples, others] = [heldOutSamples(), heldOutHarmless()];
  print('held-out secrets kept out', tally(samples, isKept), 'all');
  print('held-out harmless texts taken', tally(others, isTaken), 'none');
  const [missed, wrong] = [samples.filter((sample) => !isKept(sample)), others.filter(isTaken)];
  expect(missed.length / samples.length, missed.map(describe).join('\n')).toBeLessThanOrEqual(0.03);
  expect(
    wrong.length / others.length,
    wrong.map(({ written }) => redacted(written).stored).join('\n'),
  ).toBeLessThanOrEqual(0.01);
});

test('redacts at most 1 in 100 harmless texts', () => {
  print('harmless texts taken for secrets', tally(harmless, isTaken), 'none');
  expect(harmless.length).toBeGreaterThanOrEqual(250);
  const wrong = harmless.filter(isTaken);
  expect(
    wrong.length / harmless.length,
    wrong.map(({ written }) => redacted(written).stored.slice(0, 300)).join('\n'),
  ).toBeLessThanOrEqual(0.01);
});

// A test configuration of Phoenix, and the change that wrote it; a key in a test in Rust.
const isReallySecret = (text: string): boolean =>
  /secret_key_base: \\*"\[redacted: secret\]|api_key: Some\(\\*"\[redacted: api key\]/.test(text);

test.skipIf(realDataFolder === undefined)(
  'redacts nothing harmless in real transcripts',
  () => {
    const texts = realTexts();
    print('real texts taken for secrets', tally(texts, isTaken), 'none');
    expect(texts.length).toBeGreaterThan(5_000);
    const taken = texts.filter(isTaken).map(({ written }) => redacted(written).stored);
    expect(
      taken
        .filter((text) => !isReallySecret(text))
        .map((text) => text.slice(Math.max(0, text.indexOf('[redacted: ') - 100)).slice(0, 200)),
    ).toEqual([]);
  },
  60_000,
);

test('replaces every secret by its kind, and counts it', () => {
  for (const sample of secrets.filter(isKept)) {
    const { stored, count, kinds } = redacted(sample.written);
    expect(count, describe(sample)).toBeGreaterThan(0);
    expect(stored.match(/\[redacted: [a-z0-9. ]+\]/g)?.length).toBe(count);
    expect(Object.values(kinds).reduce((sum, number) => sum + number)).toBe(count);
  }
});

test('changes nothing in redacted text', () => {
  for (const { written } of [...secrets, ...harmless]) {
    const { stored } = redacted(written);
    expect(redacted({ text: stored }).stored).toBe(stored);
  }
});

test('keeps JSON valid', () => {
  const isJson = (text: string): boolean => {
    try {
      return typeof JSON.parse(text) === 'object';
    } catch {
      return false;
    }
  };
  const texts = [...secrets, ...harmless].flatMap(({ written }) =>
    'text' in written && isJson(written.text) ? [written.text] : [],
  );
  expect(texts.length).toBeGreaterThan(40);
  expect(texts.filter((text) => !isJson(redacted({ text }).stored))).toEqual([]);
});
