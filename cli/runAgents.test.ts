import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createApi } from '../client/api/request.ts';
import { decodeId, encodeId } from '../server/core/ids.ts';
import { packageFolder } from '../server/core/place.ts';
import { silentLog } from '../server/infra/log.ts';
import { sweep } from '../server/work/handoffs/sweep.ts';
import { testDatabase } from '../test/database.ts';
import { runFolder, startRun, type Running } from '../test/running.ts';
import { startApp } from '../test/server.ts';
import { vendorServer, type VendorAnswer } from '../test/vendorServer.ts';
import { world } from '../test/world.ts';
import { callId } from './run/callIds.ts';

// Every case starts processes.
vi.setConfig({ testTimeout: 60_000 });
const patience = { timeout: 20_000, interval: 20 };

const database = await testDatabase();
const { url } = await startApp(database);
const ask = createApi({ url });
const { session, pipeline } = world(database.pool);

type Answers = Record<string, object[][]>;

let teams = 0;
/** A team of its own for each case, whose models are scripts. `collaborations` by agent; the ids are prefixed. */
async function team(
  collaborations: Record<string, string[]>,
  answers: (name: (id: string) => string) => Answers,
  fields: (id: string) => object = () => ({}),
): Promise<{ folder: string; name: (id: string) => string; ids: string[] }> {
  const prefix = `team${(teams += 1)}`;
  const name = (id: string): string => `${prefix}-${id}`;
  const files = Object.entries(collaborations).map(([id, others]) => ({
    path: `${name(id)}.md`,
    content: [
      '---',
      ...Object.entries({ name: name(id), type: 'SCRIPT', model: 'script/answers.json', ...fields(id) }).map(
        ([key, value]) => `${key}: ${String(value)}`,
      ),
      '---',
      `You are the ${id}.`,
      ...(others.length === 0
        ? []
        : ['', '## Collaborations', ...others.map((other) => `- ${name(other)}: when it can`)]),
    ].join('\n'),
  }));
  const response = await fetch(`${url}/agents/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ files }),
  });
  expect(await response.json()).toMatchObject({ problems: [] });
  return {
    folder: runFolder({ 'answers.json': answers(name) }),
    name,
    ids: Object.keys(collaborations).map(name),
  };
}

const call = (name: string, given: unknown = {}) => ({ name, arguments: given });

const sessionQuery = `query ($id: ID!) { session(id: $id) { status result question { id text } agent { id } stuckBecause
  pipeline { stage } decisions { text }
  agentSession { id state claim { runnerId } }
  turns(last: 30) { nodes { index agentSession { agent { id } } usage { inputTokens model } messages { role content }
    toolCalls { callId name result error } } } } }`;

interface SessionRead {
  status: string;
  result: unknown;
  question: { id: string; text: string } | null;
  agent: { id: string };
  pipeline: { stage: string | null } | null;
  decisions: { text: string }[];
  agentSession: { id: string; state: string; claim: { runnerId: string } | null } | null;
  turns: {
    nodes: {
      index: number;
      agentSession: { agent: { id: string } } | null;
      usage: { inputTokens: number; model: string } | null;
      messages: { role: string; content: string }[];
      toolCalls: { callId: string; name: string; result: string | null; error: string | null }[];
    }[];
  };
}

async function sessionOf(id: string): Promise<SessionRead> {
  const { session: found } = await ask<{ session: SessionRead }>(sessionQuery, { id });
  return { ...found, turns: { nodes: found.turns.nodes.toSorted((a, b) => a.index - b.index) } };
}

const append = (sessionId: string, turn: object): Promise<unknown> =>
  ask(
    'mutation ($input: AppendTurnInput!) { appendTurn(input: $input) { __typename ... on Error { code message } } }',
    { input: { sessionId, ...turn } },
  );

const begin = async (agentId: string, fields: object = {}): Promise<string> =>
  encodeId('session', await session(agentId, fields));

/** Decisions about the work of the agent of which nothing told it. */
async function untold(id: string): Promise<number> {
  const { rowCount } = await database.pool.query('SELECT FROM approvals WHERE agent_id = $1 AND told_at IS NULL', [id]);
  return rowCount ?? 0;
}

const ends = (id: string, status = 'COMPLETED'): Promise<SessionRead> =>
  vi.waitFor(async () => {
    const found = await sessionOf(id);
    expect(found.status).toBe(status);
    return found;
  }, patience);

const start = (folder: string, ids: string[], ...args: string[]): Promise<Running> =>
  startRun(folder, [...ids, '--url', url, ...args]);

async function stop(running: Running): Promise<void> {
  running.kill('SIGTERM');
  expect(await running.exited).toBe(0);
}

/** Who called what, in order, with what went wrong. */
const callsOf = ({ turns }: SessionRead): string[] =>
  turns.nodes.flatMap(({ agentSession, toolCalls }) =>
    toolCalls.map(({ name, error }) => `${agentSession?.agent.id}: ${name}${error === null ? '' : ` (${error})`}`),
  );

const sdk = join(packageFolder, 'node_modules/@modelcontextprotocol/sdk/dist/esm/server');
/** A server of a tool that answers when there is a file named `go`. */
const slowServer = `
import { existsSync } from 'node:fs';
import { McpServer } from '${sdk}/mcp.js';
import { StdioServerTransport } from '${sdk}/stdio.js';
const server = new McpServer({ name: 'slow', version: '1' });
server.registerTool('wait', {}, async () => {
  while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 20));
  return { content: [{ type: 'text', text: 'done' }] };
});
await server.connect(new StdioServerTransport());
`;

describe('baton run', () => {
  it('works on a session from the first agent to the result, and prints one line for each step', async () => {
    const { folder, ids, name } = await team({ a: ['b'], b: ['a'] }, (id) => ({
      [id('a')]: [
        [
          { text: 'First.', calls: [call('note', { decision: 'Short.' })] },
          { text: 'Over.', calls: [call(`transfer_to_${id('b')}`)] },
        ],
        [{ calls: [call('finish', { result: { words: 3 } })] }],
      ],
      [id('b')]: [[{ text: 'No.', calls: [call(`transfer_to_${id('a')}`, { reason: 'Once more' })] }]],
    }));
    const running = await start(folder, ids);
    const id = await begin(name('a'));
    const done = await ends(id);
    expect(done).toMatchObject({ result: { words: 3 }, decisions: [{ text: 'Short.' }], agentSession: null });
    expect(callsOf(done)).toEqual([
      `${name('a')}: note`,
      `${name('a')}: transfer_to_${name('b')}`,
      `${name('b')}: transfer_to_${name('a')}`,
      `${name('a')}: finish`,
    ]);
    for (const { usage } of done.turns.nodes) expect(usage).toMatchObject({ model: 'script/answers.json' });
    await stop(running);
    expect(running.lines.filter(({ event }) => event === 'step').map(({ agent, step }) => [agent, step])).toEqual([
      [name('a'), 1],
      [name('a'), 2],
      [name('b'), 1],
      [name('a'), 1],
    ]);
    expect(running.stderr()).toBe('');
  });

  it('gives a refused call back to the model, which corrects it', async () => {
    const { folder, ids, name } = await team({ a: ['b'], b: [] }, (id) => ({
      [id('a')]: [
        [
          { calls: [call('transfer_to_nobody')] },
          { calls: [call(`transfer_to_${id('b')}`, 'not { JSON')] },
          { calls: [call('bash', { command: 'ls' }), call('note', {})] },
          { calls: [call(`transfer_to_${id('b')}`), call('finish', { result: 1 })] },
        ],
      ],
      [id('b')]: [[{ calls: [call('finish', { result: 2 })] }]],
    }));
    const running = await start(folder, ids);
    const done = await ends(await begin(name('a')));
    expect(done.result).toBe(2);
    expect(callsOf(done)).toEqual([
      expect.stringContaining("transfer_to_nobody (No agent is named 'nobody'"),
      expect.stringContaining(`(Not run: The arguments are not JSON`),
      expect.stringContaining("bash (There is no tool 'bash'"),
      expect.stringContaining('note (Give a decision, or tasks.'),
      `${name('a')}: transfer_to_${name('b')}`,
      expect.stringContaining('finish (Not run:'),
      `${name('b')}: finish`,
    ]);
    await stop(running);
  });

  it('asks once after an answer without a call, and takes the next one as the result', async () => {
    const { folder, ids, name } = await team({ a: [] }, (id) => ({
      [id('a')]: [[{ text: 'I think so.' }, { text: 'Yes: 42.' }]],
    }));
    const running = await start(folder, ids);
    const done = await ends(await begin(name('a')));
    expect(done.result).toBe('Yes: 42.');
    expect(done.turns.nodes).toHaveLength(2);
    await stop(running);
  });

  it('pauses a session whose model never ends, and one whose model says nothing', async () => {
    const { folder, ids, name } = await team({ a: [], b: [] }, (id) => ({
      [id('a')]: [Array.from({ length: 9 }, (_, n) => ({ calls: [call('note', { decision: `${n}` })] }))],
      [id('b')]: [[{ text: ' ' }]],
    }));
    const running = await start(folder, ids, '--max-steps', '5');
    const [endless, silent] = [await begin(name('a')), await begin(name('b'))];
    expect((await ends(endless, 'PAUSED')).turns.nodes).toHaveLength(5);
    expect((await ends(silent, 'PAUSED')).turns.nodes).toHaveLength(0);
    await stop(running);
    expect(running.lines.filter(({ event }) => event === 'ended').map(({ text }) => text)).toEqual(
      expect.arrayContaining([
        'paused after 5 steps, the most in a tenure',
        'paused: script/answers.json gave 3 empty answers in a row',
      ]),
    );
  });

  it('puts a question to a person, and goes on with the answer', async () => {
    const { folder, ids, name } = await team({ a: [] }, (id) => ({
      [id('a')]: [
        [
          { calls: [call('ask_person', { question: 'Which one?' })] },
          { calls: [call('finish', { result: 'That one' })] },
        ],
      ],
    }));
    const running = await start(folder, ids);
    const id = await begin(name('a'));
    const asked = await ends(id, 'PAUSED');
    expect(callsOf(asked)).toEqual([`${name('a')}: ask_person`]);
    expect(asked.question).toMatchObject({ text: 'Which one?' });
    await ask(
      `mutation ($input: AnswerQuestionInput!) { answerQuestion(input: $input) { __typename ... on Error { code message } } }`,
      { input: { questionId: asked.question!.id, answer: 'That one' } },
    );
    expect((await ends(id)).result).toBe('That one');
    await stop(running);
    expect(await untold(name('a'))).toBe(0);
  });

  it('tells the model once, and the runner after it, that its question was resumed without an answer', async () => {
    const scripts: Record<string, VendorAnswer[]> = {
      a: [
        { calls: [{ name: 'ask_person', args: { question: 'Which one?' } }] },
        { calls: [{ name: 'note', args: { decision: 'The first' } }] },
        { calls: [{ name: 'ask_person', args: { question: 'And then?' } }] },
        { calls: [{ name: 'finish', args: { result: 'The first' } }] },
      ],
    };
    const model = await vendorServer(scripts);
    const { folder, ids, name } = await team(
      { a: [] },
      () => ({}),
      () => ({ model: 'local' }),
    );
    writeFileSync(
      join(folder, 'models.json'),
      JSON.stringify({ local: { provider: 'openai-compatible', model: 'm', baseURL: `${model.url}/a` } }),
    );
    const id = await begin(name('a'));
    const goOn = () =>
      ask(
        'mutation ($input: ResumeSessionInput!) { resumeSession(input: $input) { __typename ... on Error { code message } } }',
        { input: { sessionId: id } },
      );
    const first = await start(folder, ids, '--models', 'models.json');
    await ends(id, 'PAUSED');
    await goOn();
    await vi.waitFor(() => expect(model.received['a']).toHaveLength(3), patience);
    await ends(id, 'PAUSED');
    await stop(first);
    // Of the second question.
    expect(await untold(name('a'))).toBe(1);
    // As after a kill between the record and the confirmation.
    await database.pool.query('UPDATE approvals SET told_at = NULL WHERE agent_id = $1', [name('a')]);
    const second = await start(folder, ids, '--models', 'models.json');
    await goOn();
    await ends(id);
    await stop(second);
    const heard = model.received['a']!.map((body) =>
      ['Which one?', 'And then?'].map(
        (question) =>
          JSON.stringify(body).split(`A person resumed ${id} without an answer to your question \\"${question}\\"`)
            .length - 1,
      ),
    );
    expect(heard).toEqual([
      [0, 0],
      [1, 0],
      [1, 0],
      [1, 1],
    ]);
    expect(await untold(name('a'))).toBe(0);
  });

  it('tells the model what a person said while it answered, and while its tools ran', async () => {
    const model = await vendorServer({
      a: [
        { status: 429, retryAfter: '1' },
        { calls: [{ name: 'note', args: { decision: 'Small' } }] },
        { status: 429, retryAfter: '1' },
        { text: 'Done, I think.' },
        { calls: [{ name: 'finish', args: { result: 1 } }] },
      ],
    });
    const { folder, ids, name } = await team(
      { a: [] },
      () => ({}),
      () => ({ model: 'local' }),
    );
    writeFileSync(
      join(folder, 'models.json'),
      JSON.stringify({ local: { provider: 'openai-compatible', model: 'm', baseURL: `${model.url}/a` } }),
    );
    const running = await start(folder, ids, '--models', 'models.json');
    const id = await begin(name('a'));
    const says = (content: string) => append(id, { messages: [{ role: 'USER', content }] });
    const retries = () => running.lines.filter(({ event }) => event === 'retry').length;
    await vi.waitFor(() => expect(retries()).toBe(1), patience);
    await says('Make it blue.');
    await says('Dark blue.');
    await vi.waitFor(() => expect(retries()).toBe(2), patience);
    await says('And round.');
    expect((await ends(id)).decisions).toEqual([{ text: 'Small' }]);
    await stop(running);
    const heard = model.received['a']!.map((body) =>
      ['Make it blue.', 'Dark blue.', 'And round.'].map((words) => JSON.stringify(body).split(words).length - 1),
    );
    expect(heard).toEqual([
      [0, 0, 0],
      [0, 0, 0],
      [1, 1, 0],
      [1, 1, 0],
      [1, 1, 1],
    ]);
  });

  it('hands off to an agent that has a place when its model is over its limit for long, where that is asked for', async () => {
    const { folder, name } = await team({ a: ['full', 'b'], full: [], b: [] }, (id) => ({
      [id('a')]: [[{ errors: [{ status: 429, retryAfter: 200 }] }]],
      [id('b')]: [[{ calls: [call('finish', { result: 'b was free' })] }]],
    }));
    await ask(
      'mutation ($id: ID!) { answer: updateAgent(input: { id: $id, maxCapacity: 1 }) { __typename ... on Error { code message } } }',
      { id: name('full') },
    );
    await begin(name('full'));
    const running = await start(folder, [name('a'), name('b')], '--on-limit', 'handoff');
    const id = await begin(name('a'));
    expect((await ends(id)).result).toBe('b was free');
    await stop(running);
    expect(running.lines).toContainEqual(
      expect.objectContaining({
        event: 'ended',
        agent: name('a'),
        text: expect.stringMatching(`^handed off to ${name('b')}: script/answers.json answered 429`) as unknown,
      }),
    );
  });

  it.each(['said something', 'paused the session'])(
    'asks its model again, or no more, when a person %s while a tool ran',
    async (what) => {
      const model = await vendorServer({
        a: [
          { calls: [{ name: 'mcp__slow__wait', args: {} }] },
          // Asked while the result is recorded: an answer never comes.
          { fault: 'silent' },
          { calls: [{ name: 'finish', args: { result: 1 } }] },
        ],
      });
      const { folder, ids, name } = await team(
        { a: [] },
        () => ({}),
        () => ({ model: 'local', mcpServers: `{ slow: { command: ${process.execPath}, args: [slow.mjs] } }` }),
      );
      writeFileSync(join(folder, 'slow.mjs'), slowServer);
      writeFileSync(
        join(folder, 'models.json'),
        JSON.stringify({ local: { provider: 'openai-compatible', model: 'm', baseURL: `${model.url}/a` } }),
      );
      const running = await start(folder, ids, '--models', 'models.json');
      const id = await begin(name('a'));
      await vi.waitFor(async () => expect((await sessionOf(id)).turns.nodes).toHaveLength(1), patience);
      if (what === 'said something') await append(id, { messages: [{ role: 'USER', content: 'Make it blue.' }] });
      else
        await ask(
          'mutation ($input: PauseSessionInput!) { pauseSession(input: $input) { __typename ... on Error { code message } } }',
          { input: { sessionId: id } },
        );
      writeFileSync(join(folder, 'go'), '');
      if (what === 'said something') {
        await ends(id);
        expect(JSON.stringify(model.received['a']!.at(-1))).toContain('Make it blue.');
      } else
        await vi.waitFor(
          () =>
            expect(running.lines).toContainEqual(
              expect.objectContaining({ text: 'stopped: the session was paused or moved' }),
            ),
          patience,
        );
      expect((await sessionOf(id)).turns.nodes[0]!.toolCalls).toMatchObject([{ error: null }]);
      await stop(running);
    },
  );

  it('leaves the oldest results out when the window is nearly full, and gives them when they are read', async () => {
    const long = 'A long request. '.repeat(300);
    const read = (given: object) => ({ calls: [{ name: 'read', args: given }] });
    const scripts: Record<string, VendorAnswer[]> = {};
    const model = await vendorServer(scripts);
    const { folder, ids, name } = await team(
      { a: [] },
      () => ({}),
      () => ({ model: 'small' }),
    );
    const id = await begin(name('a'));
    await append(id, { messages: [{ role: 'USER', content: long }] });
    const { agentSession } = await sessionOf(id);
    scripts['a'] = [
      ...[1, 1, 1].map((from) => read({ from })),
      read({ call: callId(agentSession!.id, 0, 0) }),
      { calls: [{ name: 'finish', args: { result: 1 } }] },
    ];
    writeFileSync(
      join(folder, 'models.json'),
      JSON.stringify({
        small: { provider: 'openai-compatible', model: 'm', baseURL: `${model.url}/a`, contextWindow: 6_000 },
      }),
    );
    const running = await start(folder, ids, '--models', 'models.json');
    await ends(id);
    await stop(running);
    const bodies = model.received['a']!.map((body) => JSON.stringify(body));
    const left = bodies.map((body) => body.split('characters left out').length - 1);
    expect(left.slice(0, 2)).toEqual([0, 0]);
    expect(left[3]).toBeGreaterThan(0);
    // What was read again stands whole in the last question.
    expect(bodies[4]!.length).toBeGreaterThan(2 * long.length);
    for (const body of bodies) expect(body.length).toBeLessThan(6_000 * 4);
  });

  it.each([
    [
      'a decline',
      (handoffId: string) =>
        ask(
          'mutation ($input: DeclineHandoffInput!) { declineHandoff(input: $input) { __typename ... on Error { code message } } }',
          { input: { handoffId, reason: 'Do it yourself' } },
        ),
      /was declined by a person: /g,
    ],
    [
      'a time-out',
      async (handoffId: string) => {
        const past = "UPDATE %s SET deadline_at = clock_timestamp() - interval '1 second' WHERE %s = $1";
        const uuid = decodeId(handoffId)!.uuid;
        await database.pool.query(past.replace('%s', 'approvals').replace('%s', 'handoff_id'), [uuid]);
        await database.pool.query(past.replace('%s', 'handoffs').replace('%s', 'id'), [uuid]);
        await sweep({ pool: database.pool, log: silentLog });
      },
      /was approved by nobody in time/g,
    ],
  ])('waits while a person decides about a handoff, and tells the model of %s', async (_, decide, words) => {
    const scripts: Record<string, VendorAnswer[]> = {};
    const model = await vendorServer(scripts);
    const { folder, ids, name } = await team(
      { a: ['b'], b: [] },
      () => ({}),
      () => ({ model: 'local' }),
    );
    scripts['a'] = [
      { calls: [{ name: `transfer_to_${name('b')}`, args: { reason: 'Go on' } }] },
      { calls: [{ name: 'note', args: { decision: 'Went on' } }] },
      { calls: [{ name: 'finish', args: { result: 'Alone' } }] },
    ];
    writeFileSync(
      join(folder, 'models.json'),
      JSON.stringify({ local: { provider: 'openai-compatible', model: 'm', baseURL: `${model.url}/a` } }),
    );
    const { session: made } = await ask<{ session: { id: string } }>(
      `mutation ($input: CreateSessionInput!) { answer: createSession(input: $input) {
        ... on CreateSessionPayload { session { id } } ... on Error { code message } } }`,
      { input: { title: 'Work', agentId: name('a'), handoffApproval: 'REQUIRED' } },
    );
    const running = await start(folder, ids, '--models', 'models.json');
    await vi.waitFor(
      () => expect(running.lines.at(-1)?.text).toBe(`waits for a person to approve the handoff to ${name('b')}`),
      patience,
    );
    const { session: found } = await ask<{ session: { status: string; lastHandoff: { id: string; status: string } } }>(
      'query ($id: ID!) { session(id: $id) { status lastHandoff { id status } } }',
      made,
    );
    expect(found).toMatchObject({ status: 'RUNNING', lastHandoff: { status: 'PROPOSED' } });
    expect(running.lines.filter(({ event }) => event === 'step')).toHaveLength(1);
    await decide(found.lastHandoff.id);
    expect(await ends(made.id)).toMatchObject({ result: 'Alone', decisions: [{ text: 'Went on' }] });
    await stop(running);
    const heard = model.received['a']!.map((body) => JSON.stringify(body).match(words)?.length ?? 0);
    expect(heard).toEqual([0, 1, 1]);
    expect(await untold(name('a'))).toBe(0);
  });

  it('takes a session through a pipeline, with refused outcomes given back', async () => {
    const slug = `pipe${teams + 1}`;
    const { folder, ids, name } = await team(
      { a: [], b: [] },
      (id) => ({
        [id('a')]: [
          [
            { calls: [call('finish', { outcome: 'NO' })] },
            { calls: [call('finish', { outcome: 'DONE', payload: { n: 1 } })] },
          ],
        ],
        [id('b')]: [[{ calls: [call('finish', { outcome: 'APPROVE' })] }]],
      }),
      (id) => ({ role: `${slug}-${id}` }),
    );
    await pipeline(slug, [`${slug}-a DONE ${slug}-b`, `${slug}-b APPROVE end`]);
    const running = await start(folder, ids);
    const done = await ends(await begin(name('a'), { pipeline: slug }));
    expect(callsOf(done)).toEqual([
      expect.stringContaining(`${name('a')}: finish (The arguments are wrong`),
      `${name('a')}: finish`,
      `${name('b')}: finish`,
    ]);
    await stop(running);
  });

  it('goes on from the log of a killed runner: what Baton did is done once, what a tool did is said to be unknown', async () => {
    const { folder, ids, name } = await team({ a: ['b'], b: [] }, (id) => ({
      [id('a')]: [[{ calls: [] }, { calls: [call(`transfer_to_${id('b')}`)] }]],
      [id('b')]: [[{ calls: [call('finish', { result: 'Done' })] }]],
    }));
    const id = await begin(name('a'));
    const { agentSession } = await sessionOf(id);
    const [note, tool] = [0, 1].map((index) => callId(agentSession!.id, 0, index));
    await append(id, {
      messages: [{ role: 'ASSISTANT', content: 'I began.' }],
      toolCalls: [
        { callId: note, name: 'note', arguments: { decision: 'Once' } },
        { callId: tool, name: 'mcp__mail__send', arguments: {} },
      ],
      idempotencyKey: `run-${agentSession!.id}-0`,
    });
    const running = await start(folder, ids);
    const done = await ends(id);
    expect(done.decisions).toEqual([{ text: 'Once' }]);
    expect(callsOf(done).slice(0, 2)).toEqual([
      `${name('a')}: note`,
      expect.stringMatching(/mcp__mail__send \(.*(unknown|There is no tool)/),
    ]);
    expect(done.turns.nodes.map(({ index }) => index)).toEqual([1, 2, 3]);
    await stop(running);
  });

  it('completes a session whose runner was killed between the result of finish and the end', async () => {
    const { folder, ids, name } = await team({ a: [] }, (id) => ({ [id('a')]: [[{ text: 'Never asked.' }]] }));
    const id = await begin(name('a'));
    const { agentSession } = await sessionOf(id);
    const finish = callId(agentSession!.id, 0, 0);
    await append(id, {
      messages: [{ role: 'ASSISTANT', content: 'I finish.' }],
      toolCalls: [{ callId: finish, name: 'finish', arguments: { result: { n: 7 } }, result: 'The work is finished.' }],
    });
    const running = await start(folder, ids);
    const done = await ends(id);
    expect(done.result).toEqual({ n: 7 });
    expect(done.turns.nodes).toHaveLength(1);
    await stop(running);
  });

  it('leaves work to the program that records it, unless the agent is named', async () => {
    const { folder, name } = await team({ a: [] }, (id) => ({
      [id('a')]: [[1, 2].map(() => ({ calls: [call('finish', { result: 1 })] }))],
    }));
    const [others, own] = [await begin(name('a')), await begin(name('a'))];
    await append(others, { messages: [{ role: 'ASSISTANT', content: 'By hand.' }] });
    const all = await start(folder, []);
    await ends(own);
    await stop(all);
    expect(await sessionOf(others)).toMatchObject({ status: 'RUNNING', agentSession: { claim: null } });
    const named = await start(folder, [name('a')]);
    await ends(others);
    await stop(named);
  });

  it('ends after the step that runs when it is stopped, not after a wait for the model, and releases its claim', async () => {
    const { folder, ids, name } = await team({ a: [] }, (id) => ({
      [id('a')]: [
        [
          { calls: [call('note', { decision: 'x' })] },
          { waitMs: 1_500, calls: [call('note', { decision: 'y' })] },
          { errors: [{ status: 429, retryAfter: 100 }], calls: [call('finish', { result: 1 })] },
        ],
      ],
    }));
    const running = await start(folder, ids);
    const id = await begin(name('a'));
    await vi.waitFor(() => expect(running.lines.map(({ event }) => event)).toContain('step'), patience);
    await stop(running);
    const left = await sessionOf(id);
    expect(left).toMatchObject({ status: 'RUNNING', agentSession: { state: 'ACTIVE', claim: null } });
    expect(left.turns.nodes).toHaveLength(2);
    const next = await start(folder, []);
    await vi.waitFor(() => expect(next.lines.map(({ event }) => event)).toContain('retry'), patience);
    // It waits for the model, and asks it no more.
    await stop(next);
    expect((await sessionOf(id)).turns.nodes).toHaveLength(2);
  });

  it.each([
    [
      'an agent that does not exist',
      ['nobody'],
      {},
      "There is no agent 'nobody': import its definition, or check its id",
    ],
    [
      'a wrong address',
      ['--url', 'http://127.0.0.1:9'],
      {},
      /Nothing answers at http:\/\/127\.0\.0\.1:9 .*start Baton there, or give its address with --url/,
    ],
    [
      'a models file that is not there',
      ['--models', 'none.yaml'],
      {},
      /The models file none\.yaml does not exist: check the path/,
    ],
  ])('says in one sentence what to do about %s', async (_, args, env, sentence) => {
    const { folder } = await team({ a: [] }, () => ({}));
    const { exited, stderr } = await startRun(folder, ['--url', url, ...args], env);
    expect(await exited).not.toBe(0);
    expect(stderr().trim()).toEqual(typeof sentence === 'string' ? sentence : expect.stringMatching(sentence));
  });

  it.each([
    ['without a model', 'null', / has no model: write 'model: anthropic/],
    ['whose model has no key', 'sonnet', /needs a key: set ANTHROPIC_API_KEY/],
    ['whose model is not known', 'nonsense', /no model is known as 'nonsense'/],
  ])('says what to do about an agent %s', async (_, model, sentence) => {
    const { folder, ids } = await team(
      { a: [] },
      () => ({}),
      () => ({ model }),
    );
    const { exited, stderr } = await startRun(folder, [...ids, '--url', url]);
    expect(await exited).toBe(1);
    expect(stderr()).toMatch(sentence);
  });
});
