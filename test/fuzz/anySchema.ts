import { anything, chance, type Dice, size, text, times } from './mutate.ts';

const patterns = [
  '^a+$',
  '(a+)+$',
  '^(\\w+\\s?)*$',
  '[',
  '(?<=a)b',
  '\\p{L}+',
  '.{0,1000}{0,1000}',
  '^[a-z]{2,5}$',
  '',
];
const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null', 'nothing'];
const names = ['goal', 'items', 'a', 'b', '__proto__', 'constructor', 'toString', ''];

/** A JSON Schema by its grammar: most are valid, some refer to themselves, are large or ask for what does not exist. */
export function anySchema(dice: Dice, depth = 4): unknown {
  if (chance(dice, 3)) return anything(dice);
  if (depth === 0 || chance(dice, 5)) return dice.pick([true, false, {}]);
  const inner = (): unknown => anySchema(dice, depth - 1);
  const many = (largest: number): number => (chance(dice, 4) ? size(dice, largest) : dice.below(4));
  const keywords: [string, () => unknown][] = [
    ['type', () => (chance(dice, 80) ? dice.pick(types) : [dice.pick(types), dice.pick(types)])],
    [
      'properties',
      () =>
        Object.fromEntries(
          times(many(1_000), (n) => [n < names.length ? dice.pick(names) : `p${n}`, n < 20 ? inner() : true]),
        ),
    ],
    ['required', () => times(many(10_000), (n) => (chance(dice, 50) ? dice.pick(names) : `p${n}`))],
    ['items', inner],
    ['prefixItems', () => times(many(100), inner)],
    ['additionalProperties', inner],
    ['patternProperties', () => ({ [dice.pick(patterns)]: inner() })],
    ['propertyNames', inner],
    ['unevaluatedProperties', inner],
    ['dependentSchemas', () => ({ [dice.pick(names)]: inner() })],
    ['allOf', () => times(many(1_000), () => (chance(dice, 30) ? inner() : { minLength: 1 }))],
    ['anyOf', () => times(many(1_000), () => (chance(dice, 30) ? inner() : { maxLength: 1 }))],
    ['oneOf', () => times(many(300), () => (chance(dice, 30) ? inner() : { type: 'string' }))],
    ['not', inner],
    ['if', inner],
    ['then', inner],
    ['contains', inner],
    ['uniqueItems', () => true],
    ['enum', () => times(many(10_000), (n) => (chance(dice, 50) ? { n } : text(dice, 20)))],
    ['const', () => anything(dice, 2)],
    ['pattern', () => dice.pick(patterns)],
    ['format', () => dice.pick(['date-time', 'email', 'uri', 'regex', 'nothing'])],
    ['minimum', () => dice.pick([0, -1, 1e308, 'x'])],
    ['multipleOf', () => dice.pick([1, 0.1, 0, -1])],
    ['minItems', () => dice.pick([0, 1, -1, 2 ** 31])],
    ['maxLength', () => dice.pick([0, 10, 0.5])],
    [
      '$ref',
      () =>
        dice.pick(['#', '#/$defs/a', '#/$defs/nowhere', '#anchor', 'http://127.0.0.1/schema', '%', '#/properties/a']),
    ],
    ['$defs', () => ({ a: inner(), b: { $ref: '#/$defs/a' } })],
    ['$id', () => dice.pick(['http://127.0.0.1/schema', '#', 'x'])],
    ['$anchor', () => 'anchor'],
    ['$dynamicRef', () => '#anchor'],
    [
      '$schema',
      () => dice.pick(['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#', 'x']),
    ],
    ['description', () => text(dice, 100)],
    ['default', () => anything(dice, 1)],
    ['unknownWord', () => 1],
  ];
  return Object.fromEntries(
    times(1 + dice.below(4), () => dice.pick(chance(dice, 60) ? keywords.slice(0, 4) : keywords)).map(
      ([name, make]) => [name, make()],
    ),
  );
}
