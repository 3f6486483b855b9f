import { beforeAll, expect, it } from 'vitest';
import { loadBulk } from '../../test/bulk.ts';
import { measureSlowness, openBrowser, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { longestTaskOfScroll, showSessions } from '../../test/scrolling.ts';
import { startApp } from '../../test/server.ts';

const db = await testDatabase();
const { url } = await startApp(db);
let visit: (path: string) => Promise<Visit>;

beforeAll(async () => {
  await loadBulk(db.url, { sessions: 1_000, handoffs: 2 });
  ({ visit } = await openBrowser(url));
}, 300_000);

it('1,000 sessions scroll in short tasks on a processor slowed four times', async () => {
  const { page } = await visit('/');
  await showSessions(page, 1_000);
  const longest: number[] = [];
  for (let round = 0; round < 5; round += 1) longest.push(await longestTaskOfScroll(page));
  const slowness = measureSlowness();
  console.log(
    `longest task of each round: ${longest.map((ms) => ms.toFixed(0)).join(', ')} ms; this machine is ${slowness.toFixed(1)} times as slow as usual`,
  );
  // The goal is 50 ms, which `npm run bench -- scroll` measures with nothing beside it; what other programs do to the caches can double it.
  expect(longest.sort((one, other) => one - other)[2]).toBeLessThanOrEqual(100 * slowness);
}, 300_000);
