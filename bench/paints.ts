import type { Page } from 'playwright-core';
import { encodeId } from '../server/core/ids.ts';
import { loadBulk } from '../test/bulk.ts';
import { launchChromium } from '../test/chromium.ts';
import { showSessions } from '../test/scrolling.ts';
import { toolCall, world } from '../test/world.ts';
import { startBaton } from './listening.ts';
import type { Place } from './place.ts';
import { atMost, spread, type Line } from './report.ts';
import { alternate } from './rounds.ts';

const sessions = 2_000;
/** Milliseconds to the next paint. */
const goal = 200;

/** Types, opens the palette and opens a call, with 2,000 sessions drawn and the processor slowed four-fold. */
export async function paints(place: Place): Promise<Line[]> {
  const { url, pool, patient } = await place.database();
  await loadBulk(url, { sessions: sessions - 1, handoffs: 2 });
  await patient.query(
    `INSERT INTO search_entries (kind, id, session_id, words) SELECT 'SESSION', id, id, search_words(title, 'A') FROM sessions`,
  );
  const { agent, session, turn } = world(pool);
  await agent('claude-1');
  const uuid = await session('claude-1', { title: 'Calls' });
  const edit = {
    file_path: 'src/a.ts',
    old_string: 'const a = 1;\n'.repeat(200),
    new_string: 'const a = 2;\n'.repeat(200),
  };
  for (let nth = 0; nth < 20; nth += 1) {
    await turn(uuid, {
      messages: [{ role: 'ASSISTANT', content: `Message ${nth}` }],
      toolCalls: Array.from({ length: 5 }, (_, at) =>
        toolCall(`c${nth}-${at}`, 'Edit', { arguments: edit, durationMs: 5 }),
      ),
    });
  }
  const server = await startBaton({ DATABASE_URL: url });
  place.atEnd(server.stop);
  const browser = await launchChromium(place.atEnd);
  const open = async (path: string): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
    await page.goto(`${server.url}${path}`);
    return page;
  };
  const list = await open('/sessions');
  await showSessions(list, sessions);
  // The page reads the palette's code when it has nothing else to do.
  await list.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => /Palette.*\.js/.test(name)),
  );
  const log = await open(`/sessions/${encodeId('session', uuid)}`);
  const calls = log.getByRole('region', { name: 'Conversation' }).locator('summary');
  await calls.last().waitFor();
  await log.waitForLoadState('networkidle');
  for (const page of [list, log])
    await page
      .context()
      .newCDPSession(page)
      .then((devtools) => devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 }));
  const search = list.getByRole('searchbox', { name: 'Search the titles' });
  const { typed, opened, typedThere, call } = await alternate(5, {
    typed: async () => {
      await list.bringToFront();
      await search.focus();
      const took = await paintAfter(list, 'keydown', () => list.keyboard.press('w'));
      await list.keyboard.press('Backspace');
      await list.getByText(`${sessions.toLocaleString('en-US')} sessions`).waitFor();
      await list.waitForLoadState('networkidle');
      return took;
    },
    opened: () => paintAfter(list, 'keydown', () => list.keyboard.press('Control+k')),
    typedThere: async () => {
      await list.locator('dialog[open] input').waitFor();
      await list.keyboard.type('wor');
      await list
        .getByRole('status')
        .getByText(/20 or more results/)
        .waitFor();
      const took = await paintAfter(list, 'keydown', () => list.keyboard.press('k'));
      await list.keyboard.press('Escape');
      await list.locator('dialog[open]').waitFor({ state: 'detached' });
      return took;
    },
    call: async () => {
      await log.bringToFront();
      const took = await paintAfter(log, 'click', () => calls.last().click());
      await log.getByRole('region', { name: 'Changed lines of src/a.ts' }).first().waitFor();
      await calls.last().click();
      return took;
    },
  });
  const of = {
    'a letter in the search of sessions': typed,
    'the palette opened': opened,
    'a letter in the palette': typedThere,
    'a call opened': call,
  };
  return Object.entries(of).map(([what, ms]) => ({
    what: `To the next paint, ${sessions.toLocaleString('en-US')} sessions, processor slowed four-fold: ${what}`,
    figure: spread(ms, 'ms'),
    goal: atMost(ms.median, goal, ' ms'),
  }));
}

/** Milliseconds from an event to the end of the frame that paints what it changed. */
export async function paintAfter(page: Page, event: string, act: () => Promise<void>): Promise<number> {
  await page.evaluate((name) => {
    const took = new Promise<number>((resolve) =>
      addEventListener(
        name,
        ({ timeStamp }) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp))),
        { once: true, capture: true },
      ),
    );
    Object.assign(window, { took });
  }, event);
  await act();
  return page.evaluate(() => (window as unknown as { took: Promise<number> }).took);
}
