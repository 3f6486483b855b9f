import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import {
  chooseAgent,
  expectAccessible,
  look,
  noticeOf,
  openBrowser,
  patiently,
  type Visit,
} from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { agentCaller, world } from '../../test/world.ts';
import { encodeId } from '../../server/core/ids.ts';
import { askPerson } from '../../server/work/approvals/askPerson.ts';
import { wordsChanged } from './differs.ts';
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
  await page.getByText(/What is passed on: about \d+ tokens/).waitFor();
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
  await chooseAgent(page, 'cy', 'Target');
  await page.getByLabel('Reason', { exact: true }).fill('Look at the cache too');
  const changes = page.getByLabel('Changes');
  const wordsOf = (tag: string) => changes.locator(tag).allInnerTexts();
  await expect.poll(() => wordsOf('dt'), patiently).toEqual(['Target', 'Reason']);
  expect((await wordsOf('del')).join('|')).toBe('bob|The tests are green');
  expect((await wordsOf('ins')).join('|')).toBe('cy|Look at the cache too');
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
  await page.getByText('All of Goes on is done.').waitFor();
  const { sessionId } = await db.prisma.handoff.findUniqueOrThrow({ where: { id } });
  await turn(sessionId, { messages: [{ role: 'ASSISTANT', content: 'And the docs, too.' }] });
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await page
    .getByRole('alert')
    .getByText(/the agent went on since you looked/)
    .waitFor();
  // What is new stands above the button that approves it.
  await page.getByRole('region', { name: 'What is new' }).getByText('And the docs, too.').waitFor();
  await expectAccessible(page);
  expect(await statusOf(id)).toBe('PROPOSED');
  await page.getByRole('button', { name: 'Approve what is new' }).click();
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
  expect(changesOf(given, { ...given, targetAgentId: ' ' })).toEqual([]);
  expect(editsOf(given, { ...given, reason: ' Why ' })).toBeNull();
  expect(editsOf(given, { ...given, targetAgentId: '' })).toBeNull();
  expect(editsOf(given, { targetAgentId: 'cy', reason: '', instructions: 'Be quick' })).toEqual({
    targetAgentId: 'cy',
    reason: null,
    instructions: 'Be quick',
  });
  expect(changesOf(given, { ...given, instructions: 'Be quick' })).toEqual([
    { label: 'Instructions', before: '', after: 'Be quick', none: 'no instructions' },
  ]);
});

it('opens what a session waits for, so that one key approves it, or says that it waits no more', async () => {
  await propose('An earlier one');
  const id = await propose('The one that was notified of');
  const { sessionId } = await db.prisma.handoff.findUniqueOrThrow({ where: { id } });
  const path = `/decide/${encodeId('session', sessionId)}`;
  const { page, faults } = await go(path);
  const open = page.locator('article[data-open=true]');
  await open.getByText('The one that was notified of').waitFor();
  await expect.poll(() => open.evaluate((card) => card === document.activeElement), patiently).toBe(true);
  await open.getByText(/about \d+ tokens/).waitFor();
  await page.keyboard.press('a');
  await expect.poll(() => statusOf(id), patiently).toBe('INITIATED');
  // An approval is taken back until the target accepts.
  await noticeOf(page, /gets "The one that was notified of"/).waitFor();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect.poll(() => statusOf(id), patiently).toBe('CANCELLED');
  await go(path);
  await page.getByText('What you came for waits no more.').waitFor();
  await expectAccessible(page);
  expect(faults).toEqual([]);
}, 120_000);

it('the changed words are the text before without what was added, and the text after without what was removed', () => {
  const prose = fc.array(fc.constantFrom('the', 'lock', 'cache', ' ', '\n', '.', 'Look'), { maxLength: 20 });
  fc.assert(
    fc.property(prose, prose, (one, other) => {
      const [before, after] = [one.join(''), other.join('')];
      const words = wordsChanged(before, after);
      const textOf = (without: string) => words.flatMap(({ kind, text }) => (kind === without ? [] : [text])).join('');
      expect([textOf('ADDED'), textOf('REMOVED')]).toEqual([before, after]);
    }),
  );
  const long = 'word '.repeat(200);
  const shown = wordsChanged(`${long}old${long}`, `${long}new${long}`);
  expect(shown.map(({ kind }) => kind)).toEqual(['SAME', 'REMOVED', 'ADDED', 'SAME']);
  expect(shown.map(({ text }) => text.length < 130)).toEqual([true, true, true, true]);
});
