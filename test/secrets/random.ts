const alphabets = {
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  hex: '0123456789abcdef',
  digits: '0123456789',
  letters: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  mixed: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  url: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
};

/** Values from a sequence of numbers that begins at a seed: the same seed gives the same values. */
export type Random = Record<keyof typeof alphabets, (length: number) => string> & {
  /** From the first to the last, inclusive. */
  between: (first: number, last: number) => number;
  chance: (share: number) => boolean;
  of: <T>(list: readonly T[]) => T;
  some: <T>(list: readonly T[], count: number) => T[];
  shuffled: <T>(list: readonly T[]) => T[];
  bytes: (length: number) => Buffer;
};

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  // mulberry32
  const next = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  const text =
    (letters: string) =>
    (length: number): string =>
      Array.from({ length }, () => letters[next(letters.length)]!).join('');
  const shuffled = <T>(list: readonly T[]): T[] => {
    const left = [...list];
    return Array.from(list, () => left.splice(next(left.length), 1)[0]!);
  };
  return {
    upper: text(alphabets.upper),
    hex: text(alphabets.hex),
    digits: text(alphabets.digits),
    letters: text(alphabets.letters),
    mixed: text(alphabets.mixed),
    url: text(alphabets.url),
    between: (first, last) => first + next(last - first + 1),
    chance: (share) => next(1_000) < share * 1_000,
    of: (list) => list[next(list.length)]!,
    some: (list, count) => shuffled(list).slice(0, count),
    shuffled,
    bytes: (length) => Buffer.from(Array.from({ length }, () => next(256))),
  };
}
