import { beforeAll, expect, it } from 'vitest';
import { expectAccessible, look, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { agentCaller, world } from '../../test/world.ts';
import { encodeId } from '../../server/core/ids.ts';
import { askPerson } from '../../server/work/approvals/askPerson.ts';
import { changesOf, editsOf } from './edits.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, initiate, turn, run } = world(db.pool);

let go: (path: string) => Promise<Visit>;
beforeAll(async () => {
  for (const id of ['bob', 'cy']) await agent(id, { maxCapacity: 50 });
  await agent('ada', { maxCapacity: 50, collaborators: ['bob'] });
  ({ go } = await openBrowser(url));
}, 300_000);

async function propose(title: string, reason = 'The tests are green'): Promise<string> {
  const id = await session('ada', { title, handoffApproval: 'REQUIRED' });
  await turn(id, { messages: [{ role: 'ASSISTANT', content: `All of ${title} is done.` }] });
  return (await initiate(id, 'bob', { reason }, { caller: agentCaller('ada') })).handoffId;
}
const statusOf = async (id: string) => (await db.prisma.handoff.findUniqueOrThrow({ where: { id } })).status;

it('says that nothing waits, shows a proposed handoff as it comes, and approves what was seen by one key', async () => {
  const { page, faults } = await go('/decide');
  await page.getByText('Nothing waits for a person.').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  const first = await propose('The first');
  const second = await propose('The second');
  await page.getByRole('article', { name: 'ada hands off to bob' }).nth(1).waitFor();
  const places = page.getByRole('navigation', { name: 'Pages' });
  await expect.poll(() => places.getByRole('link', { name: /^Decide/ }).innerText(), patiently).toMatch(/2/);
  await page.getByText(/What is passed on: about \d+ tokens/).click();
  await page.getByText('All of The first is done.').waitFor();
  await look(page, 'decide');
  await expectAccessible(page);
  await page.keyboard.press('a');
  await expect.poll(() => statusOf(first), patiently).toBe('INITIATED');
  await expect.poll(() => page.getByRole('article').count(), patiently).toBe(1);
  expect(await statusOf(second)).toBe('PROPOSED');

  await page.keyboard.press('d');
  await page.keyboard.type('Ask the owner first');
  await page.getByRole('button', { name: 'Decline', exact: true }).click();
  await expect.poll(() => statusOf(second), patiently).toBe('DECLINED');
  await page.getByText('Nothing waits for a person.').waitFor();
  expect(faults).toEqual([]);
}, 120_000);

it('shows what was changed before it is approved', async () => {
  const id = await propose('To be edited');
  const { page, faults } = await go('/decide');
  await page.getByText('To be edited').waitFor();
  await page.keyboard.press('e');
  await page.getByLabel('Target', { exact: true }).fill('cy');
  await page.getByLabel('Reason', { exact: true }).fill('Look at the cache too');
  const changes = page.getByLabel('Changes');
  expect((await changes.innerText()).replace(/\s+/g, ' ')).toBe(
    'Target bob cy Reason The tests are green Look at the cache too',
  );
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Approve with changes' }).click();
  await expect.poll(() => statusOf(id), patiently).toBe('INITIATED');
  expect(await db.prisma.handoff.findUniqueOrThrow({ where: { id } })).toMatchObject({
    targetAgentId: 'cy',
    reason: 'Look at the cache too',
  });
  expect(faults).toEqual([]);
}, 120_000);

it('is refused, and shows the present context, when the agent went on meanwhile', async () => {
  const id = await propose('Goes on');
  const { page } = await go('/decide');
  await page.getByText(/What is passed on: about \d+ tokens/).click();
  await page.getByText('All of Goes on is done.').waitFor();
  const { sessionId } = await db.prisma.handoff.findUniqueOrThrow({ where: { id } });
  await turn(sessionId, { messages: [{ role: 'ASSISTANT', content: 'And the docs, too.' }] });
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText(/The agent went on working since/).waitFor();
  await page.getByText('And the docs, too.').waitFor();
  expect(await statusOf(id)).toBe('PROPOSED');
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await expect.poll(() => statusOf(id), patiently).toBe('INITIATED');
}, 120_000);

it('answers a question by one of its options, or in words', async () => {
  const [one, other] = [await session('ada', { title: 'Asks' }), await session('ada', { title: 'Asks more' })];
  await run(askPerson, { sessionId: one, question: 'Which database?', options: ['PostgreSQL', 'SQLite'] });
  const { page, faults } = await go('/decide');
  await page.getByText('Which database?').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'SQLite' }).click();
  const messagesOf = async (sessionId: string) =>
    (await db.prisma.message.findMany({ where: { sessionId } })).map(({ content }) => content);
  await expect.poll(() => messagesOf(one), patiently).toEqual(['SQLite']);
  await run(askPerson, { sessionId: other, question: 'How many?', options: null });
  await page.getByText('How many?').waitFor();
  await page.getByLabel('Answer', { exact: true }).fill('Three');
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await expect.poll(() => messagesOf(other), patiently).toEqual(['Three']);
  expect(faults).toEqual([]);
}, 120_000);

it('shows the same card on the page of the session', async () => {
  const id = await propose('On its own page');
  const { sessionId } = await db.prisma.handoff.findUniqueOrThrow({ where: { id } });
  const { page, faults } = await go(`/sessions/${encodeId('session', sessionId)}`);
  const card = page.getByRole('article', { name: 'ada hands off to bob' });
  await card.waitFor();
  await page.getByText('Needs a person').first().waitFor();
  await expectAccessible(page);
  await card.getByRole('button', { name: 'Decline …' }).click();
  await card.getByLabel('Why not').fill('Not yet');
  await card.getByRole('button', { name: 'Decline', exact: true }).click();
  await expect.poll(() => card.count(), patiently).toBe(0);
  expect(await statusOf(id)).toBe('DECLINED');
  expect(faults).toEqual([]);
}, 120_000);

it('sends only what differs from what the agent asked for', () => {
  const given = { targetAgentId: 'bob', reason: 'Why', instructions: '' };
  expect(editsOf(given, { ...given, reason: ' Why ' })).toBeNull();
  expect(editsOf(given, { ...given, targetAgentId: '' })).toBeNull();
  expect(editsOf(given, { targetAgentId: 'cy', reason: '', instructions: 'Be quick' })).toEqual({
    targetAgentId: 'cy',
    reason: null,
    instructions: 'Be quick',
  });
  expect(changesOf(given, { ...given, instructions: 'Be quick' })).toEqual([
    { label: 'Instructions', before: '', after: 'Be quick' },
  ]);
});
