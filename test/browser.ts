import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type axe from 'axe-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect, onTestFinished, TestRunner } from 'vitest';
import { launchChromium } from './chromium.ts';
import { alone, atEnd } from './database.ts';

/** Timeouts for pages on a busy machine. */
export const patiently = { timeout: 60_000, interval: 100 };

export interface Visit {
  page: Page;
  /** Requests to other hosts, errors and violations of the Content-Security-Policy. */
  faults: string[];
}

let built: Promise<void> | undefined;
let shared: Promise<Browser> | undefined;

/** This worker's browser, shared by its test files. Each caller closes the contexts it opens. */
export async function sharedBrowser(): Promise<Browser> {
  if (shared !== undefined && !(await shared).isConnected()) shared = undefined;
  return (shared ??= launchChromium(() => undefined));
}

/** Builds the dashboard if its sources changed: one worker builds, the others wait. */
export const buildDashboard = (): Promise<void> =>
  (built ??= alone(
    'dashboard',
    async () => void (await promisify(execFile)(process.execPath, ['--import', 'tsx', 'client/build.ts'])),
  ));

interface OpenBrowser {
  /** Loads the dashboard in a page of its own, which closes with its test. */
  visit(path: string, options?: BrowserContextOptions): Promise<Visit>;
  /**
   * Goes to another address in a page that the tests of this file share, without loading the dashboard again: a third of the time.
   * For tests that leave no route, listener or setting of the page behind. It keeps its faults.
   */
  go(path: string): Promise<Visit>;
}

/** Opens dashboard pages at `url` in a real browser, built first if the sources changed. */
export async function openBrowser(url: string): Promise<OpenBrowser> {
  await buildDashboard();
  const browser = await sharedBrowser();
  const viewport = { width: 1280, height: 900 };

  const open = async (
    path: string,
    options: BrowserContextOptions,
    closeWith: (close: () => Promise<void>) => void,
  ): Promise<Visit> => {
    const context = await browser.newContext({ viewport, ...options });
    closeWith(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(patiently.timeout);
    const faults: string[] = [];
    page.on('request', (request) => {
      const { protocol, host } = new URL(request.url());
      if (/^(http|ws)s?:$/.test(protocol) && host !== new URL(url).host)
        faults.push(`asked another host: ${request.url()}`);
    });
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && /content security policy|react|warning/i.test(message.text()))
        faults.push(message.text());
    });
    await page.goto(`${url}${path}`);
    return { page, faults };
  };

  let shared: Visit | undefined;
  const go = async (path: string): Promise<Visit> => {
    if (shared === undefined) return (shared = await open(path, {}, atEnd));
    await shared.page.setViewportSize(viewport);
    await shared.page.mouse.move(0, 0);
    await turnTo(shared.page, path);
    return shared;
  };
  return { visit: (path, options = {}) => open(path, options, closeWithTest), go };
}

/** Goes to another address of the dashboard as its links do, without loading it again. */
export async function turnTo(page: Page, path: string): Promise<void> {
  await page.evaluate(async (target) => {
    // Of the page before nothing is left, also where the next one has the same components.
    history.pushState(null, '', '/_elsewhere');
    for (const close of document.querySelectorAll<HTMLElement>('[aria-label="Close the notice"]')) close.click();
    await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
    history.pushState(null, '', target);
  }, path);
}

/** Closes it with its file if a hook opened it. */
function closeWithTest(close: () => Promise<void>): void {
  if (TestRunner.getCurrentTest() === undefined) atEnd(close);
  else onTestFinished(close);
}

/** Searches and chooses an agent in the field with this name. */
export async function chooseAgent(within: Page | Locator, agentId: string, field = 'Agent'): Promise<void> {
  await within.getByRole('combobox', { name: field, exact: true }).fill(agentId);
  await within.getByRole('option', { name: new RegExp(`\\b${agentId}\\b`) }).click();
}

/** A notice of the page with this text. */
export const noticeOf = (page: Page, text: string | RegExp): Locator =>
  page.getByRole('region', { name: 'Notices' }).getByText(text);

// A fifth of the time of a check is the page's reading of axe: half of that without what `axe.source` has for readers, none in a page that has it.
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Fails on serious and critical findings of axe, of all rules that have such or of those named. */
export async function expectAccessible(page: Page, rules: string[] = []): Promise<void> {
  // Chromium returns the old theme's colours for offscreen content that was not repainted.
  await page.evaluate(() => {
    const everything = new CSSStyleSheet();
    everything.replaceSync('* { content-visibility: visible !important; transition: none !important; }');
    document.adoptedStyleSheets = [everything];
  });
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  const { violations } = await page.evaluate(
    // Findings only: describing what passed takes half of the time. A quarter of the rest is taken by rules with lesser findings.
    (values) => {
      const { axe: checker } = globalThis as unknown as {
        axe: typeof axe & { _audit: { rules: { id: string; impact: string }[] } };
      };
      const lesser = checker._audit.rules
        .filter(({ impact }) => impact === 'moderate' || impact === 'minor')
        .map(({ id }) => [id, { enabled: false }] as const);
      return checker.run(document, {
        resultTypes: ['violations'],
        ...(values.length > 0 ? { runOnly: { type: 'rule', values } } : { rules: Object.fromEntries(lesser) }),
      });
    },
    rules,
  );
  await page.evaluate(() => (document.adoptedStyleSheets = []));
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(
    grave.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ html }) => html)
          .join(' | ')}`,
    ),
  ).toEqual([]);
}

/** Checks a page with axe, its colours in both themes; saves screenshots where BATON_SCREENSHOTS names a folder. */
export async function look(page: Page, name: string): Promise<void> {
  const folder = process.env['BATON_SCREENSHOTS'];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expectAccessible(page, colorScheme === 'dark' ? ['color-contrast'] : []);
    if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
}

/** The time of a fixed workload relative to the reference machine, at least 1. */
export function measureSlowness(): number {
  const before = process.cpuUsage();
  let sum = 0;
  for (let count = 0; count < 2e7; count += 1) sum = (sum + count * 7) % 1_000_003;
  expect(sum).toBeGreaterThan(0);
  return Math.max(1, process.cpuUsage(before).user / 1_000 / 100);
}

/**
 * The requests of a page from now on. Without the code that it loads when it is idle, and without the counts of unread handoffs and of
 * what needs attention, which are read again once for several events.
 */
export function requestsOf(page: Page): string[] {
  const requests: string[] = [];
  page.on('request', (request) => {
    const asked = request.postData() ?? request.url();
    if (!asked.includes('/assets/') && !/"operationName":"(Unread|AttentionCount)"/.test(asked)) requests.push(asked);
  });
  return requests;
}

/** Makes what the page has read two seconds older: counts younger than 1.5 s may include a change already, and are read again. */
export const letCountsSettle = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const now = performance.now.bind(performance);
    performance.now = () => now() + 2_000;
  });

/** Opens a folded part of the page, unless it is open. */
export async function unfold(page: Page, name: string | RegExp): Promise<void> {
  const button = page.getByRole('button', { name, exact: true });
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
}
