import fc from 'fast-check';
import { type ExecutionResult, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { ProcessorTime } from '../../api/graphql/processorTime.ts';
import { boundAnswer } from './answerSize.ts';

const query = parse(
  '{ sessions { nodes { title messages { edges { cursor node { content } } nodes { content } } } } }',
);
const bytesOf = (result: ExecutionResult): number => Buffer.byteLength(JSON.stringify(result));
const refused = async (result: ExecutionResult, most: number, document = query) =>
  (await boundAnswer(result, most, { document })).errors?.[0];

describe('An answer', () => {
  test('is accepted up to its limit in bytes of JSON, and rejected with LIMIT_EXCEEDED above', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', '"', '\n', '\u0001', 'é', '漢', '😀', '\ud800') });
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        text,
        fc.double(),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.constant(undefined),
        fc.date({ noInvalidDate: true }),
        fc.array(tie('any')),
        fc.dictionary(text, tie('any')),
      ),
    })).any;
    await fc.assert(
      fc.asyncProperty(value, async (any) => {
        const result = { data: { any } } as ExecutionResult;
        const bytes = bytesOf(result);
        expect(await boundAnswer(result, bytes, { document: query })).toBe(result);
        expect((await refused(result, bytes - 1))?.extensions).toMatchObject({
          code: 'LIMIT_EXCEEDED',
          what: 'answerBytes',
          limit: bytes - 1,
          actual: bytes,
        });
      }),
    );
  });

  test('over the limit is rejected with the largest page that fits', async () => {
    const lists = fc.array(fc.nat(300), { minLength: 2, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(lists, fc.integer({ min: 0, max: 100 }), async (sizes, share) => {
        const page = (from: number[]): ExecutionResult => ({
          data: { sessions: { nodes: from.map((size) => ({ title: 'é'.repeat(size) })) } },
        });
        const [none, all] = [bytesOf(page([])), bytesOf(page(sizes))];
        const most = none + Math.floor(((all - none - 1) * share) / 100);
        const fits = (await refused(page(sizes), most))?.extensions['fits'] as
          { path: string; entries: number } | undefined;
        const fit = (count: number): boolean =>
          bytesOf(page(sizes.slice(0, count))) <= most && bytesOf(page(sizes.slice(sizes.length - count))) <= most;
        expect([fit(fits?.entries ?? 0), fit((fits?.entries ?? 0) + 1)]).toEqual([true, false]);
      }),
    );
  });

  test('over the limit for one entry of the outer list names the page of the inner list', async () => {
    const messages = { nodes: Array.from({ length: 10 }, () => ({ content: 'x'.repeat(1_000) })) };
    const result = { data: { sessions: { nodes: [{ messages }, { messages }] } } };
    expect(await refused(result, 9_000)).toMatchObject({
      message: `The answer has ${bytesOf(result)} bytes; the limit is 9000: ask for 4 entries of 'sessions.nodes.messages' instead of 10.`,
      extensions: { fits: { path: 'sessions.nodes.messages', entries: 4 } },
    });
  });

  test('counts nodes and edges of one list together', async () => {
    const nodes = Array.from({ length: 10 }, () => ({ content: 'x'.repeat(1_000) }));
    const result = { data: { session: { messages: { nodes, edges: nodes.map((node) => ({ node })) } } } };
    expect((await refused(result, 9_000))?.extensions['fits']).toEqual({ path: 'session.messages', entries: 4 });
  });

  test('without a list is rejected with the advice to select fewer fields', async () => {
    expect((await refused({ data: { session: { title: 'x'.repeat(100) } } }, 50))?.message).toContain(
      'select fewer fields, or fewer records',
    );
  });

  describe('of 25 MB', () => {
    const large: ExecutionResult = {
      data: { sessions: { nodes: Array.from({ length: 100 }, () => ({ title: 'x'.repeat(256_000) })) } },
    };

    test('is measured in several turns of the event loop', async () => {
      let [turns, done] = [0, false];
      const count = (): void => {
        turns += 1;
        if (!done) setImmediate(count);
      };
      setImmediate(count);
      const bound = await boundAnswer(large, 10_000_000, { document: query });
      done = true;
      expect(bound.errors?.[0]?.extensions).toMatchObject({ what: 'answerBytes', fits: { entries: 39 } });
      expect(turns).toBeGreaterThan(3);
    });

    test('costs its request the processor time of measuring', async () => {
      const { data, errors } = await boundAnswer(large, 10_000_000, { document: query }, new ProcessorTime(1));
      expect(data).toBeUndefined();
      expect(errors).toMatchObject([{ extensions: { code: 'LIMIT_EXCEEDED', what: 'processorMs', limit: 1 } }]);
    });
  });

  test('of a mutation over the limit states that the mutation took effect', async () => {
    const document = parse('mutation { createSession { session { title } } }');
    expect(
      (await refused({ data: { createSession: { session: { title: 'x'.repeat(100) } } } }, 50, document))?.message,
    ).toContain('The changes of the mutation are kept.');
  });
});
