import { killRound, Victim, type Round } from './kill.ts';
import { say, type SoakDatabase } from './soakDatabase.ts';
import { embeddedDatabase, givenDatabase, withDatabaseKilled } from './targets.ts';

/** Runs `killRound` repeatedly on each kind of database. False after a violation. */
export async function killSoak(
  { rounds, seed }: { rounds: number; seed: number },
  database: SoakDatabase,
): Promise<boolean> {
  const embedded = embeddedDatabase();
  const elsewhere = new Victim(givenDatabase(database.url));
  const surviving = new Victim(embedded);
  const killed = new Victim(withDatabaseKilled(embedded));

  const done: Round[] = [];
  const started = performance.now();
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const victim = [elsewhere, surviving, killed][(round - 1) % 3]!;
      const result = await killRound(victim, { seed, round });
      // Two servers cannot share a folder.
      if (victim !== elsewhere) await victim.kill('SIGTERM');
      done.push(result);
      const { asked, answered, refused, inFlight, landed, restartMs, unavailable, breaches } = result;
      say(
        `round ${round}/${rounds} ${victim.target.name}: ${asked} requests, ${answered} done, ${refused} refused, ${inFlight} in flight at the kill ` +
          `(${landed} of those with a key had been done), back in ${restartMs} ms, ${breaches.length === 0 ? 'ok' : `${breaches.length} BREACHES`}`,
      );
      for (const line of unavailable) say(`  UNAVAILABLE: ${line}`);
      for (const breach of breaches) say(`  ${breach}`);
    }
  } finally {
    for (const victim of [elsewhere, surviving, killed]) await victim.kill('SIGTERM');
    if (done.length === rounds && done.every(({ breaches }) => breaches.length === 0)) await embedded.remove();
    else say(`The embedded database is kept: ${embedded.folder}`);
  }
  const sum = (of: (round: Round) => number): number => done.reduce((total, round) => total + of(round), 0);
  const bad = done.filter(({ breaches }) => breaches.length > 0).length;
  say(
    `${rounds} rounds in ${Math.round((performance.now() - started) / 1_000)} s: ${sum(({ asked }) => asked)} requests, ${sum(({ answered }) => answered)} answers found, ` +
      `${sum(({ inFlight }) => inFlight)} in flight at a kill (never fewer than ${Math.min(...done.map(({ inFlight }) => inFlight))}), ` +
      `${sum(({ landed }) => landed)} of them had been done; ${bad === 0 ? 'no breach' : `${bad} rounds with breaches`}; seed ${seed}`,
  );
  return bad === 0;
}
