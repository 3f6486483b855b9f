import { launchChromium } from '../test/chromium.ts';
import { loadBulk } from '../test/bulk.ts';
import { longestTaskOfScroll, showSessions } from '../test/scrolling.ts';
import { startBaton } from './listening.ts';
import type { Place } from './place.ts';
import { atMost, spread, type Line } from './report.ts';
import { alternate, ratioOf } from './rounds.ts';

const sessions = 1_000;
/** Milliseconds; longer tasks are long tasks: https://www.w3.org/TR/longtasks-1/ */
const goal = 50;

/** Scrolls the dashboard's longest list by wheel with the processor slowed four-fold. */
export async function scroll(place: Place): Promise<Line[]> {
  const { url } = await place.database();
  await loadBulk(url, { sessions, handoffs: 2 });
  const server = await startBaton({ DATABASE_URL: url });
  place.atEnd(server.stop);
  const browser = await launchChromium(place.atEnd);
  const open = async (css = ''): Promise<() => Promise<number>> => {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
    await page.goto(server.url);
    await page.evaluate((text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      document.adoptedStyleSheets = [sheet];
    }, css);
    await showSessions(page, sessions);
    return () => longestTaskOfScroll(page);
  };
  const { ours, whole } = await alternate(5, {
    ours: await open(),
    whole: await open('* { content-visibility: visible !important; }'),
  });
  return [
    {
      what: `The longest task while ${sessions.toLocaleString('en-US')} sessions are scrolled through, processor slowed four-fold`,
      figure: spread(ours, 'ms'),
      beside: `the same page without skipping what is out of sight: ${spread(whole, 'ms')}`,
      ratio: ratioOf(ours, whole),
      goal: atMost(ours.median, goal, ' ms'),
    },
  ];
}
