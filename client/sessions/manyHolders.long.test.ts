import { expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { openBrowser, unfold } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, turn, reassign } = world(db.pool);

it('a session with more than 100 holders can be walked back to its first handoff, and its time axis to its beginning', async () => {
  for (const id of ['ada', 'bob']) await agent(id);
  const uuid = await session('ada', { title: 'Handed around' });
  await turn(uuid);
  await reassign(uuid, { agentId: 'bob', reason: 'The first of all' });
  for (let move = 0; move < 210; move += 1)
    await reassign(uuid, { agentId: move % 2 === 0 ? 'ada' : 'bob', skipHandoff: true });
  for (let more = 0; more < 30; more += 1) await turn(uuid);
  const { visit } = await openBrowser(url);
  const { page, faults } = await visit(`/sessions/${encodeId('session', uuid)}`);
  const log = page.getByRole('region', { name: 'Conversation' });
  await log.locator('#message-32').waitFor();
  await page.getByRole('button', { name: 'Handoff before' }).click();
  await log.getByText('The first of all').first().waitFor();
  await page.getByRole('button', { name: 'Handoff before' }).click();
  await page.getByText('There is no earlier handoff.').waitFor();

  await unfold(page, 'Time axis');
  const axis = page.getByRole('region', { name: /^Time axis/ });
  const earlier = page.getByRole('button', { name: 'Show earlier holders' });
  await page.getByText('The newest 100 of 212 holders').waitFor();
  await earlier.click();
  await page.getByText('The newest 200 of 212 holders').waitFor();
  await earlier.click();
  await earlier.waitFor({ state: 'detached' });
  expect(await axis.getByRole('link').count()).toBe(212);
  expect(faults).toEqual([]);
}, 180_000);
