import { createYoga } from 'graphql-yoga';
import { describe, expect, test } from 'vitest';
import { schema } from '../../api/graphql/schema.ts';
import type { Caller } from '../../core/work.ts';
import { loopback } from '../../work/keys/authenticate.ts';
import { createPersistedOperations } from './persisted.ts';
import { type InitialContext, Charge, documentCaches, errorsIn, limitsPlugin, readRequest } from './plugin.ts';
import { createRates } from './rates.ts';

/** What a socket does, which has no HTTP request: the same engine, asked by hand. */
describe('over a socket', () => {
  const rates = createRates({ rateOf: () => ({ perMinute: 60, burst: 5 }), clock: () => 0 });
  const persisted = createPersistedOperations({}, { only: false });
  const yoga = createYoga({
    schema,
    logging: false,
    parserAndValidationCache: documentCaches(),
    plugins: [limitsPlugin({ schema, persisted })],
  });
  const holder = (principal: string) => ({ ...loopback, principal });

  function codesOf(
    query: string,
    { caller = loopback, ...asked }: InitialContext & { caller?: Caller } = {},
  ): unknown[] {
    const charge = new Charge(rates, caller);
    try {
      const request = charge.during(() => readRequest(persisted, { query, ...asked.params }));
      charge.during(() => void yoga.getEnveloped({ charge, ...asked } as never).parse(request['query']));
      return [];
    } catch (error) {
      return errorsIn(error)
        .map((one) => (one as { extensions: Record<string, unknown> }).extensions)
        .map((extensions) => extensions['what'] ?? extensions['code']);
    }
  }
  const paged = 'query ($n: Int) { sessions(first: $n) { nodes { messages(first: $n) { nodes { id } } } } }';

  test('a cached document is measured with the variables of each request', () => {
    expect(codesOf(paged, { params: { variables: { n: 5 } } })).toEqual([]);
    expect(codesOf(paged, { params: { variables: { n: 100 } } })).toEqual(['cost']);
    expect(codesOf(paged, { params: { variables: { n: 5 } } })).toEqual([]);
  });

  test('each exceeded limit is a separate error', () => {
    expect(
      codesOf(
        `{ ${Array.from({ length: 11 }, (_, n) => `a${n}: sessions(first: 100) { nodes { id agent { id } openHandoff { id } lastHandoff { id } previousAgentType } }`).join(' ')} }`,
      ),
    ).toEqual(['rootFields']);
    expect(
      codesOf(
        `{ ${Array.from({ length: 16 }, (_, n) => `a${n}: sessions(first: 100) { nodes { agent { id } openHandoff { id } lastHandoff { id } } }`).join(' ')} }`,
      ),
    ).toEqual(['aliases', 'rootFields', 'cost']);
  });

  test('a mutation is charged by the size of its document and variables', () => {
    const write = (text: string): unknown[] =>
      codesOf('mutation ($input: CreateSessionInput!) { createSession(input: $input) { __typename } }', {
        caller: holder('cid'),
        params: { variables: { input: { title: text } } },
      });
    // 5 writes: one, and two for the further 64 KB.
    expect(write('x'.repeat(70 * 1024))).toEqual([]);
    expect([write('x'), write('x'), write('x')]).toEqual([[], [], ['RATE_LIMITED']]);
  });

  test('the caller is charged', () => {
    for (let n = 0; n < 5; n += 1) expect(codesOf('{ viewer { role } }', { caller: holder('ann') })).toEqual([]);
    expect(codesOf('{ viewer { role } }', { caller: holder('ann') })).toEqual(['RATE_LIMITED']);
    expect(codesOf('{ viewer { role } }', { caller: holder('bob') })).toEqual([]);
  });

  test('variables that are too deep are rejected before validation', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown;
    expect(codesOf(paged, { params: { variables: { n: deep } } })).toEqual(['BAD_USER_INPUT']);
  });
});

test('the cache of documents has a size limit and holds no long document', () => {
  const { documentCache } = documentCaches();
  const document = {} as never;
  for (let n = 0; n < 10_000; n += 1) documentCache.set(`{ a${n}: ${'viewer '.repeat(50)} }`, document);
  expect(documentCache.size).toBeLessThan(600);
  documentCache.set('x'.repeat(30_000), document);
  expect(documentCache.get('x'.repeat(30_000))).toBeUndefined();
});
