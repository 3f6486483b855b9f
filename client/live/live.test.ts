import { createServer, type AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { renewCursors } from '../../server/delivery/live/renewCursors.ts';
import {
  chooseAgent,
  expectAccessible,
  letCountsSettle,
  look,
  noticeOf,
  openBrowser,
  patiently,
  requestsOf,
  type Visit,
} from '../../test/browser.ts';
import { atEnd, testDatabase } from '../../test/database.ts';
import { client, type Client } from '../../test/graphql.ts';
import { startRedis } from '../../test/redis.ts';
import { startServer, type ServerProcess } from '../../test/server.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
const { agent, session, turn } = world(db.pool);

let here: ServerProcess;
let there: ServerProcess;
let api: Client;
let visitHere: (path: string) => Promise<Visit>;
let visitThere: (path: string) => Promise<Visit>;
let goThere: (path: string) => Promise<Visit>;
let start: () => Promise<ServerProcess>;

// Two servers over one database, who hear of each other through Redis.
beforeAll(async () => {
  await agent('claude-1', { maxCapacity: 50 });
  await agent('codex-1', { type: 'CODEX', maxCapacity: 50 });
  const redis = await startRedis();
  atEnd(redis.stop);
  const port = await freePort();
  start = () => startServer({ databaseUrl: db.url, env: { ...redis.env, PORT: String(port) } });
  [here, there] = await Promise.all([start(), startServer({ databaseUrl: db.url, env: redis.env })]);
  api = client(here.url);
  ({ visit: visitHere } = await openBrowser(here.url));
  ({ visit: visitThere, go: goThere } = await openBrowser(there.url));
}, 300_000);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const row = (page: Page, title: string) => page.locator('[data-session]', { hasText: title });
const live = (page: Page) => page.locator('[data-live="live"]').waitFor();

const openHandoffs = async (page: Page): Promise<number> =>
  Number(/\d+$/.exec((await page.getByRole('button', { name: /Open handoff/ }).textContent()) ?? '')?.[0]);

async function reassignById(title: string, agentId: string, through = api): Promise<void> {
  const { data: found } = await through.post<{ sessions: { nodes: { id: string }[] } }>(
    'query ($title: String) { sessions(where: { titleContains: $title }) { nodes { id } } }',
    { title },
  );
  const { data } = await through.post<{ reassignSession: { __typename: string } }>(
    'mutation ($id: ID!, $agentId: ID!) { reassignSession(input: { sessionId: $id, agentId: $agentId, reason: "moved" }) { __typename ... on Error { message } } }',
    { id: found.sessions.nodes[0]!.id, agentId },
  );
  expect(data.reassignSession).toEqual({ __typename: 'ReassignSessionPayload' });
}

describe('the live dashboard', () => {
  it('changes only the row of an event, and reads no list again', async () => {
    for (const id of ['here-1', 'here-2']) await agent(id);
    for (let count = 1; count <= 20; count += 1) await session('claude-1', { title: `Still ${count}` });
    await session('claude-1', { title: 'Still and moved' });
    const { page } = await goThere('/sessions?q=still');
    await live(page);
    await page.getByText('21 of 21 sessions').waitFor();
    await page.waitForLoadState('networkidle');
    await letCountsSettle(page);
    const before = await openHandoffs(page);
    const requests = requestsOf(page);
    await page.evaluate(() => {
      const touched = new Set<string>();
      (window as unknown as { touched: Set<string> }).touched = touched;
      new MutationObserver((changes) => {
        for (const { target } of changes) {
          const element = target instanceof Element ? target : target.parentElement;
          const name = element?.closest('[data-session]')?.querySelector('a')?.textContent;
          // Ages tick by themselves.
          if (name && element?.tagName !== 'TIME') touched.add(name);
        }
      }).observe(document.querySelector('main [role=list]')!, {
        subtree: true,
        childList: true,
        attributes: true,
        characterData: true,
      });
    });
    await reassignById('Still and moved', 'codex-1');
    await row(page, 'Still and moved').locator('[data-handoff="INITIATED"]').waitFor();
    await row(page, 'Still and moved').getByText('codex-1').waitFor();
    // Often enough that whatever asks again a moment later has done so.
    for (const agentId of ['here-1', 'here-2', 'here-1', 'here-2', 'here-1', 'here-2', 'here-1', 'codex-1']) {
      await reassignById('Still and moved', agentId);
      await row(page, 'Still and moved').getByText(agentId).waitFor();
    }
    // The count of the filter follows too, without asking.
    await expect.poll(() => openHandoffs(page), patiently).toBe(before + 1);
    expect(await page.evaluate(() => [...(window as unknown as { touched: Set<string> }).touched])).toEqual([
      'Still and moved',
    ]);
    expect(requests).toEqual([]);
  }, 90_000);

  it('announces new sessions, and shows them on request', async () => {
    await session('claude-1', { title: 'Fresh 1' });
    const { page } = await goThere('/sessions?q=fresh');
    await live(page);
    await row(page, 'Fresh 1').waitFor();
    await session('claude-1', { title: 'Fresh 2' });
    await session('claude-1', { title: 'Another matter' });
    await page.getByRole('button', { name: '1 new session' }).waitFor();
    await look(page, 'sessions-news');
    await page.getByRole('button', { name: '1 new session' }).click();
    await row(page, 'Fresh 2').waitFor();
    expect(await row(page, 'Another matter').count()).toBe(0);
    await expect.poll(() => page.getByRole('button', { name: /\d new session/ }).count(), patiently).toBe(0);
  }, 60_000);

  it('reports a changed session in the reassign dialog, and reassigns with its current state on request', async () => {
    await session('claude-1', { title: 'Contended' });
    await agent('late-1', { type: 'LATE' });
    const { page, faults } = await visitHere('/sessions?q=contended');
    await live(page);
    await page.getByRole('button', { name: 'Reassign "Contended"' }).click();
    await chooseAgent(page.getByRole('dialog'), 'late-1');
    await page.getByLabel('Reason').fill('kept');
    await reassignById('Contended', 'codex-1');
    await page.getByText("'codex-1' holds it now.", { exact: true }).waitFor();
    await look(page, 'reassign-changed');
    await page.getByRole('dialog').getByRole('button', { name: 'Reassign' }).click();
    await page
      .getByRole('alert')
      .getByText(/version/i)
      .waitFor();
    await page.getByRole('button', { name: 'Use the current state' }).click();
    expect(await page.getByLabel('Reason').inputValue()).toBe('kept');
    await page.getByRole('dialog').getByRole('button', { name: 'Reassign' }).click();
    await noticeOf(page, "'late-1' holds the session now").waitFor();
    expect(faults).toEqual([]);
  }, 90_000);

  it('adds new messages to the page of a session, whoever writes them', async () => {
    const id = await session('claude-1', { title: 'Talk' });
    await turn(id, { messages: [{ role: 'USER', content: 'The first word' }] });
    const { page, faults } = await goThere('/sessions?q=talk');
    await page.getByRole('link', { name: 'Talk', exact: true }).click();
    await page.getByText('The first word').first().waitFor();
    await live(page);
    await turn(id, { messages: [{ role: 'ASSISTANT', content: 'And the last one' }] });
    await page.getByText('And the last one').waitFor();
    await reassignById('Talk', 'codex-1');
    await page.locator('[data-routed]', { hasText: 'codex-1' }).waitFor();
    expect(faults).toEqual([]);
  }, 60_000);

  it('keeps the state of an event when an older answer arrives after it', async () => {
    await session('claude-1', { title: 'Overtaken' });
    const { page } = await visitThere('/sessions?q=overtaken');
    await live(page);
    await row(page, 'Overtaken').waitFor();
    await expect.poll(() => openHandoffs(page), patiently).not.toBeNaN();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const read = new Set<string>();
    await page.route('**/graphql', async (route) => {
      const response = await route.fetch();
      // Of every answer that is on the way: the cache puts events above a later answer that it has already.
      const [late] = /query (Sessions|SituationCounts)\(/.exec(route.request().postData() ?? '') ?? [];
      if (late !== undefined) {
        read.add(late);
        await released;
      }
      await route.fulfill({ response });
    });
    await page.getByRole('link', { name: /^Working/ }).click();
    await expect.poll(() => read.size, patiently).toBe(2);
    // The event asks for the number of unread handoffs.
    const came = page.waitForRequest((request) => request.postData()?.includes('query Unread(') === true);
    await reassignById('Overtaken', 'codex-1');
    await came;
    release();
    await row(page, 'Overtaken').locator('[data-handoff="INITIATED"]').waitFor();
    await row(page, 'Overtaken').getByText('codex-1').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }, 90_000);

  it('shows a message written between the read of the log and its subscription', async () => {
    const uuid = await session('claude-1', { title: 'Said in between' });
    await turn(uuid, { messages: [{ role: 'ASSISTANT', content: 'Before.' }] });
    const [{ page }, { page: other }] = await Promise.all([visitHere('/livez'), visitThere('/sessions?q=between')]);
    let asked!: () => void;
    let release!: () => void;
    const wasAsked = new Promise<void>((resolve) => (asked = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.routeWebSocket(/graphql/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage(async (message) => {
        if (String(message).includes('subscription SessionLog')) {
          asked();
          await released;
        }
        server.send(message);
      });
    });
    await page.goto(`${here.url}/?q=between`);
    for (const one of [page, other]) {
      await live(one);
      await one.getByRole('link', { name: 'Said in between' }).click();
      await one.getByText('Before.').waitFor();
    }
    await wasAsked;
    await turn(uuid, { messages: [{ role: 'ASSISTANT', content: 'In between.' }] });
    // Its event is out.
    await other.getByText('In between.').waitFor();
    release();
    await page.getByText('In between.').waitFor();
  }, 90_000);

  it('shows a lost connection, and shows missed events when the server is back', async () => {
    await session('claude-1', { title: 'Moved in the dark' });
    const { page } = await visitHere('/sessions?q=dark');
    await live(page);
    await row(page, 'Moved in the dark').waitFor();
    await here.kill('SIGKILL');
    await page.locator('[data-live="waiting"]').waitFor();
    await expectAccessible(page);
    // Through the other server, while this one is away.
    await reassignById('Moved in the dark', 'codex-1', client(there.url));
    await turn(
      (await db.pool.query<{ id: string }>("SELECT id FROM sessions WHERE title = 'Moved in the dark'")).rows[0]!.id,
      {
        messages: [{ role: 'USER', content: 'Are you there?' }],
      },
    );
    here = await start();
    await live(page);
    await row(page, 'Moved in the dark').locator('[data-handoff="INITIATED"]').waitFor();
    await row(page, 'Moved in the dark').getByText('codex-1').waitFor();
  }, 120_000);

  it('reads everything again when its cursor has expired', async () => {
    await session('claude-1', { title: 'After a restore' });
    const { page, faults } = await visitHere('/sessions?q=restore');
    await live(page);
    await row(page, 'After a restore').waitFor();
    await here.kill();
    await page.locator('[data-live="waiting"]').waitFor();
    await reassignById('After a restore', 'codex-1', client(there.url));
    await renewCursors(db.url);
    here = await start();
    await live(page);
    await row(page, 'After a restore').locator('[data-handoff="INITIATED"]').waitFor();
    expect(faults).toEqual([]);
  }, 120_000);
});
