import { expect, it } from 'vitest';
import { testDatabase } from '../database.ts';
import { liveRound } from './live.ts';

const db = await testDatabase();

it('20 reconnecting subscribers get every event once and in order while 8 writers use two servers, and Redis and a server are killed', async () => {
  const { breaches, ...result } = await liveRound({
    seed: 20_261_122,
    databaseUrl: db.url,
    durationMs: 10_000,
    leastAnswers: 100,
    writers: 8,
    subscribers: 20,
    redisKills: 1,
    serverKills: 1,
  });
  expect(breaches).toEqual([]);
  expect(result).toMatchObject({ redisKills: 1, serverKills: 1 });
  // Enough was going on for it to mean something.
  expect(result.events).toBeGreaterThan(50);
  expect(result.heard).toBeGreaterThan(300);
  expect(result.drops).toBeGreaterThan(40);
}, 400_000);
