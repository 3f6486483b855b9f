import type { CDPSession, Page } from 'playwright-core';

/** Loads all sessions on the page of sessions. */
export async function showSessions(page: Page, total: number): Promise<void> {
  const all = total.toLocaleString('en-US');
  for (let shown = 50; shown < total; shown += 50) {
    await page.getByText(`${shown.toLocaleString('en-US')} of ${all} sessions`).waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
  }
  await page.getByText(`${all} of ${all} sessions`).waitFor();
  await page.waitForLoadState('networkidle');
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Processor time in microseconds, without other processes. */
  tdur?: number;
}

/** Wheel notches per two frames: faster than by hand. */
const notches = 5;

const afterTwoFrames = () =>
  new Promise<boolean>((resolve) =>
    requestAnimationFrame(() =>
      requestAnimationFrame(() => resolve(scrollY + innerHeight >= document.documentElement.scrollHeight - 2)),
    ),
  );

/**
 * Scrolls from top to bottom by wheel with the processor slowed four-fold and returns the longest task in milliseconds of
 * processor time, garbage collection included.
 */
export async function longestTaskOfScroll(page: Page): Promise<number> {
  await page.bringToFront();
  await page.evaluate(async () => {
    scrollTo(0, 0);
    for (let frame = 0; frame < 10; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const events = await traced(devtools, () => turnWheel(page, devtools));
  await devtools.detach();
  const thread = busiestThread(events.filter(({ name }) => name === 'PrePaint'));
  const tasks = events.filter((event) => event.name === 'ThreadControllerImpl::RunTask' && threadOf(event) === thread);
  if (tasks.length < 50) throw new Error(`Only ${tasks.length} tasks were traced while the page was scrolled`);
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}

const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;

/** The thread with the most paint work belongs to the page in front; other pages may be open. */
function busiestThread(events: readonly TraceEvent[]): string | undefined {
  const counts = new Map<string, number>();
  for (const event of events) counts.set(threadOf(event), (counts.get(threadOf(event)) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}

async function turnWheel(page: Page, devtools: CDPSession): Promise<void> {
  for (let step = 0; step < 400; step += 1) {
    await devtools.send('Input.dispatchMouseEvent', {
      type: 'mouseWheel',
      x: 600,
      y: 500,
      deltaX: 0,
      deltaY: notches * 120,
    });
    if (await page.evaluate(afterTwoFrames)) return;
  }
  throw new Error('The wheel did not reach the end of the page');
}

async function traced(devtools: CDPSession, work: () => Promise<void>): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  devtools.on('Tracing.dataCollected', ({ value }) => void events.push(...(value as object[] as TraceEvent[])));
  const complete = new Promise((resolve) => devtools.once('Tracing.tracingComplete', resolve));
  await devtools.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'devtools.timeline'] },
  });
  await work();
  await devtools.send('Tracing.end');
  await complete;
  return events;
}
