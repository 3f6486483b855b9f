import { describe, expect, test } from 'vitest';
import { migrateUp } from '../../server/infra/migrate.ts';
import { patroniCluster, patroniPrograms } from '../patroni.ts';
import { installMissing, systemInstaller } from '../programs.ts';
import { liveRound } from './live.ts';

const problem = installMissing(patroniPrograms, systemInstaller);

describe.skipIf(problem !== null)('Baton on three PostgreSQL with Patroni', async () => {
  if (problem !== null) return void process.stderr.write(`Baton with Patroni is not tried: ${problem}\n`);
  const cluster = await patroniCluster();
  await cluster.whole();
  await migrateUp(cluster.proxyUrl);

  const faults: Record<string, () => Promise<void>> = {
    'the primary is killed': async () => {
      const { leader } = await cluster.whole();
      await leader.kill();
      await cluster.leaderAfter(leader);
      leader.start();
      await cluster.whole();
    },
    'a switchover': async () => {
      const { leader, synchronous } = await cluster.whole();
      await cluster.switchover(leader, synchronous);
      await cluster.leaderAfter(leader);
      await cluster.whole();
    },
    'the primary is frozen, and comes back': async () => {
      const { leader } = await cluster.whole();
      leader.freeze();
      await cluster.leaderAfter(leader);
      leader.resume();
      await cluster.whole();
    },
    'the synchronous standby is frozen, and comes back': async () => {
      const { synchronous } = await cluster.whole();
      synchronous.freeze();
      await cluster.synchronousAfter(synchronous);
      synchronous.resume();
      await cluster.whole();
    },
    'the primary is cut off from etcd': async () => {
      const { leader } = await cluster.whole();
      leader.cutOff(true);
      await cluster.leaderAfter(leader);
      leader.cutOff(false);
      await cluster.whole();
    },
  };

  test('two servers, one through HAProxy and one that names all hosts, lose and repeat nothing while members are killed, frozen, cut off and switched', async () => {
    const { breaches, gapsMs, ...result } = await liveRound({
      seed: 20_261_129,
      databaseUrl: cluster.proxyUrl,
      secondDatabaseUrl: cluster.hostsUrl,
      durationMs: 10_000,
      leastAnswers: 300,
      writers: 8,
      subscribers: 8,
      redisKills: 0,
      serverKills: 0,
      faults: Object.values(faults),
    });
    console.log(
      Object.keys(faults)
        .map((name, n) => `${name}: ${(gapsMs[n]! / 1_000).toFixed(1)} s without a write`)
        .join('\n'),
    );
    expect(breaches).toEqual([]);
    expect(result.events).toBeGreaterThan(100);
  }, 900_000);
});
