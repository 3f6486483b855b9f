import { liveRound, type LiveResult } from './live.ts';
import { say, type SoakDatabase } from './soakDatabase.ts';

/** The long form of `live.long.test.ts`: a minute per round. False after a violation. */
export async function liveSoak(
  { rounds, seed }: { rounds: number; seed: number },
  database: SoakDatabase,
): Promise<boolean> {
  const done: LiveResult[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const result = await liveRound({
      seed: seed + round - 1,
      databaseUrl: database.url,
      durationMs: 60_000,
      leastAnswers: 500,
      writers: 16,
      subscribers: 50,
      redisKills: 5,
      serverKills: 2,
    });
    done.push(result);
    const { answers, medianMs, slowestMs, events, heard, drops, redisKills, serverKills, breaches } = result;
    say(
      `round ${round}/${rounds}: ${answers} mutations answered (median ${medianMs} ms, slowest ${slowestMs} ms), ${events} events of sessions, ${heard} deliveries to 50 subscribers that dropped ${drops} times; ` +
        `Redis killed ${redisKills} times, a server ${serverKills} times; ${breaches.length === 0 ? 'ok' : `${breaches.length} BREACHES`}`,
    );
    for (const breach of breaches) say(`  ${breach}`);
  }
  const bad = done.filter(({ breaches }) => breaches.length > 0).length;
  say(
    `${rounds} rounds, ${bad === 0 ? 'no breach: every subscriber heard every event of its streams once, in order' : `${bad} with breaches`}; seed ${seed}`,
  );
  return bad === 0;
}
