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

/** The session that was created last. */
async function newest(): Promise<{ status: string; pauseReason: string | null }> {
  const { sessions } = await api<{ sessions: { nodes: { status: string; pauseReason: string | null }[] } }>(
    '{ sessions(first: 1, orderBy: { field: CREATED_AT, direction: DESC }) { nodes { status pauseReason } } }',
    {},
  );
  return sessions.nodes[0]!;
}

const definition = (id: string, fields: string, more = ''): string =>
  `---\nname: ${id}\ntype: SCRIPT\n${fields}\n---\nYou are ${id}.\n${more}`;

it('lets an agent of the given folder begin, and says which of them cannot work', async () => {
  const folder = runFolder({
    'ours/ours-1.md': definition('ours-1', 'description: Nothing of the request.\nmodel: script/answers.json'),
    'ours/ours-2.md': definition('ours-2', 'description: Counts things.\nmodel: [gpt-5, script/answers.json]'),
    'ours/ours-3.md': definition('ours-3', 'model: gpt-5'),
    'others/counter.md': definition('counter', 'description: Counts all things.\nmodel: script/answers.json'),
    'answers.json': { 'ours-1': [[{ text: 'a' }]] },
  });
  const first = await startAsk(folder, '--agents', 'others', '--agent', 'counter', 'Count all things');
  expect(await first.exited).toBe(0);
  const asking = await startAsk(folder, '--agents', 'ours', 'Count all things');
  expect(await asking.exited).toBe(0);
  expect(shown(asking)[0]).toMatch(/^ours-\d begins/);
  expect(asking.stderr()).toContain("Agent 'ours-3': the model 'gpt-5' needs a key: set OPENAI_API_KEY");
  expect(asking.stderr()).toContain("Agent 'ours-2' does without a model of its list: the model 'gpt-5' needs a key");
});

it('creates nothing for an agent that cannot work, and pauses a session that comes to one', async () => {
  const folder = runFolder({
    'two/able.md': definition('able', 'model: script/answers.json', '\n## Collaborations\n- keyless: then'),
    'two/keyless.md': definition('keyless', 'model: gpt-5'),
    'answers.json': { able: [[{ calls: [{ name: 'transfer_to_keyless', arguments: { reason: 'Go on' } }] }]] },
  });
  const count = async () =>
    (await api<{ sessions: { totalCount: number } }>('{ sessions { totalCount } }', {})).sessions;
  const before = await count();
  const refused = await startAsk(folder, '--agents', 'two', '--agent', 'keyless', 'Do it');
  expect(await refused.exited).toBe(1);
  expect(refused.stderr()).toContain("Agent 'keyless': the model 'gpt-5' needs a key: set OPENAI_API_KEY");
  expect(await count()).toEqual(before);
  const asking = await startAsk(folder, '--agents', 'two', '--agent', 'able', '--json', 'Do it');
  expect(await asking.exited).toBe(1);
  const json = JSON.parse(shown(asking).join('\n')) as object;
  expect(json).toMatchObject({ status: 'PAUSED', reason: expect.stringContaining('needs a key') as string });
  expect(await newest()).toMatchObject({ status: 'PAUSED' });
});

it('ends with one sentence when nothing answers at the address of a model', async () => {
  const folder = runFolder({
    'one/lost.md': definition('lost', 'model: lost'),
    'models.json': { lost: { provider: 'openai-compatible', model: 'm', baseURL: 'http://127.0.0.1:9/v1' } },
  });
  const asking = await startAsk(folder, '--agents', 'one', '--agent', 'lost', '--models', 'models.json', 'Do it');
  expect(await asking.exited).toBe(1);
  expect(asking.stderr()).toMatch(/The session is paused: lost is not reached at 127\.0\.0\.1:9: .*check its baseURL/);
});

it('prints the question of an agent, and what a person decided about its handoff', async () => {
  const folder = runFolder({
    'two/asks.md': definition('asks', 'model: script/answers.json', '\n## Collaborations\n- next: then'),
    'two/next.md': definition('next', 'model: script/answers.json'),
    'answers.json': {
      asks: [
        [
          { calls: [{ name: 'transfer_to_next', arguments: { reason: 'Go on' } }] },
          { calls: [{ name: 'ask_person', arguments: { question: 'Red or blue?', options: ['Red', 'Blue'] } }] },
        ],
      ],
    },
  });
  const imported = await startAsk(folder, '--agents', 'two', '--agent', 'next', 'Import them');
  expect(await imported.exited).toBe(0);
  await api(
    `mutation { answer: updateAgent(input: { id: "asks", collaborations: [{ agentId: "next", approval: REQUIRED }] }) {
      __typename ... on Error { code message } } }`,
    {},
  );
  const asking = await startAsk(folder, '--agent', 'asks', 'Choose a colour');
  const proposed = /^a person has to approve the handoff to next: \S+\/decide\/session_/;
  await vi.waitFor(() => expect(shown(asking)).toContainEqual(expect.stringMatching(proposed)), {
    timeout: 20_000,
    interval: 20,
  });
  const { approvals } = await api<{ approvals: { nodes: { handoff: { id: string } }[] } }>(
    '{ approvals(first: 1) { nodes { handoff { id } } } }',
    {},
  );
  await api(
    `mutation ($id: ID!) { answer: declineHandoff(input: { handoffId: $id, reason: "Ask first" }) {
      __typename ... on Error { code message } } }`,
    { id: approvals.nodes[0]!.handoff.id },
  );
  const asked = () => expect(shown(asking)).toContain('asks asks a person: Red or blue? (Red / Blue)');
  await vi.waitFor(asked, { timeout: 20_000, interval: 20 });
  expect(shown(asking)).toContain('the handoff to next was declined: Ask first');
  const { sessions } = await api<{ sessions: { nodes: { id: string }[] } }>(
    '{ sessions(first: 1, orderBy: { field: CREATED_AT, direction: DESC }) { nodes { id } } }',
    {},
  );
  const { id } = sessions.nodes[0]!;
  await api(
    'mutation ($id: ID!) { answer: resumeSession(input: { sessionId: $id }) { __typename ... on Error { code message } } }',
    { id },
  );
  expect(await asking.exited).toBe(0);
  expect(shown(asking)).toContainEqual(expect.stringContaining('asks is told: A person resumed ') as string);
});

it.each([
  [
    'approve a handoff',
    { name: 'transfer_to_last', arguments: { reason: 'Go on' } },
    'RUNNING',
    /waits for a person to approve/,
  ],
  ['answer', { name: 'ask_person', arguments: { question: 'Which?' } }, 'PAUSED', /'first' asks a person: Which\?/],
])(
  'does not pause a session in which a person has to %s, and says what goes on with it',
  async (_, call, status, words) => {
    const folder = runFolder({
      'two/first.md': definition('first', 'model: script/answers.json', '\n## Collaborations\n- last: then'),
      'two/last.md': definition('last', 'model: script/answers.json'),
      'answers.json': { first: [[{ calls: [call] }]] },
    });
    const imported = await startAsk(folder, '--agents', 'two', '--agent', 'last', 'Import them');
    expect(await imported.exited).toBe(0);
    await api(
      `mutation { answer: updateAgent(input: { id: "first", collaborations: [{ agentId: "last", approval: REQUIRED }] }) {
      __typename ... on Error { code message } } }`,
      {},
    );
    const asking = await startAsk(folder, '--agent', 'first', 'Do it');
    await vi.waitFor(() => expect(shown(asking).join()).toMatch(/\/decide\/session_/), {
      timeout: 20_000,
      interval: 20,
    });
    asking.kill('SIGTERM');
    expect(await asking.exited).toBe(1);
    expect(asking.stderr()).toMatch(words);
    expect(asking.stderr()).toMatch(/at \S+\/decide\/session_\w+; then .* run.* goes on/);
    expect(asking.stderr()).not.toContain('Paused');
    expect((await newest()).status).toBe(status);
    expect((await newest()).pauseReason ?? '').not.toContain('was stopped');
  },
);

it('pauses the session at Ctrl-C, and says so', async () => {
  const folder = runFolder({
    'one/slow.md': '---\nname: slow\ntype: SCRIPT\nmodel: script/answers.json\n---\nYou wait.',
    'answers.json': {
      slow: [
        [{ calls: [{ name: 'note', arguments: { decision: 'x' } }] }, { errors: [{ status: 429, retryAfter: 100 }] }],
      ],
    },
  });
  const asking = await startAsk(folder, '--agents', 'one', '--agent', 'slow', 'Wait');
  await vi.waitFor(() => expect(asking.stderr()).toContain('asked again'), { timeout: 20_000, interval: 20 });
  asking.kill('SIGINT');
  expect(await asking.exited).toBe(1);
  expect(asking.stderr()).toMatch(/Paused: resume it at \S+session_\w+ while .* works/);
  expect(await newest()).toEqual({ status: 'PAUSED', pauseReason: expect.stringContaining('was stopped') as string });
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
