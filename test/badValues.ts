import { unknownId } from './refusals.ts';
import type { IdPrefix } from '../server/core/ids.ts';

/** Values that each kind of field rejects in any state. */
export type Bad = readonly unknown[];

const KB = 1024;
const unstorable = ['a NUL \0 inside', 'half a pair \uD83D', '\uDE00 the other half'];

export const text = (most: { bytes: number } | { characters: number }): Bad => [
  ...unstorable,
  // Two bytes per character tests a byte limit; two UTF-16 units per character tests a character limit.
  'bytes' in most ? 'é'.repeat(most.bytes / 2 + 1) : '😀'.repeat(most.characters + 1),
];
export const nonBlank = (most: { bytes: number } | { characters: number }): Bad => ['', ' \n\t\u00a0', ...text(most)];

export const idOf = (prefix: IdPrefix): Bad => [
  '',
  'nonsense',
  'ada',
  unknownId(prefix === 'handoff' ? 'session' : 'handoff'),
  unknownId(prefix).slice(0, -1),
  unknownId(prefix).toUpperCase(),
  // More than 128 bits.
  `${prefix}_8zzzzzzzzzzzzzzzzzzzzzzzzz`,
  `${unknownId(prefix)}\0`,
];
export const agentId: Bad = [
  '',
  'Ada',
  'ada lovelace',
  '-ada',
  'ada-',
  'a'.repeat(53),
  'adá',
  'ada\n',
  'ada\0',
  unknownId('session'),
  unknownId('handoff'),
];
/** A target may be named by any text. */
export const agentMeant: Bad = [...nonBlank({ characters: 200 }), unknownId('session'), unknownId('handoff')];
export const agentType: Bad = ['', 'claude', '1CLAUDE', 'CLAUDE-2', 'CLAUDE\n', 'C'.repeat(51), 'ÇA'];

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
export const json = (bytes = 64 * KB): Bad => [
  nested(33),
  { list: Array.from({ length: 3 }, () => nested(32)) },
  { deep: [{ text: unstorable[0] }] },
  { deep: [unstorable[1]] },
  { [unstorable[0]!]: 1 },
  { [unstorable[2]!]: 1 },
  { long: 'é'.repeat(bytes / 2) },
  // Above the safe integers.
  { number: 2 ** 53 },
];
export const contextVariables: Bad = [
  ...json(),
  [],
  'text',
  7,
  true,
  { _private: 1 },
  { fine: 1, __proto: 1 },
  { '': 1 },
  { ['n'.repeat(129)]: 1 },
];
export const integer = (least: number, most?: number): Bad => [
  least - 1,
  -(2 ** 31),
  ...(most === undefined ? [] : [most + 1, 2 ** 31 - 1]),
];
export const listWith = (bad: Bad, rest: readonly unknown[] = []): Bad => bad.map((value) => [...rest, value]);
