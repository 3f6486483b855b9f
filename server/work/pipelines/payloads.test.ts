import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { client } from '../../../test/graphql.ts';
import { house } from '../../../test/refusals.ts';
import { startApp } from '../../../test/server.ts';
import { encodeId } from '../../core/ids.ts';
import { endThreads } from '../../core/threads.ts';
import { holds } from '../custody/pipeline.ts';
import { faultOfValue } from '../tools/variables.ts';
import { check } from './checks.ts';
import { faultOfSchema, faultOfShape } from './payloads.ts';

const verdictOf = (schema: object, payload: unknown) => check('ada', JSON.stringify(schema), JSON.stringify(payload));
const draft07 = 'http://json-schema.org/draft-07/schema#';
const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `n${n}`);

describe('a payload', () => {
  it('is checked with each problem named by its path', async () => {
    const schema = {
      type: 'object',
      properties: { files: { type: 'array', items: { type: 'string' } } },
      required: ['goal'],
      additionalProperties: false,
    };
    expect(await verdictOf(schema, { files: [1], more: true })).toEqual({
      problems: [
        { path: [], message: "must have required property 'goal'" },
        { path: ['more'], message: 'is not a property of the schema' },
        { path: ['files', '0'], message: 'must be string' },
      ],
    });
  });

  it('that is large and wrong is refused with its first fault', async () => {
    const schema = { type: 'array', items: { type: 'object', required: names(40) } };
    const payload = Array.from({ length: 20_000 }, () => ({}));
    expect(await verdictOf(schema, payload)).toEqual({
      problems: [{ path: ['0'], message: "must have required property 'n0'" }],
    });
  });

  it('may have a schema of either draft', async () => {
    for (const schema of [
      {
        $schema: draft07,
        definitions: { a: { type: 'string' } },
        properties: { x: { $ref: '#/definitions/a' } },
      },
      { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'https://example.com/mine', type: 'object' },
      { $id: 'mine.json', $defs: { a: { type: 'string' } }, properties: { x: { $ref: '#/$defs/a' } } },
    ]) {
      expect([faultOfShape(schema), await faultOfSchema('ada', schema)]).toEqual([null, null]);
      expect(await verdictOf(schema, { x: 'a' })).toEqual({ problems: [] });
    }
  });

  it.each<[object, string, boolean]>([
    [{ uniqueItems: true }, '[{"valueOf":1},{"valueOf":2}]', true],
    [{ uniqueItems: true }, '[{"toString":1},{"toString":1}]', false],
    [{ uniqueItems: true }, '[{"constructor":{"a":1}},{"constructor":{"a":1}}]', false],
    [{ const: { valueOf: { a: [0] } } }, '{"valueOf":{"a":[-0]}}', true],
    [{ enum: [[], { length: 0 }] }, '{}', false],
    [{ required: ['toString'] }, '{}', false],
    [{ required: ['__proto__'] }, '{"__proto__":1}', true],
    [{ properties: { constructor: { type: 'string' } } }, '{}', true],
    [{ dependentSchemas: { toString: false } }, '{"b":1}', true],
  ])('has properties of its own only, whatever their names: %j, %s', async (schema, payload, isValid) => {
    const verdict = await check('ada', JSON.stringify(schema), payload);
    expect(verdict).toEqual({ problems: isValid ? [] : [expect.anything()] });
  });

  /** Each of `count` schemas is made of the reference to the next one. */
  const chain = (count: number, of: (next: object) => object): object => ({
    $ref: '#/$defs/d0',
    $defs: Object.fromEntries(
      Array.from({ length: count }, (_, n) => [
        `d${n}`,
        n === count - 1 ? { type: 'object', properties: { a: { $ref: '#' } } } : of({ $ref: `#/$defs/d${n + 1}` }),
      ]),
    ),
  });
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });

  it.each(['allOf', 'anyOf', 'oneOf'])('refuses schemas in %s that refer to each other twice', async (keyword) => {
    const doubling = (count: number) => chain(count, (next) => ({ [keyword]: [next, next] }));
    expect(await faultOfSchema('ada', doubling(8))).toBeNull();
    expect(await faultOfSchema('ada', doubling(25))).toMatch(/one value against more than 2000 schemas/);
  });

  it.each<[string, (next: object) => object]>([
    ['not', (next) => ({ not: { not: next } })],
    ['if', (next) => ({ if: { required: ['b'] }, then: false, else: { allOf: [{ if: true, then: next }] } })],
    ['oneOf', (next) => ({ oneOf: [next, false], unevaluatedProperties: true })],
  ])('has a schema of at most 100 references for one value, which payloads of any depth pass: in %s', async (_, of) => {
    expect(await faultOfSchema('ada', chain(99, of))).toBeNull();
    expect(await verdictOf(chain(99, of), nested(32))).toEqual({ problems: [] });
    expect(await faultOfSchema('ada', chain(101, of))).toMatch(/through more than 100 references/);
  });

  it.each<[object, RegExp]>([
    [{ type: 'text' }, /no JSON Schema/],
    [{ $ref: 'https://example.com/a' }, /outside of the schema/],
    [{ properties: { a: { $ref: 'other#/b' } } }, /outside of the schema/],
    [{ pattern: '(' }, /no JSON Schema/],
    [{ $async: true }, /leave it out/],
    [{ $ref: '#' }, /refers to itself without end/],
    [{ dependentSchemas: { a: { allOf: [{ $ref: '#' }] } } }, /refers to itself without end/],
    [{ $defs: { a: { $ref: '#/$defs/b' }, b: { not: { $ref: '#/$defs/a' } } } }, /refers to itself without end/],
    [{ $defs: { a: { $anchor: 'a', $ref: '#a' } }, $ref: '#a' }, /refers to itself without end/],
    [{ properties: { a: { $anchor: 'a', not: { $ref: '#a' } } } }, /refers to itself without end \('#a'\)/],
    [{ items: { $dynamicAnchor: 'a', anyOf: [true, { $dynamicRef: '#a' }] } }, /refers to itself without end/],
    [{ $anchor: 'a', if: { required: ['a'] }, then: { $ref: '#a' } }, /refers to itself without end/],
    [{ items: { $id: 'https://example.com/a', oneOf: [{ $ref: '#' }] } }, /refers to itself without end/],
    [{ $schema: draft07, properties: { a: { $id: '#a', not: { $ref: '#a' } } } }, /refers to itself without end/],
    [{ items: { properties: { a: { $ref: '#/items/properties/%61' } } } }, /refers to itself without end/],
    [{ properties: { a: { $dynamicRef: '#nowhere' } } }, /no JSON Schema/],
    [{ items: { required: names(8_000) } }, /has 8\d\d\d values .* the limit is 2000/],
    [{ allOf: names(700).map((name) => ({ required: [name] })) }, /the limit is 2000/],
    [{ enum: names(6_000).map((a) => ({ a })) }, /the limit is 2000/],
  ])('has no schema such as %.80j', async (schema, says) => {
    expect(faultOfShape(schema) ?? (await faultOfSchema('ada', schema))).toMatch(says);
  });

  it('may be a tree, as deep as it is', async () => {
    const schema = { type: 'object', additionalProperties: { $ref: '#' } };
    expect(faultOfShape(schema)).toBeNull();
    expect(await verdictOf(schema, { a: { b: { c: {} } } })).toEqual({ problems: [] });
  });
});

describe('a pipeline with a schema from before the limits', () => {
  it('goes on: each payload is accepted or refused with a typed error', async () => {
    const home = await house();
    const { url } = await startApp(home.db);
    const advance = async (payloadSchema: object, payload: unknown) => {
      const slug = home.unique('pipeline');
      await home.agent(`holder-${slug}`, { role: slug });
      await home.pipeline(slug, ['a DONE end'], { a: { role: slug } });
      await home.db.pool.query(
        `UPDATE pipelines SET stages = jsonb_set(stages, '{0,payloadSchema}', $2::jsonb) WHERE slug = $1`,
        [slug, JSON.stringify(payloadSchema)],
      );
      const id = await home.session(null, { pipeline: slug });
      const { data } = await client(url).post<{ advancePipeline: { code?: string; message?: string } }>(
        'mutation ($input: AdvancePipelineInput!) { advancePipeline(input: $input) { ... on Error { code message } } }',
        { input: { sessionId: encodeId('session', id), outcome: 'DONE', payload } },
      );
      return data?.advancePipeline;
    };
    const empty = Array.from({ length: 20_000 }, () => ({}));
    const refused = (says: RegExp) => ({ code: 'INVALID_PAYLOAD', message: expect.stringMatching(says) as string });
    expect(await advance({ $ref: '#' }, {})).toMatchObject(refused(/refers to itself without end/));
    expect(await advance({ type: 'text' }, {})).toMatchObject(refused(/its schema is no JSON Schema/));
    expect(await advance({ items: { required: names(8_000) } }, empty)).toMatchObject(refused(/'n0'/));
    expect(await advance({ items: { enum: names(6_000).map((a) => ({ a })) } }, empty)).toMatchObject(
      refused(/equal to one of/),
    );
    expect(await advance({ allOf: names(700).map((name) => ({ required: [name] })) }, empty)).toEqual({});
  });
});

describe('a large value', () => {
  it('is written out once, however many values a condition or a variable of a tool allows', () => {
    let reads = 0;
    const value = {
      get a() {
        reads += 1;
        return 1;
      },
    };
    const others = names(100).map((name) => ({ b: name }));
    expect(holds({ variable: 'x', op: 'IN', value: others }, { variables: { x: { value } } })).toBe(false);
    expect(reads).toBe(1);
    expect(faultOfValue({ type: 'OBJECT', enum: others }, value)).toMatch(/not among/);
    expect(reads).toBe(2);
  });
});

it('no thread of checks stays when they are ended, and the next check starts one', async () => {
  const running = (): number => readdirSync('/proc/self/task').length;
  await verdictOf({}, {});
  await endThreads();
  const without = running();
  expect(await verdictOf({ type: 'object' }, {})).toEqual({ problems: [] });
  expect(running()).toBeGreaterThan(without);
  await endThreads();
  expect(running()).toBe(without);
});
