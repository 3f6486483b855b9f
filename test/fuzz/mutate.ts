import { agentId, contextVariables, idOf, json, nonBlank } from '../badValues.ts';
import type { Random } from '../soak/random.ts';

export type Dice = Random;

export const chance = (dice: Dice, percent: number): boolean => dice.below(100) < percent;
export const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** Small and large: sizes near powers of ten, seldom large. */
export const size = (dice: Dice, largest: number): number => dice.below(10 ** (1 + dice.below(Math.log10(largest))));

const badValues: readonly unknown[] = [
  ...json(8 * 1024),
  ...contextVariables,
  ...nonBlank({ characters: 500 }),
  ...nonBlank({ bytes: 4 * 1024 }),
  ...agentId,
  ...idOf('session'),
  null,
  -0,
  -1,
  1e308,
  2 ** 31,
  2 ** 53,
  0.1,
  [],
  {},
  [[]],
  [null],
  { __proto__: null, constructor: { prototype: 1 } },
  JSON.parse('{"__proto__": {"admin": true}}') as unknown,
];

/** Texts that mean something to a lexer, a parser or a pattern somewhere behind. */
const sharp = [
  '"',
  '"""',
  '\\',
  '\\u',
  '\\ud800',
  '\u0000',
  '\ufeff',
  '\ud83d',
  '\u202e',
  '\u001b[2J',
  '{',
  '}',
  '[',
  ']',
  '(',
  ')',
  ':',
  '#',
  '$',
  '@skip(if: true)',
  '...',
  '... on Agent',
  '...F0',
  '__typename',
  '__proto__',
  'null',
  'true',
  '-1',
  '1e999',
  '99999999999999999999',
  '%00',
  '%zz',
  '..%2f',
  '\r\n',
  '\n---\n',
  '<!-- ',
  '```',
  '&a [*a, *a]',
  '!!js/function',
  '{{TASK}}',
  '${x}',
  "' OR 1=1 --",
  '(a+)+$',
  'api_key=abc ',
  'password: hunter2 ',
  'Bearer abc.def.ghi',
  '-----BEGIN RSA PRIVATE KEY-----',
  '# Handoff\n',
  'transfer_to_claude_1',
  'é',
  '中',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
];

const words = 'handoff plan review the code of bed 7 and then write tests for it because nobody did so yet'.split(' ');

export function text(dice: Dice, largest = 2_000): string {
  switch (dice.below(6)) {
    case 0:
      return dice.pick(sharp).repeat(1 + size(dice, largest) / 4);
    case 1:
      return times(size(dice, largest) / 5, () => dice.pick(sharp)).join(dice.pick(['', ' ', '\n']));
    case 2:
      return JSON.stringify(dice.pick(badValues));
    default:
      return times(1 + dice.below(12), () => dice.pick(words)).join(' ');
  }
}

export function anything(dice: Dice, depth = 4): unknown {
  const kind = dice.below(depth === 0 ? 4 : 7);
  if (kind === 0) return dice.pick(badValues);
  if (kind === 1) return text(dice, 200);
  if (kind === 2) return dice.below(1_000) - 20;
  if (kind === 3) return chance(dice, 50);
  if (kind === 4) return times(dice.below(5), () => anything(dice, depth - 1));
  return Object.fromEntries(times(dice.below(5), () => [dice.pick(words), anything(dice, depth - 1)]));
}

/** Cuts, doubles, moves, replaces and inserts parts of a text, and parts of others. */
export function mutateText(dice: Dice, original: string, others: readonly string[]): string {
  let now = original;
  const most = chance(dice, 80) ? 3 : 30;
  for (let n = 0; n <= dice.below(most); n += 1) {
    const at = dice.below(now.length + 1);
    // Mostly at the bounds of words: other places are refused early.
    const from = chance(dice, 70) ? Math.max(now.lastIndexOf(' ', at), 0) : at;
    const length = size(dice, 1_000);
    const part = now.slice(from, from + length);
    const other = dice.pick(others);
    const begin = dice.below(other.length + 1);
    const [before, after] = [now.slice(0, from), now.slice(from + length)];
    now = [
      () => before + after,
      () => before + part.repeat(1 + size(dice, 100)) + after,
      () => before + dice.pick(sharp) + part + after,
      () => before + dice.pick(sharp).repeat(1 + size(dice, 1_000)) + after,
      () => before + other.slice(begin, begin + length) + part + after,
      () => before + text(dice, 1_000) + after,
      () => after + before,
      () => before + part.replaceAll(/\d+/g, () => String(dice.pick([0, -1, 2 ** 31, 1e21, dice.below(100)]))) + after,
    ][dice.below(8)]!();
    if (now.length > 400_000) now = now.slice(0, 400_000);
  }
  return now;
}

/** Removes, replaces, doubles and moves members of a JSON value. */
export function mutateJson(dice: Dice, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || chance(dice, 5)) {
    if (typeof value === 'string' && chance(dice, 50)) return mutateText(dice, value, sharp);
    return chance(dice, 60) ? anything(dice) : value;
  }
  const entries: [string, unknown][] = Object.entries(value);
  if (entries.length === 0) return anything(dice);
  const at = dice.below(entries.length);
  const [name, member] = entries[at]!;
  switch (dice.below(6)) {
    case 0:
      entries.splice(at, 1);
      break;
    case 1:
      entries[at] = [name, anything(dice)];
      break;
    case 2:
      entries.push(...times(size(dice, 1_000), (n): [string, unknown] => [`${name}${n}`, member]));
      break;
    case 3:
      entries[at] = [name, dice.pick(entries)[1]];
      break;
    default:
      entries[at] = [name, mutateJson(dice, member)];
  }
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}
