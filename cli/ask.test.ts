import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createApi } from '../client/api/request.ts';
import { packageFolder } from '../server/core/place.ts';
import { testDatabase } from '../test/database.ts';
import { runFolder, startRun, type Running } from '../test/running.ts';
import { startApp } from '../test/server.ts';

vi.setConfig({ testTimeout: 60_000 });

const database = await testDatabase();
const { url } = await startApp(database);
const api = createApi({ url });

/** A folder with the demonstration's definitions. */
function demonstration(): string {
  const folder = runFolder({});
  mkdirSync(join(folder, 'team'));
  for (const name of readdirSync(join(packageFolder, 'demonstration')))
    copyFileSync(join(packageFolder, 'demonstration', name), join(folder, 'team', name));
  return folder;
}

const startAsk = (folder: string, ...args: string[]): Promise<Running> =>
  startRun(folder, ['--url', url, ...args], {}, ['ask']);

const shown = ({ lines }: Running): string[] => lines.map(({ text }) => text ?? '');

it('shows the demonstration: three agents, a refused handoff, one that is sent back, and the result', async () => {
  const asking = await startAsk(demonstration(), '--agents', 'team', 'Write a short announcement of our export');
  expect(await asking.exited).toBe(0);
  const lines = shown(asking);
  expect(lines[0]).toMatch(/^planner begins, ahead of the next by 0\.\d\d: .*Its description shares with the text: /);
  expect(lines).toContain('user: Write a short announcement of our export');
  expect(lines.filter((line) => line.includes(' -> ')).map((line) => line.split(':')[0])).toEqual([
    'planner -> writer',
    'writer -> critic',
    'critic -> writer',
    'writer -> critic',
  ]);
  expect(lines).toContainEqual(expect.stringMatching(/writer transfer_to_editor: refused: No agent is named 'editor'/));
  expect(lines.at(-1)).toMatch(/^Baton passes the work of one agent on to the next/);
});

it('prints one JSON object for programs', async () => {
  const folder = runFolder({
    'one/solo.md': '---\nname: solo\ntype: SCRIPT\nmodel: script/answers.json\n---\nYou do it.',
    'answers.json': { solo: [[{ calls: [{ name: 'finish', arguments: { result: { n: 1 } } }] }]] },
  });
  const asking = await startAsk(folder, '--agents', 'one', '--agent', 'solo', '--json', 'Count');
  expect(await asking.exited).toBe(0);
  const json = JSON.parse(shown(asking).join('\n')) as object;
  expect(json).toMatchObject({
    session: expect.stringMatching(/^session_/) as string,
    status: 'COMPLETED',
    result: { n: 1 },
    chain: [],
  });
});

it('says what is missing when there is no agent to choose', async () => {
  const alone = await testDatabase();
  const asking = await startRun(runFolder({}), ['--url', (await startApp(alone)).url, 'Do it'], {}, ['ask']);
  expect(await asking.exited).toBe(1);
  expect(asking.stderr()).toMatch(/No agent has a model that is known here: give a definition one/);
});

it('pauses the session at Ctrl-C, and says so', async () => {
  const folder = runFolder({
    'one/slow.md': '---\nname: slow\ntype: SCRIPT\nmodel: script/answers.json\n---\nYou wait.',
    'answers.json': {
      slow: [
        [{ calls: [{ name: 'note', arguments: { decision: 'x' } }] }, { errors: [{ status: 429, retryAfter: 1 }] }],
      ],
    },
  });
  const asking = await startAsk(folder, '--agents', 'one', '--agent', 'slow', 'Wait');
  await vi.waitFor(() => expect(asking.stderr()).toContain('asked again'), { timeout: 20_000, interval: 20 });
  asking.kill('SIGINT');
  expect(await asking.exited).toBe(1);
  expect(asking.stderr()).toMatch(/Paused: session_\w+ can be resumed/);
  const { sessions } = await api<{ sessions: { nodes: { status: string }[] } }>(
    '{ sessions(first: 1, where: { titleContains: "Wait" }) { nodes { status } } }',
    {},
  );
  expect(sessions.nodes).toEqual([{ status: 'PAUSED' }]);
});

it.each([
  [[], 2, /Give one request, in quotation marks/],
  [['--agent', 'a', '--pipeline', 'b', 'Do it'], 2, /Give --agent or --pipeline, not both/],
  [['--agent', 'nobody', 'Do it'], 1, /NOT_FOUND: .*nobody/],
])('refuses %j with exit code %i', async (args, code, sentence) => {
  const asking = await startAsk(runFolder({}), ...args);
  expect(await asking.exited).toBe(code);
  expect(asking.stderr()).toMatch(sentence);
});

it('says of a session whose agent nobody works for what to do', async () => {
  const folder = runFolder({ 'one/human.md': '---\nname: human\ntype: CLAUDE\n---\nBy hand.' });
  const asking = await startAsk(folder, '--agents', 'one', '--agent', 'human', 'Do it');
  expect(await asking.exited).toBe(1);
  expect(asking.stderr()).toMatch(/Nothing works for 'human': give its definition a model/);
});
