import { fuzz, keep } from '../fuzz/fuzz.ts';
import { say, type SoakDatabase } from './soakDatabase.ts';

export interface FuzzSoakOptions {
  seed: number;
  rounds: number;
  /** The length of a round. */
  minutes: number;
  kinds: readonly string[];
}

/** False when an input failed. Failing inputs become tests in `test/fuzz/found`. */
export async function fuzzSoak(
  { seed, rounds, minutes, kinds }: FuzzSoakOptions,
  database: SoakDatabase,
): Promise<boolean> {
  let good = true;
  for (let round = 1; round <= rounds; round += 1) {
    const began = performance.now();
    const { inputs, tally, failures, breaches, writes } = await fuzz({
      seed: seed + round - 1,
      databaseUrl: await database.another(),
      minutes,
      only: kinds,
      found: (one) => say(`  FAILURE ${one.failure}; kept as test/fuzz/found/${keep(one)}`),
    });
    for (const breach of breaches.slice(0, 20)) say(`  BREACH ${breach}`);
    say(
      `round ${round}/${rounds}: ${inputs} inputs in ${Math.round((performance.now() - began) / 1_000)} s beside ${writes} writes, ${failures.length} failures, ${breaches.length} breaches; ${JSON.stringify(tally)}`,
    );
    good &&= failures.length + breaches.length === 0;
  }
  return good;
}
