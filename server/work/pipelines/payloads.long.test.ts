import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takeCore } from '../../../test/busyCore.ts';
import { check, type Verdict } from './checks.ts';
import { faultOfSchema, faultOfShape } from './payloads.ts';

const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `n${n}`);
const named = (count: number, of: (name: string) => unknown): object =>
  Object.fromEntries(names(count).map((name) => [name, of(name)]));
const level = (n: number): object =>
  n === 9 ? (true as never) : { allOf: [{ $ref: `#/$defs/n${n + 1}` }, { $ref: `#/$defs/n${n + 1}` }] };

/** Each is as large as a definition may be, and of a kind of its own. */
const schemas: Record<string, object> = {
  required: { items: { required: names(1_990) } },
  properties: { items: { properties: named(900, () => ({ type: 'string' })) } },
  allOf: { items: { allOf: names(600).map((name) => ({ required: [name] })) } },
  anyOf: { items: { anyOf: names(600).map((name) => ({ required: [name] })) } },
  oneOf: { items: { oneOf: names(600).map((name) => ({ required: [name] })) } },
  'enum of objects': { items: { enum: names(900).map((a) => ({ a })) } },
  patternProperties: { items: { patternProperties: named(600, () => ({ type: 'string' })) } },
  prefixItems: { prefixItems: names(900).map(() => ({ type: 'string' })) },
  dependentRequired: { items: { dependentRequired: named(600, (name) => [`${name}n`]) } },
  uniqueItems: { items: { uniqueItems: true } },
  pattern: { items: { pattern: '^(a+)+$' } },
  references: {
    $defs: { ...named(9, (name) => level(Number(name.slice(1)))), n9: true },
    items: { $ref: '#/$defs/n0' },
  },
};
const payloads: Record<string, unknown> = {
  'empty objects': Array.from({ length: 20_000 }, () => ({})),
  objects: Array.from({ length: 20 }, () => named(300, () => 1)),
  'different objects': [Array.from({ length: 6_000 }, (_, a) => ({ a }))],
  'a text that backtracks': [`${'a'.repeat(60_000)}!`],
};

const verdictOf = (schema: object, payload: unknown) => check('ada', JSON.stringify(schema), JSON.stringify(payload));

const spentMs = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6;

describe('the largest schemas and payloads', () => {
  let others: ChildProcess[] = [];
  beforeAll(() => void (others = [1, 2].map(() => takeCore())));
  afterAll(() => others.forEach((other) => void other.kill('SIGKILL')));

  it('use neither the event loop nor more than their time and memory, and honest payloads pass beside them', async () => {
    for (const schema of Object.values(schemas)) expect(faultOfShape(schema)).toBeNull();
    let longest = 0;
    let before = spentMs();
    const timer = setInterval(() => {
      longest = Math.max(longest, spentMs() - before);
      before = spentMs();
    });
    const asked = Object.entries(schemas).map(([name, schema]) => [name, JSON.stringify(schema)] as const);
    const texts = Object.values(payloads).map((payload) => JSON.stringify(payload));
    const memory = process.memoryUsage().rss;
    const ended: string[] = [];
    let isOver = false;
    const attacks = (async () => {
      for (const [name, schema] of asked)
        for (const text of texts) {
          const verdict: Verdict = await check('attacker', schema, text);
          if ('fault' in verdict) ended.push(`${name}: ${verdict.fault}`);
        }
      isOver = true;
    })();
    const honest = JSON.stringify({
      type: 'object',
      required: ['goal'],
      properties: { goal: { pattern: '^[a-z ]+$' } },
    });
    let passed = 0;
    while (!isOver) {
      expect(await check('honest', honest, '{"goal":"ship it"}')).toEqual({ problems: [] });
      passed += 1;
      await new Promise((resolve) => void setImmediate(resolve));
    }
    await attacks;
    clearInterval(timer);
    expect(new Set(ended)).toContain('pattern: time');
    expect(passed).toBeGreaterThan(100);
    expect(longest).toBeLessThan(100);
    expect(process.memoryUsage().rss - memory).toBeLessThan(600_000_000);
    if (process.env['SHOW']) console.log({ longest, passed, ended, grown: process.memoryUsage().rss - memory });
  }, 240_000);
});

describe('a payload', () => {
  it('has the verdict of plain Ajv, whatever the schema and the payload', async () => {
    // What every object inherits is the name of a property like others.
    const name = fc.constantFrom('a', 'b', 'c', 'valueOf', 'toString', 'constructor', 'length');
    (createRequire(import.meta.url)('ajv/dist/runtime/equal') as { default: unknown }).default = isDeepStrictEqual;
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>(null, true, 0, 1.5, -2, '', 'a', 'abc'),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
      ),
    }));
    const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
      const part = tie('schema');
      const parts = fc.array(part, { minLength: 1, maxLength: 3 });
      const byName = fc.dictionary(name, part, { maxKeys: 3, noNullPrototype: true });
      const some = fc.nat({ max: 3 });
      const keywords = {
        type: fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'boolean', 'null'),
        enum: fc.array(value, { minLength: 1, maxLength: 3 }),
        const: value,
        required: fc.uniqueArray(name),
        properties: byName,
        patternProperties: fc.dictionary(fc.constantFrom('^a', 'b$', '.'), part, { maxKeys: 2 }),
        additionalProperties: part,
        propertyNames: part,
        dependentSchemas: byName,
        dependentRequired: fc.constant({ a: ['b'] }),
        unevaluatedProperties: part,
        unevaluatedItems: part,
        items: part,
        prefixItems: parts,
        contains: part,
        minContains: some,
        uniqueItems: fc.boolean(),
        minItems: some,
        maxItems: some,
        minProperties: some,
        maxProperties: some,
        minLength: some,
        maxLength: some,
        pattern: fc.constantFrom('^a', 'b', '^(a+)+$'),
        minimum: some,
        exclusiveMaximum: some,
        multipleOf: fc.constantFrom(1, 0.5),
        allOf: parts,
        anyOf: parts,
        oneOf: parts,
        not: part,
        if: part,
        then: part,
        else: part,
        $ref: fc.constant('#/$defs/tree'),
      };
      return {
        schema: fc.oneof({ maxDepth: 3 }, fc.boolean(), fc.record(keywords, { requiredKeys: [] }).map(few)),
      };
    });
    const $defs = { tree: { type: 'object', additionalProperties: { $ref: '#/$defs/tree' } } };
    await fc.assert(
      fc.asyncProperty(schema, value, async (generated, payload) => {
        const whole = typeof generated === 'boolean' ? { allOf: [generated] } : { ...(generated as object), $defs };
        if (await isRefused(whole)) return;
        expect(await verdictOf(whole, payload)).toEqual(plainVerdict(whole, payload));
      }),
      { numRuns: 150 },
    );
  }, 120_000);
});

const isRefused = async (schema: object): Promise<boolean> =>
  (faultOfShape(schema) ?? (await faultOfSchema('ada', schema))) !== null;

describe('a schema that was accepted', () => {
  const places = ['whole', 'a', 'b'];
  const pointers: Record<string, string> = { whole: '#', a: '#/$defs/a', b: '#/$defs/b' };
  const { part } = fc.letrec<{ part: object }>((tie) => {
    const some = fc.array(tie('part'), { minLength: 1, maxLength: 2 });
    const byName = fc.dictionary(fc.constantFrom('a', 'b'), tie('part'), { maxKeys: 2, noNullPrototype: true });
    return {
      part: fc.oneof(
        { maxDepth: 4 },
        fc.record({ refers: fc.constantFrom(...places) }),
        fc.constantFrom<object>({ type: 'object' }, { required: ['a'] }, { minLength: 1 }),
        ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((keyword) => fc.record({ [keyword]: some })),
        ...['properties', 'patternProperties', 'dependentSchemas'].map((keyword) => fc.record({ [keyword]: byName })),
        ...['not', 'items', 'contains', 'additionalProperties', 'unevaluatedProperties'].map((keyword) =>
          fc.record({ [keyword]: tie('part') }),
        ),
        fc.record({ if: tie('part'), then: tie('part'), else: tie('part') }),
      ),
    };
  });
  const { payload } = fc.letrec<{ payload: unknown }>((tie) => ({
    payload: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>(null, 1, '', 'a'),
      fc.array(tie('payload'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b'), tie('payload'), { noNullPrototype: true }),
    ),
  }));
  /** With references of one kind, and the names to which they lead. */
  const written = (schema: object, refer: (place: string) => object, name: (place: string) => object): object => {
    const replaced = (value: unknown): unknown =>
      typeof value !== 'object' || value === null
        ? value
        : 'refers' in value
          ? refer(value.refers as string)
          : Array.isArray(value)
            ? value.map(replaced)
            : Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replaced(each)]));
    const { $defs, ...whole } = replaced(schema) as { $defs: Record<string, object> };
    return {
      ...whole,
      ...name('whole'),
      $defs: Object.fromEntries(Object.entries($defs).map(([key, each]) => [key, { ...each, ...name(key) }])),
    };
  };
  const ways: ((schema: object) => object)[] = [
    (schema) =>
      written(
        schema,
        (to) => ({ $ref: pointers[to] }),
        () => ({}),
      ),
    (schema) =>
      written(
        schema,
        (to) => ({ $ref: `#${to}` }),
        (at) => ({ $anchor: at }),
      ),
    (schema) =>
      written(
        schema,
        (to) => ({ $dynamicRef: `#${to}` }),
        (at) => ({ $dynamicAnchor: at }),
      ),
  ];

  it('checks every payload, and the same by pointers, by anchors and by dynamic anchors', async () => {
    const tally = { refused: 0, accepted: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.record({ root: part, a: part, b: part }),
        fc.array(payload, { minLength: 3, maxLength: 3 }),
        async ({ root, a, b }, payloads) => {
          const [first, ...others] = ways.map((way) => way({ allOf: [root], $defs: { a, b } }));
          const refused = await isRefused(first!);
          tally[refused ? 'refused' : 'accepted'] += 1;
          for (const other of others) expect(await isRefused(other)).toBe(refused);
          if (refused) return;
          for (const each of payloads) {
            const verdict = await verdictOf(first!, each);
            expect(verdict).toHaveProperty('problems');
            for (const other of others) expect(messagesOf(await verdictOf(other, each))).toEqual(messagesOf(verdict));
          }
        },
      ),
      { numRuns: 150 },
    );
    expect(Math.min(...Object.values(tally))).toBeGreaterThan(20);
  }, 240_000);
});

const messagesOf = (verdict: Verdict): unknown =>
  'problems' in verdict ? verdict.problems.map(({ path, message }) => [path, message]) : verdict;

function plainVerdict(schema: object, payload: unknown): unknown {
  try {
    const isValid = new Ajv2020({ strict: false, logger: false, ownProperties: true }).validate(schema, payload);
    return isValid ? { problems: [] } : { problems: expect.arrayContaining([expect.anything()]) as unknown };
  } catch (error) {
    // Code that Ajv wrote and that cannot run.
    return { fault: 'invalid', message: (error as Error).message };
  }
}

/** A schema of many keywords is met by almost nothing. */
function few(schema: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(schema);
  const from = JSON.stringify(schema).length % Math.max(1, entries.length);
  return Object.fromEntries(entries.slice(from, from + 3));
}
