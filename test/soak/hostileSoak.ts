import { attacks, type AttackName } from './hostile/attacks.ts';
import { hostileRound, type HostileResult } from './hostile/round.ts';
import { say, type SoakDatabase } from './soakDatabase.ts';

export interface HostileSoakOptions {
  rounds: number;
  seed: number;
  /** Runs each attack alone for ten seconds, as rows of a table. */
  each: boolean;
  heapMb?: number | undefined;
  /** Runs only these attacks. */
  only: readonly AttackName[];
}

export const attackNames = Object.keys(attacks) as AttackName[];
/** The limits for the honest writers' p99 relative to the control, and for the server's memory. */
const goals = { slower: 3, memoryMb: 600 };

/** False when anything was lost or a goal was missed. */
export async function hostileSoak(
  { rounds, seed, each, heapMb, only }: HostileSoakOptions,
  database: SoakDatabase,
): Promise<boolean> {
  const names = only.length === 0 ? attackNames : only;
  const round = async (attacks: readonly AttackName[], durationMs: number, nth = 0): Promise<HostileResult> =>
    hostileRound({
      seed: seed + nth,
      databaseUrl: await database.another(),
      durationMs,
      writers: 16,
      subscribers: 50,
      attacks,
      heapMb,
    });
  if (each) {
    say(
      `| attack | longest without an answer (ms) | peak memory (MB) | honest p50, p99 (ms) | what the attackers got |\n|---|---|---|---|---|`,
    );
    for (const set of [[], ...names.map((name) => [name])]) {
      const { medianMs, p99Ms, blockedMs, peakMb, tallies, breaches } = await round(set, 10_000);
      say(
        `| ${set[0] ?? 'none'} | ${blockedMs} | ${peakMb} | ${medianMs}, ${p99Ms} | ${answersOf(tallies[set[0]!])}${breaches.length === 0 ? '' : `; BREACH: ${breaches[0]}`} |`,
      );
    }
    return true;
  }
  let good = true;
  for (let nth = 0; nth < rounds; nth += 1) {
    const control = await round([], 60_000, nth);
    say(`control: ${lineOf(control)}`);
    const hostile = await round(names, 120_000, nth);
    say(`hostile: ${lineOf(hostile)}`);
    for (const [name, tally] of Object.entries(hostile.tallies)) say(`  ${name}: ${answersOf(tally)}`);
    for (const breach of [...control.breaches, ...hostile.breaches].slice(0, 20)) say(`  BREACH ${breach}`);
    const slower = hostile.p99Ms / control.p99Ms;
    const met =
      slower <= goals.slower &&
      hostile.peakMb <= goals.memoryMb &&
      control.breaches.length + hostile.breaches.length === 0;
    say(
      `round ${nth + 1}/${rounds}: p99 ${slower.toFixed(2)} times the control's (goal ${goals.slower}), memory ${hostile.peakMb} MB (goal ${goals.memoryMb}); ${met ? 'ok' : 'MISSED'}`,
    );
    good &&= met;
  }
  return good;
}

const lineOf = ({ answers, medianMs, p99Ms, blockedMs, peakMb, heard }: HostileResult): string =>
  `${answers} honest mutations (p50 ${medianMs} ms, p99 ${p99Ms} ms), ${heard} deliveries, longest without an answer ${blockedMs} ms, memory ${peakMb} MB`;

const answersOf = (tally: Record<string, number> = {}): string =>
  Object.entries(tally)
    .map(([answer, count]) => `${answer}: ${count}`)
    .join(', ') || 'nothing';
