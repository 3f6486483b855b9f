import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
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
import { answerQuestion } from '../../server/work/approvals/answerQuestion.ts';
import { approveHandoff } from '../../server/work/approvals/approveHandoff.ts';
import { askPerson } from '../../server/work/approvals/askPerson.ts';
import { declineHandoff } from '../../server/work/approvals/declineHandoff.ts';
import { setAgentStatus } from '../../server/work/agents/setAgentStatus.ts';
import { updateAgent } from '../../server/work/agents/updateAgent.ts';
import { createKey } from '../../server/work/keys/createKey.ts';
import { cancelSession, pauseSession } from '../../server/work/sessions/changeSession.ts';
import { updateSession } from '../../server/work/sessions/updateSession.ts';
import { wordsChanged } from './differs.ts';
import { everything } from '../tools/edit/draft.ts';
import { changesOf, editsOf, type EditDraft } from './edits.ts';
import { textOf, valueOf, variablesOf } from './variables.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, initiate, turn, run } = world(db.pool);

let go: (path: string) => Promise<Visit>;
beforeAll(async () => {
  for (const id of ['bob', 'cy']) await agent(id, { maxCapacity: 50 });
  await agent('dora', { instructions: 'Look at the old lock' });
  await agent('ada', { maxCapacity: 100, collaborators: ['bob', 'dora'] });
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
  // The summary stands there as the target would get it, with all that is carried.
  expect(await page.getByLabel('Summary', { exact: true }).inputValue()).toContain('To be edited');
  await page.getByLabel('Summary', { exact: true }).fill('The cache is the open point');
  await page.getByLabel('Pass on a part of the context only').check();
  await page.getByLabel('Messages', { exact: true }).selectOption('HUMAN');
  await page.getByLabel('Tasks', { exact: true }).uncheck();
  await expect.poll(() => wordsOf('dt'), patiently).toEqual(['Target', 'Reason', 'Summary', 'What is passed on']);
  expect((await wordsOf('dd')).at(-1)).toMatch(/^everything ?people's messages, tool calls, files, no tasks/);
  // What the target would read follows.
  await page.getByRole('region', { name: 'What is passed on' }).getByText('The cache is the open point').waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await look(page, 'decide-edited-phone');
  await page.setViewportSize({ width: 1280, height: 900 });
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Approve with changes' }).click();
  await expect.poll(() => statusOf(id), patiently).toBe('INITIATED');
  expect(await db.prisma.handoff.findUniqueOrThrow({ where: { id } })).toMatchObject({
    targetAgentId: 'cy',
    reason: 'Look at the cache too',
    summary: 'The cache is the open point',
  });
  const { edits } = await db.prisma.approval.findUniqueOrThrow({ where: { handoffId: id } });
  expect((edits as { field: string; after: unknown }[]).map(({ field }) => field)).toEqual([
    'targetAgentId',
    'reason',
    'summary',
    'carry',
  ]);
  expect((edits as { after: unknown }[]).at(-1)?.after).toMatchObject({ messages: 'HUMAN', tasks: false, files: true });
  expect(faults).toEqual([]);
}, 120_000);

it('edits the variables and gives a note, with the same difference before it is sent', async () => {
  const sessionId = await session('ada', { title: 'With variables', handoffApproval: 'REQUIRED' });
  const contextVariables = { mood: 'calm', port: 80, old: 'x' };
  const { handoffId } = await initiate(
    sessionId,
    'bob',
    { reason: 'Go', contextVariables },
    { caller: agentCaller('ada') },
  );
  const { page, faults } = await go(`/decide/${encodeId('session', sessionId)}`);
  const open = page.locator('article[data-open=true]');
  await open.getByText(/about \d+ tokens/).waitFor();
  await page.keyboard.press('e');
  await open.getByLabel('Value of variable 3').fill('8080');
  await open.getByRole('button', { name: 'Remove variable old' }).click();
  await open.getByRole('button', { name: 'Add a variable' }).click();
  await open.getByLabel('Name of variable 3').fill('flags');
  await open.getByLabel('Value of variable 3').fill('["fast"]');
  await open.getByLabel('Note', { exact: true }).fill('Mind the port');
  const changes = page.getByLabel('Changes');
  await expect
    .poll(() => changes.locator('dt').allInnerTexts(), patiently)
    .toEqual(['Variable flags', 'Variable old', 'Variable port', 'Note']);
  expect(await changes.locator('ins').allInnerTexts()).toEqual(['["fast"]', '8080', 'Mind the port']);
  expect(await changes.locator('del').allInnerTexts()).toEqual(['x', '80']);
  await open.getByRole('region', { name: 'What is passed on' }).getByText('8080').waitFor();
  await look(page, 'decide-variables');
  await page.setViewportSize({ width: 390, height: 844 });
  await look(page, 'decide-variables-phone');
  await page.setViewportSize({ width: 1280, height: 900 });
  await expectAccessible(page);
  await open.getByRole('button', { name: 'Approve with changes' }).click();
  await expect.poll(() => statusOf(handoffId), patiently).toBe('INITIATED');
  const { contextVariables: set } = await db.prisma.session.findUniqueOrThrow({ where: { id: sessionId } });
  expect(set).toMatchObject({ mood: { value: 'calm' }, port: { value: 8080 }, flags: { value: ['fast'] } });
  expect(set).not.toHaveProperty('old');
  const approval = await db.prisma.approval.findUniqueOrThrow({ where: { handoffId } });
  expect(approval).toMatchObject({
    note: 'Mind the port',
    edits: [{ field: 'contextVariables', before: contextVariables }],
  });
  expect(faults).toEqual([]);
}, 120_000);

it('decides by the same keys what is not among the first that are listed, and says when somebody else decides that', async () => {
  const before: string[] = [];
  for (let n = 0; n < 51; n += 1) {
    const sessionId = await session('ada', { title: `Waits longer ${n}` });
    await run(askPerson, { sessionId, question: `Question ${n}?`, options: null });
    before.push(sessionId);
  }
  const [last, other] = [await propose('Not among the first'), await propose('Neither is this')];
  const asks = await session('ada', { title: 'Asks last' });
  await run(askPerson, { sessionId: asks, question: 'And this?', options: ['yes', 'no'] });
  const sessionOf = async (id: string) => (await db.prisma.handoff.findUniqueOrThrow({ where: { id } })).sessionId;
  const opened = async (sessionId: string) => {
    const { page, faults } = await go(`/decide/${encodeId('session', sessionId)}`);
    return { page, faults, open: page.locator('article[data-open=true]') };
  };

  const { page, faults, open } = await opened(await sessionOf(last));
  await open.getByText('Not among the first', { exact: true }).waitFor();
  await page.getByText(/The oldest 50 of 5\d/).waitFor();
  await open.locator('[data-approve][aria-disabled=false]').waitFor();
  await page.keyboard.press('a');
  await expect.poll(() => statusOf(last), patiently).toBe('INITIATED');

  await opened(asks);
  await open.getByText('And this?').waitFor();
  await open.getByRole('button', { name: 'no' }).waitFor();
  await page.keyboard.press('2');
  await expect
    .poll(() => db.prisma.approval.findFirstOrThrow({ where: { sessionId: asks } }), patiently)
    .toMatchObject({ decision: 'ANSWERED', note: 'no' });

  await opened(await sessionOf(other));
  await open.locator('[data-approve][aria-disabled=false]').waitFor();
  await run(declineHandoff, { handoffId: other, reason: 'Too early' });
  await open.getByText('Declined by an operator: Too early').waitFor();
  for (const sessionId of before) await run(cancelSession, { sessionId, expectedVersion: null, reason: null });
  expect(faults).toEqual([]);
}, 120_000);

it('is refused, and shows the present context, when the agent went on meanwhile', async () => {
  const id = await propose('Goes on');
  const { page } = await go('/decide');
  await page.setViewportSize({ width: 320, height: 640 });
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
  // It is in sight, and has the focus.
  const again = page.getByRole('button', { name: 'Approve what is new' });
  await expect.poll(() => again.evaluate((button) => button === document.activeElement), patiently).toBe(true);
  await expect
    .poll(async () => {
      const { y, height } = (await again.boundingBox())!;
      return y >= 0 && y + height <= 640 ? 'in sight' : y;
    }, patiently)
    .toBe('in sight');
  await again.click();
  await expect.poll(() => statusOf(id), patiently).toBe('INITIATED');
}, 120_000);

it('shows what the target would read now, when the target or the session was changed while it is open', async () => {
  const sessionId = await session('ada', { title: 'Named first', handoffApproval: 'REQUIRED' });
  await initiate(sessionId, 'dora', { reason: 'Go' }, { caller: agentCaller('ada') });
  const { page, faults } = await go(`/decide/${encodeId('session', sessionId)}`);
  await page.getByText('Live', { exact: true }).waitFor();
  const shown = page.locator('article[data-open=true]').getByRole('region', { name: 'What is passed on' });
  const text = () => shown.innerText();
  await expect.poll(text, patiently).toContain('Look at the old lock');
  // One after the other: also one that follows the one before at once is in what is shown.
  for (const to of ['Look at the cache', 'Look at the new lock'])
    await run(updateAgent, { id: 'dora', instructions: to });
  await expect.poll(text, patiently).toContain('Look at the new lock');
  await run(updateSession, { sessionId, expectedVersion: null, title: 'Named anew' });
  await expect.poll(text, patiently).toContain('Named anew');
  expect(await text()).not.toContain('Named first');
  // What is refused can be approved as soon as its target can take it.
  await run(setAgentStatus, { id: 'dora', status: 'OFFLINE' });
  const refused = page.getByText('It cannot be approved as it is');
  await refused.waitFor();
  await run(setAgentStatus, { id: 'dora', status: 'AVAILABLE' });
  await expect.poll(() => refused.count(), patiently).toBe(0);
  await run(cancelSession, { sessionId, expectedVersion: null, reason: null });
  expect(faults).toEqual([]);
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

it('wraps options of any length and form within the page, on Decide and on the page of the session', async () => {
  const sessionId = await session('ada', { title: 'Long options' });
  const letters = (length: number) =>
    fc.string({ unit: fc.constantFrom('x', 'W', 'i'), minLength: length, maxLength: length });
  const options = [
    'word '.repeat(99),
    ...fc.sample(fc.oneof(letters(500), letters(69)), { numRuns: 4, seed: 7 }),
    ...fc.sample(
      fc.array(letters(30), { minLength: 16, maxLength: 16 }).map((words) => words.join(' ')),
      { numRuns: 2, seed: 7 },
    ),
  ];
  await run(askPerson, { sessionId, question: options[1]!, options });
  const { page, faults } = await go('/decide');
  for (const path of ['/decide', '/sessions'])
    for (const width of [1280, 320]) {
      await go(`${path}/${encodeId('session', sessionId)}`);
      await page.setViewportSize({ width, height: 900 });
      await expect
        .poll(() => page.getByRole('group', { name: 'Answers to choose from' }).getByRole('button').count(), patiently)
        .toBe(options.length);
      const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
      await expect.poll(async () => ({ path, width: await wide() }), patiently).toEqual({ path, width });
    }
  await run(cancelSession, { sessionId, expectedVersion: null, reason: null });
  expect(faults).toEqual([]);
}, 120_000);

it('decides the next one by a key only after it was shown for a moment', async () => {
  const ids = [await propose('Decided first'), await propose('Not decided by the same press')];
  const { page, faults } = await go('/decide');
  const card = (title: string) =>
    page.locator('article[data-open=true]').filter({ has: page.getByRole('link', { name: title }) });
  await card('Decided first')
    .getByText(/about \d+ tokens/)
    .waitFor();
  // A second press as soon as the next one could be approved.
  await page.evaluate(() => {
    const press = () => document.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
    const first = document.querySelector('article[data-open=true]')!.id;
    const observer = new MutationObserver(() => {
      const open = document.querySelector('article[data-open=true]');
      if (open === null || open.id === first || !/about [\d,]+ tokens/.test(open.textContent)) return;
      observer.disconnect();
      setTimeout(press, 50);
    });
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    press();
  });
  await expect.poll(() => statusOf(ids[0]!), patiently).toBe('INITIATED');
  const approve = card('Not decided by the same press').getByRole('button', { name: 'Approve', exact: true });
  await expect.poll(() => approve.getAttribute('aria-disabled'), patiently).toBe('false');
  expect(await statusOf(ids[1]!)).toBe('PROPOSED');
  await page.keyboard.press('a');
  await expect.poll(() => statusOf(ids[1]!), patiently).toBe('INITIATED');
  expect(faults).toEqual([]);
}, 120_000);

it('acts by the same keys on the page of a session', async () => {
  const id = await propose('By keys on its page');
  const { sessionId } = await db.prisma.handoff.findUniqueOrThrow({ where: { id } });
  const { page, faults } = await go(`/sessions/${encodeId('session', sessionId)}`);
  const card = page.getByRole('article', { name: 'ada hands off to bob' });
  await card.getByText(/about \d+ tokens/).waitFor();
  // Not while one types.
  await page.keyboard.press('d');
  await page.keyboard.type('a');
  await expect.poll(() => card.getByLabel('Why not').inputValue(), patiently).toBe('a');
  await page.keyboard.press('Escape');
  expect(await statusOf(id)).toBe('PROPOSED');
  await page.keyboard.press('a');
  await expect.poll(() => statusOf(id), patiently).toBe('INITIATED');
  const asks = await session('ada', { title: 'Asks on its page' });
  await run(askPerson, { sessionId: asks, question: 'Which one?', options: ['one', 'two'] });
  await go(`/sessions/${encodeId('session', asks)}`);
  await page.getByRole('button', { name: 'two' }).waitFor();
  await page.keyboard.press('2');
  await expect
    .poll(
      async () => (await db.prisma.message.findMany({ where: { sessionId: asks } })).map(({ content }) => content),
      patiently,
    )
    .toEqual(['two']);
  expect(faults).toEqual([]);
}, 120_000);

it('does not approve for a target that cannot take it, and says once why', async () => {
  const sessionId = await session('ada', { title: 'For one that is away', handoffApproval: 'REQUIRED' });
  const { handoffId } = await initiate(sessionId, 'dora', { reason: 'Go' }, { caller: agentCaller('ada') });
  await run(setAgentStatus, { id: 'dora', status: 'OFFLINE' });
  const { page, faults } = await go(`/decide/${encodeId('session', sessionId)}`);
  const open = page.locator('article[data-open=true]');
  const approve = open.getByRole('button', { name: 'Approve', exact: true });
  await expect.poll(() => approve.getAttribute('aria-describedby'), patiently).not.toBeNull();
  expect(await approve.getAttribute('aria-disabled')).toBe('true');
  const why = page.locator(`[id="${await approve.getAttribute('aria-describedby')}"]`);
  const words = await why.locator('span').innerText();
  expect(words).toMatch(/dora/);
  await page.keyboard.press('a');
  await expectAccessible(page);
  expect(await open.getByText(words).count()).toBe(1);
  await run(setAgentStatus, { id: 'dora', status: 'AVAILABLE' });
  await expect.poll(() => approve.getAttribute('aria-disabled'), patiently).toBe('false');
  expect(await statusOf(handoffId)).toBe('PROPOSED');
  await run(cancelSession, { sessionId, expectedVersion: null, reason: null });
  expect(faults).toEqual([]);
}, 120_000);

it('resumes a paused session so that its handoff can be approved, also with a higher budget', async () => {
  const [one, other] = [await propose('Paused by a person'), await propose('Out of tokens')];
  const sessionOf = (id: string) =>
    db.prisma.handoff.findUniqueOrThrow({ where: { id }, select: { session: true } }).then(({ session: of }) => of);
  const [{ id: first }, { id: second }] = [await sessionOf(one), await sessionOf(other)];
  await run(pauseSession, { sessionId: first, expectedVersion: null, reason: 'Lunch' });
  await turn(second, {
    usage: {
      inputTokens: 900,
      outputTokens: 200,
      cacheCreationInputTokens: null,
      cacheReadInputTokens: null,
      model: null,
    },
  });
  await run(updateSession, { sessionId: second, expectedVersion: null, tokenBudget: 1_000 });
  expect(await sessionOf(other)).toMatchObject({ status: 'PAUSED', pauseReason: 'token budget used' });

  const { page, faults } = await go(`/decide/${encodeId('session', first)}`);
  const open = page.locator('article[data-open=true]');
  await open.getByText('The session is paused: Lunch').waitFor();
  await open.getByText('Resume it before you approve.', { exact: false }).waitFor();
  await open.getByText('It cannot be approved as it is').waitFor();
  // What it is about stands there although it is paused.
  await open
    .getByRole('region', { name: 'What is passed on' })
    .getByText('All of Paused by a person is done.')
    .waitFor();
  await look(page, 'decide-paused');
  await expectAccessible(page);
  await page.keyboard.press('r');
  await expect.poll(() => open.getByText('It cannot be approved as it is').count(), patiently).toBe(0);
  await expect.poll(() => open.getByRole('button', { name: 'Resume' }).count(), patiently).toBe(0);
  await page.keyboard.press('a');
  await expect.poll(() => statusOf(one), patiently).toBe('INITIATED');

  await go(`/sessions/${encodeId('session', second)}`);
  const card = page.getByRole('article', { name: 'ada hands off to bob' });
  await card.getByRole('button', { name: 'Resume' }).click();
  await card.getByText(/has used \d+ of 1000 tokens/).waitFor();
  await card.getByLabel('Token budget').fill('5000');
  await card.getByRole('button', { name: 'Resume' }).click();
  await expect.poll(() => sessionOf(other), patiently).toMatchObject({ status: 'RUNNING', tokenBudget: 5_000 });
  await card.getByRole('button', { name: 'Approve', exact: true }).click();
  await expect.poll(() => statusOf(other), patiently).toBe('INITIATED');
  expect(faults).toEqual([]);
}, 120_000);

it('resumes without an answer', async () => {
  const sessionId = await session('ada', { title: 'Needs no answer' });
  await run(askPerson, { sessionId, question: 'Which colour?', options: null });
  const { page, faults } = await go(`/decide/${encodeId('session', sessionId)}`);
  await page.locator('article[data-open=true]').getByRole('button', { name: 'Resume without an answer' }).click();
  await expect
    .poll(() => db.prisma.session.findUniqueOrThrow({ where: { id: sessionId } }), patiently)
    .toMatchObject({ status: 'RUNNING' });
  await noticeOf(page, '"Needs no answer" was resumed.').waitFor();
  expect(faults).toEqual([]);
}, 120_000);

it('says everywhere who decided, when, and what was changed', async () => {
  const { keyId } = await run(createKey, { role: 'OPERATOR', agentId: null, name: 'Alice', expiresAt: null });
  const alice = {
    caller: { principal: encodeId('key', keyId), role: 'OPERATOR', agentId: null, keyId, expiresAt: null } as const,
  };
  const [approved, declined] = [await propose('Approved by a name'), await propose('Declined by a name')];
  const asks = await session('ada', { title: 'Answered by a name' });
  const { questionId } = await run(askPerson, { sessionId: asks, question: 'Which shade?', options: null });
  const sessionOf = async (handoffId: string) =>
    encodeId('session', (await db.prisma.handoff.findUniqueOrThrow({ where: { id: handoffId } })).sessionId);

  // While it is open here, somebody else decides.
  const { page, faults } = await go(`/decide/${await sessionOf(declined)}`);
  const open = page.locator('article[data-open=true]');
  await open.getByText('All of Declined by a name is done.').waitFor();
  await run(declineHandoff, { handoffId: declined, reason: 'Add tests first' }, alice);
  await open.getByText('Declined by Alice: Add tests first').waitFor();
  await go(`/decide/${encodeId('session', asks)}`);
  await open.getByText('Which shade?').waitFor();
  await run(answerQuestion, { questionId, answer: 'Blue' }, alice);
  await open.getByText('Alice answered ada: Blue').waitFor();

  await go(`/handoffs/${encodeId('handoff', approved)}`);
  await page.getByRole('link', { name: 'Decide', exact: true }).last().waitFor();
  await run(
    approveHandoff,
    { handoffId: approved, expectedContentHash: null, edits: { reason: 'Look at the cache' }, note: 'Go' },
    alice,
  );
  await go(`/handoffs/${encodeId('handoff', approved)}`);
  await page.getByText(/Approved by Alice, who changed the reason, .*: Go/).waitFor();
  const changes = page.getByLabel('Changes');
  await changes.locator('del', { hasText: 'The tests are green' }).waitFor();
  await changes.locator('ins', { hasText: 'Look at the cache' }).waitFor();
  await expectAccessible(page);
  await go('/handoffs');
  await page.getByText(/Approved by Alice, who changed the reason/).waitFor();
  await page.getByText(/Declined by Alice .*: Add tests first/).waitFor();
  await go(`/sessions/${await sessionOf(declined)}?view=handoffs`);
  await page.getByText(/Declined by Alice .*: Add tests first/).waitFor();
  await go(`/sessions/${await sessionOf(approved)}`);
  await page.locator('[data-change=HANDOFF_APPROVED]', { hasText: 'Approved by Alice' }).waitFor();
  await page.locator('[data-routed]', { hasText: 'Approved by Alice, who changed the reason' }).waitFor();
  await page.getByText('What was changed before the approval').click();
  await page.locator('[data-routed] del', { hasText: 'The tests are green' }).waitFor();
  await go(`/sessions/${encodeId('session', asks)}`);
  await page.locator('[data-change=QUESTION_ANSWERED]', { hasText: 'Answered by Alice' }).waitFor();
  expect(faults).toEqual([]);
}, 120_000);

describe('edits', () => {
  const given: EditDraft = {
    targetAgentId: 'bob',
    reason: 'Why',
    summary: 'Done',
    instructions: '',
    variables: [],
    note: '',
    carry: null,
  };
  const text = fc.constantFrom('', ' ', 'Why', ' Why ', 'Done', 'Be quick');
  const carry = fc.option(
    fc.record({
      messages: fc.constantFrom('ALL' as const, 'HUMAN' as const),
      files: fc.boolean(),
      maxTokens: fc.constantFrom('', '500'),
    }),
  );
  const variables = fc.array(fc.record({ name: fc.constantFrom('', 'a', 'b'), text: fc.constantFrom('', '1', 'x') }), {
    maxLength: 3,
  });
  const draftOf = fc
    .record({
      targetAgentId: fc.constantFrom('', 'bob', 'cy'),
      reason: text,
      summary: text,
      instructions: text,
      variables,
      note: fc.constantFrom('', 'Good'),
      carry,
    })
    .map((draft): EditDraft => ({ ...draft, carry: draft.carry && { ...everything, ...draft.carry } }));
  const names: Partial<Record<string, string>> = {
    Target: 'targetAgentId',
    Reason: 'reason',
    Summary: 'summary',
    Instructions: 'instructions',
    'What is passed on': 'carry',
  };

  const nameOf = (label: string) => (label.startsWith('Variable ') ? 'contextVariables' : names[label]);

  it('sends each field that the difference shows, and no other', () => {
    fc.assert(
      fc.property(draftOf, draftOf, (one, other) => {
        const from = one.targetAgentId === '' ? { ...one, targetAgentId: 'bob' } : one;
        const changes = changesOf(from, other);
        expect(Object.keys(editsOf(from, other) ?? {})).toEqual(
          // The note is sent beside them.
          [...new Set(changes.map(({ label }) => nameOf(label)))].filter((name) => name !== undefined),
        );
        for (const { before, after } of changes) expect(after).not.toBe(before);
        expect(editsOf(from, { ...from, note: '' })).toBeNull();
        expect(changesOf(from, { ...from, note: '' })).toEqual([]);
      }),
    );
  });

  it('reads a variable as the value that its text shows, and shows each value as itself', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.constantFrom('5', 'true', '"x"', '{', ' a ')), (value) => {
        const json = JSON.parse(JSON.stringify(value)) as unknown;
        expect(valueOf(textOf(json))).toEqual(json);
      }),
    );
    expect(
      variablesOf([
        { name: ' a ', text: 'calm' },
        { name: '', text: '1' },
        { name: 'b', text: '{"c":1}' },
      ]),
    ).toEqual({
      a: 'calm',
      b: { c: 1 },
    });
    expect(variablesOf([{ name: '', text: '1' }])).toBeNull();
  });

  it('removes what was emptied, and passes everything on when a part is no part', () => {
    expect(editsOf(given, { ...given, reason: ' Why ', targetAgentId: ' ' })).toBeNull();
    expect(editsOf(given, { ...given, carry: everything })).toBeNull();
    expect(editsOf(given, { ...given, reason: '', summary: '', instructions: 'Be quick' })).toEqual({
      reason: null,
      summary: null,
      instructions: 'Be quick',
    });
    const part = { ...everything, files: false };
    expect(editsOf({ ...given, carry: part }, given)).toEqual({ carry: null });
    expect(changesOf(given, { ...given, summary: '' })).toEqual([
      { label: 'Summary', before: 'Done', after: '', none: 'composed from the log' },
    ]);
  });
});

it('pages on from the oldest 50, and reads all that it showed again', async () => {
  for (let at = 1; at <= 53; at += 1) {
    const id = await session('ada', { title: `Asks ${at}` });
    await run(askPerson, { sessionId: id, question: `Number ${at}?`, options: ['yes'] });
  }
  const { page, faults } = await go('/decide');
  const cards = page.getByRole('article');
  await expect.poll(() => cards.count(), patiently).toBe(50);
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect.poll(() => cards.count(), patiently).toBeGreaterThanOrEqual(53);
  expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0);
  const all = await cards.count();
  await page.getByRole('button', { name: 'ada asks' }).last().click();
  await page.keyboard.press('1');
  await expect.poll(() => cards.count(), patiently).toBe(all - 1);
  expect(faults).toEqual([]);
  for (const { id: sessionId } of await db.prisma.session.findMany({ where: { title: { startsWith: 'Asks ' } } }))
    await run(cancelSession, { sessionId, expectedVersion: null, reason: null });
}, 120_000);

it('opens what a session waits for, so that one key approves it, or says that it waits for no decision', async () => {
  await propose('An earlier one');
  const id = await propose('The one that was notified of');
  const { sessionId } = await db.prisma.handoff.findUniqueOrThrow({ where: { id } });
  const path = `/decide/${encodeId('session', sessionId)}`;
  const { page, faults } = await go(path);
  const open = page.locator('article[data-open=true]');
  await open.getByRole('link', { name: 'The one that was notified of' }).waitFor();
  await expect.poll(() => open.evaluate((card) => card === document.activeElement), patiently).toBe(true);
  await open.getByText(/about \d+ tokens/).waitFor();
  await page.keyboard.press('a');
  await expect.poll(() => statusOf(id), patiently).toBe('INITIATED');
  // An approval is taken back until the target accepts.
  await noticeOf(page, /gets "The one that was notified of"/).waitFor();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect.poll(() => statusOf(id), patiently).toBe('CANCELLED');
  await go(path);
  await page.getByText('That session waits for no decision now.').waitFor();
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
