import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../database.ts';
import { runs } from '../runs.ts';
import { foundBefore, fuzz, Fuzzer, keep } from './fuzz.ts';

describe('an input that once failed does no harm', async () => {
  const database = await testDatabase();
  let fuzzer: Fuzzer;
  beforeAll(async () => {
    fuzzer = await Fuzzer.start({ databaseUrl: database.url, seed: 1 });
  });
  afterAll(() => fuzzer.stop());

  it.each(foundBefore())('%s', async (_name, { input }) => {
    const failure = await fuzzer.attempt(input);
    expect(failure === undefined ? undefined : await fuzzer.confirm(input, failure)).toBeUndefined();
  });
});

describe('generated and mutated inputs', async () => {
  const database = await testDatabase();

  it('neither end a server, fail in it, hold it up nor stay in it, and its writers lose nothing', async () => {
    const { failures, breaches, tally, inputs, writes } = await fuzz({
      seed: 1,
      databaseUrl: database.url,
      inputs: runs(700),
      found: (one) => process.stdout.write(`${one.failure}: kept as test/fuzz/found/${keep(one)}\n`),
    });
    process.stdout.write(`${inputs} inputs beside ${writes} writes: ${JSON.stringify(tally)}\n`);
    expect(failures).toEqual([]);
    expect(breaches).toEqual([]);
    const some = expect.any(Number) as number;
    expect(tally).toMatchObject({ answered: some, GRAPHQL_VALIDATION_FAILED: some, BAD_USER_INPUT: some });
  }, 300_000);
});
