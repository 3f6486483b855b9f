import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { acceptHandoff, rejectHandoff } from '../../server/work/handoffs/changeHandoff.ts';
import { look, openBrowser, patiently, unfold, requestsOf, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';
import { drawChain, lanesOf, mostLanes, step, type Tenure } from './chain.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, reassign, turn, run } = world(db.pool);

let visit: (path: string, options?: object) => Promise<Visit>;
let go: (path: string) => Promise<Visit>;
let long: string;
let longer: string;

const name = (number: number) => `worker-of-the-platform-team-${number}`;

/** A session that went to this many agents in turn, every fourth handoff superseded by the next one. */
async function passedOn(moves: number, agents: number): Promise<string> {
  const id = await session(name(0), { title: `Passed on ${moves} times` });
  for (let move = 1; move <= moves; move += 1) {
    await reassign(id, { agentId: name(move % agents), reason: `Move ${move}`, skipHandoff: move % 7 === 3 });
    if (move % 4 === 0) continue;
    const { rows } = await db.pool.query<{ id: string }>(
      "SELECT id FROM handoffs WHERE session_id = $1 AND status = 'INITIATED'",
      [id],
    );
    for (const { id: handoffId } of rows) await run(acceptHandoff, { handoffId });
    await turn(id);
  }
  return encodeId('session', id);
}

beforeAll(async () => {
  for (let number = 0; number < 14; number += 1) await agent(name(number), { maxCapacity: 50 });
  long = await passedOn(20, 14);
  longer = await passedOn(110, 9);
  ({ visit, go } = await openBrowser(url));
}, 300_000);

const chain = (page: Page) => page.getByRole('region', { name: 'Chain, drawn' });

/** The names in sight, and the number of bars in the lane of each. */
const lanes = (page: Page): Promise<{ name: string; bars: number }[]> =>
  chain(page).evaluate((region) => {
    const bars = [...region.querySelectorAll('rect')].map((bar) => bar.getBoundingClientRect());
    const inSight = [...region.querySelectorAll('span')].filter(
      (lane) =>
        lane.getBoundingClientRect().width > 60 &&
        lane.getBoundingClientRect().left >= region.getBoundingClientRect().left,
    );
    return inSight.map((lane) => {
      const { top, bottom } = lane.getBoundingClientRect();
      return {
        name: lane.textContent,
        bars: bars.filter((bar) => Math.abs(bar.top + bar.bottom - top - bottom) < 6).length,
      };
    });
  });

describe('the drawn chain of a session that many agents held', () => {
  it('has every bar in the lane of its name: the busiest agents, and one lane for the others', async () => {
    const { page, faults } = await go(`/sessions/${long}`);
    await unfold(page, 'Chain');
    await page.getByText('14 agents held this session, in 21 steps.').waitFor();
    const folded = await lanes(page);
    expect(folded).toHaveLength(8);
    expect(folded[0]!.name).toBe(name(20 % 14));
    expect(folded.at(-1)!.name).toBe('7 other agents');
    expect(folded.reduce((sum, { bars }) => sum + bars, 0)).toBe(21);
    await look(page, 'chain-folded');
    await page.getByRole('button', { name: 'A lane for each of the 14 agents' }).click();
    const all = await lanes(page);
    expect(all).toHaveLength(14);
    expect(all.reduce((sum, { bars }) => sum + bars, 0)).toBe(21);
    await page.getByRole('button', { name: 'Only the 7 busiest agents' }).click();
    expect(await lanes(page)).toHaveLength(8);
    expect(faults).toEqual([]);
  }, 120_000);

  it('scrolls names and bars together, and shows the newest step first', async () => {
    const { page } = await visit(`/sessions/${long}`, { viewport: { width: 390, height: 844 } });
    await unfold(page, 'Chain');
    await page.getByText('14 agents held this session, in 21 steps.').waitFor();
    const inside = await chain(page).evaluate((region) => {
      const last = [...region.querySelectorAll('rect')].at(-1)!.getBoundingClientRect();
      const box = region.getBoundingClientRect();
      const scrollers = [region, ...region.querySelectorAll('*')].filter((each) =>
        /auto|scroll/.test(getComputedStyle(each).overflow),
      );
      return { newest: last.right <= box.right + 1 && last.left >= box.left, scrollers: scrollers.length };
    });
    expect(inside).toEqual({ newest: true, scrollers: 1 });
    const seen = await lanes(page);
    expect([seen.length, seen.every(({ bars }) => bars > 0)]).toEqual([8, true]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await look(page, 'chain-narrow');
  }, 120_000);

  it('leads from every bar and every line to what it stands for, and explains its colours', async () => {
    const { page } = await go(`/sessions/${long}`);
    await unfold(page, 'Chain');
    await page.getByText('14 agents held this session, in 21 steps.').waitFor();
    const drawn = await chain(page).evaluate((region) => ({
      bars: region.querySelectorAll('a[href^="/sessions?agent="] rect').length,
      lines: region.querySelectorAll(
        'a[href^="/handoffs/"] path:first-of-type, a[href$="?view=handoffs"] path:first-of-type',
      ).length,
      states: [...new Set([...region.querySelectorAll('rect')].map((bar) => bar.dataset.state))].length,
    }));
    expect(drawn).toEqual({ bars: 21, lines: 20, states: 3 });
    for (const word of [
      'Not accepted yet',
      'Handed off',
      'Declined',
      'Without a handoff',
      'Taken over',
      'Cancelled',
      'Waiting',
    ])
      await page.locator('figcaption').getByText(word, { exact: true }).waitFor();
    const end = await chain(page).evaluate((region) => {
      const line = [...region.querySelectorAll<SVGPathElement>('a[href^="/handoffs/"] path:first-of-type')].at(-1)!;
      const point = line.getPointAtLength(line.getTotalLength() / 2).matrixTransform(line.getScreenCTM()!);
      return { x: point.x, y: point.y };
    });
    await page.mouse.click(end.x, end.y);
    await page.getByRole('heading', { name: `${name(5)} to ${name(6)}` }).waitFor();
  }, 120_000);

  it('reaches every line and bar by Tab, each with a name, and can be skipped', async () => {
    const { page } = await go(`/sessions/${long}`);
    await unfold(page, 'Chain');
    await page.getByText('14 agents held this session, in 21 steps.').waitFor();
    const focused = () =>
      page.evaluate(
        () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
      );
    const skip = page.getByRole('link', { name: 'Skip the 41 links of the chain' });
    await skip.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('A lane for each of the 14 agents');
    await skip.focus();
    const names: string[] = [];
    for (let press = 0; press < 41; press += 1) {
      await page.keyboard.press('Tab');
      names.push(await focused());
    }
    expect(
      names.filter((each) => /^worker-of-the-platform-team-\d+ to worker-of-the-platform-team-\d+: \w+/.test(each))
        .length,
    ).toBe(17);
    expect(names.filter((each) => each.endsWith('without a handoff')).length).toBe(3);
    expect(
      await chain(page)
        .getByRole('link', { name: /^worker-of-the-platform-team-\d/ })
        .count(),
    ).toBe(41);
    expect(
      names
        .slice(20)
        .every((each) => /^worker-of-the-platform-team-\d+: (handed off|declined|not accepted yet)$/.test(each)),
    ).toBe(true);
    // The last bar has the focus: it is drawn in its colour, inside of the scroller.
    const last = await chain(page).evaluate((region) => {
      const bar = document.activeElement!.querySelector('rect')!;
      const [box, inside] = [bar.getBoundingClientRect(), region.getBoundingClientRect()];
      return {
        stroke: getComputedStyle(bar).strokeWidth,
        visible: box.left >= inside.left && box.right <= inside.right + 1,
      };
    });
    expect(last).toEqual({ stroke: '4px', visible: true });
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).search, patiently).toBe(`?agent=${name(20 % 14)}`);
  }, 120_000);

  it('begins with the newest 100 steps, and shows all of them by one more request', async () => {
    const { page } = await visit(`/sessions/${longer}`, { reducedMotion: 'reduce' });
    await unfold(page, 'Chain');
    await page.getByText('9 agents held this session in its newest 100 of 111 steps, which are drawn.').waitFor();
    await expect.poll(() => chain(page).locator('rect').count(), patiently).toBe(100);
    await page.waitForLoadState('networkidle');
    // The newest step stays in sight: the others appear to the left.
    const newest = () =>
      chain(page).evaluate(
        (region) =>
          region.getBoundingClientRect().right -
          [...region.querySelectorAll('rect')].at(-1)!.getBoundingClientRect().right,
      );
    const before = await newest();
    const requests = requestsOf(page);
    await page.getByRole('button', { name: 'Show earlier' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('9 agents held this session, in 111 steps.').waitFor();
    await expect.poll(() => chain(page).locator('rect').count(), patiently).toBe(111);
    expect(requests).toHaveLength(1);
    expect(Math.abs((await newest()) - before)).toBeLessThan(2);
    // The button is gone: the focus is where the next link is reached.
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('FIGCAPTION');
  }, 120_000);

  it('has every move without a handoff in the table, also those of its oldest steps', async () => {
    const { page, faults } = await visit(`/sessions/${longer}?view=handoffs`);
    const moves = page.locator('tbody[data-moved]');
    for (let shown = 20; shown < 94; shown += 20) {
      await page.getByText(`${shown} of 94 handoffs`).waitFor();
      await page.waitForLoadState('networkidle');
      const requests = requestsOf(page);
      await page.getByRole('button', { name: 'Load more' }).click();
      await page.getByText(`${Math.min(94, shown + 20)} of 94 handoffs`).waitFor();
      await page.waitForLoadState('networkidle');
      expect(requests.length).toBeLessThanOrEqual(2);
    }
    await expect.poll(() => moves.count(), patiently).toBe(16);
    // The first move is the third, between the second handoff and the third.
    expect(
      await page
        .locator('table > tbody')
        .evaluateAll((rows) => rows.findLastIndex((row) => row.hasAttribute('data-moved')) - rows.length),
    ).toBe(-4);
    expect(await moves.last().textContent()).toContain('Move 3');
    expect(await page.getByRole('button', { name: 'Show earlier moves' }).count()).toBe(0);
    expect(faults).toEqual([]);
  }, 120_000);
});

describe('a link of a chain', () => {
  it('says why its handoff was declined, not why the work was given', async () => {
    const id = await session(name(0), { title: 'Declined' });
    const { handoffId } = await reassign(id, { agentId: name(1), reason: 'Given for its tests' });
    await run(rejectHandoff, { handoffId: handoffId!, reason: 'It has no tests' });
    const { page, faults } = await go(`/sessions/${encodeId('session', id)}`);
    const link = chain(page).getByRole('link', { name: `${name(0)} to ${name(1)}: rejected. Why: It has no tests` });
    await link.waitFor();
    expect(await chain(page).textContent()).not.toContain('Given for its tests');
    expect(faults).toEqual([]);
  }, 60_000);

  it('starts at the tenure that handed off, also when another held the session in between', () => {
    const handoff = (from: string): Tenure['initiatedByHandoff'] => ({
      id: `from ${from}`,
      status: 'INITIATED',
      sourceAgentSession: { id: from },
    });
    const given: Tenure[] = [
      { id: '1', state: 'HANDED_OFF', agent: { id: 'ann' } },
      { id: '2', state: 'DECLINED', agent: { id: 'bob' }, initiatedByHandoff: handoff('1') },
      { id: '3', state: 'PENDING', agent: { id: 'cyd' }, initiatedByHandoff: handoff('1') },
    ];
    expect(drawChain(given, lanesOf(given, false)).links.map(({ title }) => title)).toEqual([
      'ann to bob',
      'ann to cyd',
    ]);
  });
});

describe('the lanes of a chain', () => {
  const chains = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 60 });
  const tenures = (holders: number[]): Tenure[] =>
    holders.map((holder, index) => ({ id: String(index), state: 'HANDED_OFF', agent: { id: `agent-${holder}` } }));

  it('hold every tenure inside the drawing, whatever the chain, with the last holder in a lane of its own', () => {
    fc.assert(
      fc.property(chains, fc.boolean(), (holders, unfolded) => {
        const given = tenures(holders);
        const drawn = lanesOf(given, unfolded);
        const { bars, links, width, height } = drawChain(given, drawn);
        const count = new Set(holders).size;
        expect(drawn.own.length + drawn.shared.length).toBe(count);
        expect(drawn.own).toContain(given.at(-1)!.agent.id);
        if (!unfolded) expect(height / step.lane).toBeLessThanOrEqual(mostLanes);
        expect([bars.length, links.length]).toEqual([holders.length, holders.length - 1]);
        for (const { x, y } of bars) expect(x >= 0 && x < width && y > 0 && y < height).toBe(true);
      }),
    );
  });

  it('are those of the busiest agents', () => {
    fc.assert(
      fc.property(chains, (holders) => {
        const given = tenures(holders);
        const { own, shared } = lanesOf(given, false);
        const count = (id: string) => given.filter(({ agent: { id: each } }) => each === id).length;
        const least = Math.min(...own.filter((id) => id !== given.at(-1)!.agent.id).map(count));
        for (const id of shared) expect(count(id)).toBeLessThanOrEqual(least);
      }),
    );
  });
});
