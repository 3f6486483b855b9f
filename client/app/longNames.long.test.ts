import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { createHandoffTool } from '../../server/work/tools/changeTool.ts';
import { look, openBrowser, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, turn, reassign, pipeline, advance, run } = world(db.pool);

const longest = `https://example.com/${'w'.repeat(480)}`;
const titles = [longest, 'Retry partial failures of the ingestion without loss', 'Short'];
const source = 'platform-migration-orchestrator-for-eu-west-legacy-1';
const target = 'platform-migration-reviewer-for-eu-west-legacy-2';
let visit: (path: string, options?: object) => Promise<Visit>;
let handed: string;
let handoff: string;
let tool: string;
let staged: string;

beforeAll(async () => {
  await agent(source, { maxCapacity: 50 });
  await agent(target, { maxCapacity: 50, type: 'CODEX' });
  for (const title of titles) {
    const id = await session(source, { title });
    await turn(id, { messages: [{ role: 'ASSISTANT', content: longest }] });
    await reassign(id, { agentId: target, reason: longest });
    if (title !== longest) continue;
    handed = encodeId('session', id);
    const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM handoffs WHERE session_id = $1', [id]);
    handoff = encodeId('handoff', rows[0]!.id);
  }
  const [first, second, third] = ['f', 's', 't'].map((letter) => letter.repeat(64)) as [string, string, string];
  const anybody = { role: null };
  await pipeline(
    'p'.repeat(52),
    [`${first} DONE ${second}`, `${second} ${'R'.repeat(50)} ${first}`, `${second} DONE ${third}`, `${third} DONE end`],
    { [first]: anybody, [second]: anybody, [third]: anybody },
  );
  const staging = await session(source, { title: 'v'.repeat(500), pipeline: 'p'.repeat(52) });
  await advance(staging, 'DONE', { reason: longest, payload: { [longest]: longest } });
  staged = encodeId('session', staging);
  const variables = [
    {
      name: 'x'.repeat(64),
      type: 'STRING' as const,
      required: true,
      description: longest,
      enum: [longest],
      default: null,
    },
  ];
  const { toolId } = await run(createHandoffTool, {
    name: 'n'.repeat(64),
    targetAgentId: target,
    agentIds: [source],
    description: `${longest} 🙂 ${'移交'.repeat(100)}`,
    variables,
    instructions: longest,
  });
  tool = encodeId('tool', toolId);
  await session(null, { title: `q${longest.slice(1)}`, agentType: 'X'.repeat(50), queue: true });
  const stages = ['a', 'b', 'c'].map((letter) => letter.repeat(64));
  const fields = {
    phase: 'p'.repeat(100),
    instructions: longest,
    payloadSchema: { title: longest },
    escalateTo: { agentId: null, role: 'r'.repeat(200), operators: false },
  };
  await pipeline(
    's'.repeat(52),
    [`${stages[0]} ${'D'.repeat(50)} ${stages[1]}`, `${stages[1]} DONE ${stages[2]}`, `${stages[2]} DONE end`],
    { [stages[0]!]: fields },
  );
  ({ visit } = await openBrowser(url));
}, 300_000);

/** The pairs of visible texts in one row of which a line overlaps a line of the other. */
const overlaps = (page: Page, rows: string): Promise<string[]> =>
  page.evaluate((selector) => {
    interface Line {
      text: Text;
      left: number;
      right: number;
      top: number;
      bottom: number;
    }
    const linesOf = (text: Text): Line[] => {
      const range = document.createRange();
      range.selectNodeContents(text);
      let lines = [...range.getClientRects()].map(({ left, right, top, bottom }) => ({
        text,
        left,
        right,
        top,
        bottom,
      }));
      for (let around = text.parentElement; around; around = around.parentElement) {
        if (getComputedStyle(around).overflowX === 'visible') continue;
        const box = around.getBoundingClientRect();
        lines = lines.map((line) => ({
          text,
          left: Math.max(line.left, box.left),
          right: Math.min(line.right, box.right),
          top: Math.max(line.top, box.top),
          bottom: Math.min(line.bottom, box.bottom),
        }));
      }
      return lines;
    };
    const meet = (one: Line, other: Line): boolean =>
      one.text !== other.text &&
      Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
      Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 5;
    return [...document.querySelectorAll(selector)].flatMap((row) => {
      const lines: Line[] = [];
      for (const walk = document.createTreeWalker(row, NodeFilter.SHOW_TEXT); walk.nextNode();) {
        const text = walk.currentNode as Text;
        if (text.data.trim() !== '' && text.parentElement!.checkVisibility() && !text.parentElement!.closest('.hidden'))
          lines.push(...linesOf(text));
      }
      return lines.flatMap((line, index) =>
        lines
          .slice(index + 1)
          .filter((other) => meet(line, other))
          .map((other) => `${line.text.data.slice(0, 30)} over ${other.text.data.slice(0, 30)}`),
      );
    });
  }, rows);

const pages = (): [name: string, path: string, rows: string][] => [
  ['sessions', '/sessions', '[data-session]'],
  ['inbox', '/inbox', 'main li'],
  ['agents', '/agents', '[data-agent]'],
  ['handoffs', '/handoffs', 'main tbody tr'],
  ['session', `/sessions/${handed}`, 'main header, main section'],
  ['history', `/sessions/${handed}?view=handoffs`, 'main tbody tr'],
  ['snapshots', `/sessions/${handed}?view=snapshots`, 'main tbody tr'],
  ['session in a pipeline', `/sessions/${staged}`, 'main section'],
  ['board', `/pipelines/${'p'.repeat(52)}/board`, '[data-session]'],
  ['handoff', `/handoffs/${handoff}`, 'main section'],
  ['graph', '/graph', 'main tbody tr'],
  ['tools', '/tools', 'main tbody tr'],
  ['tool', `/tools/${tool}`, 'main section'],
  ['agent', `/agents/${source}`, 'main section'],
  ['queue', '/queue', 'main tbody tr'],
  ['pipelines', '/pipelines', 'main tbody tr'],
  ['pipeline', `/pipelines/${'s'.repeat(52)}`, 'main li'],
  ['editor', `/pipelines/${'s'.repeat(52)}/edit`, 'main fieldset'],
];

describe.each([1440, 390])('long titles and names at a width of %i', (width) => {
  it('stay inside the page and out of other columns, on every page', async () => {
    const found: Record<string, unknown> = {};
    const { page, faults } = await visit('/livez', { viewport: { width, height: 900 } });
    for (const [name, path, rows] of pages()) {
      await page.goto(`${url}${path}`);
      await page.locator(rows).first().waitFor();
      await page.waitForLoadState('networkidle');
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      // Lists that show rows of lines on a phone.
      const lists = ['handoffs', 'tools', 'queue', 'pipelines'].includes(name)
        ? page.locator('main [role="region"]:has(table)')
        : null;
      const sideways =
        width === 390 &&
        lists !== null &&
        (await lists.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth));
      found[name] = { tooWide: wide > width || sideways, overlaps: await overlaps(page, rows) };
      if (width === 390 && ['sessions', 'handoffs', 'handoff', 'tools', 'tool', 'agent', 'board'].includes(name))
        await look(page, `long-${name}`);
    }
    expect(found).toEqual(Object.fromEntries(pages().map(([name]) => [name, { tooWide: false, overlaps: [] }])));
    expect(faults).toEqual([]);
  }, 240_000);

  it('do not cover the dialog that reassigns', async () => {
    const { page } = await visit('/sessions', { viewport: { width, height: 900 } });
    await page.getByRole('button', { name: `Reassign "${longest}"` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox').waitFor();
    expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }, 60_000);
});
