import { beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { connect, type Model } from '../../../test/mcp.ts';
import { startApp } from '../../../test/server.ts';
import { toolCall, world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { workspaceId } from '../../core/workspace.ts';
import { updateAgent } from '../../work/agents/updateAgent.ts';
import { createHandoffTool } from '../../work/tools/changeTool.ts';

const database = await testDatabase();
const { pool } = database;
const { url } = await startApp(database);
const { agent, session, initiate, turn, run, pipeline } = world(pool);
const { post } = client(url);

let count = 0;
/** Agents of their own, so that no test sees the sessions of another: `author` may hand off to `reviewer`. */
async function pair(): Promise<{ author: Model; reviewer: Model; names: { author: string; reviewer: string } }> {
  const names = { author: `author-${(count += 1)}`, reviewer: `reviewer-${count}` };
  await agent(names.reviewer);
  await agent(names.author, { collaborators: [names.reviewer] });
  return { author: await connect(url, `/${names.author}`), reviewer: await connect(url, `/${names.reviewer}`), names };
}
const publicSession = async (holder: string | null, fields = {}): Promise<string> =>
  encodeId('session', await session(holder, fields));
interface State {
  status: string;
  decisions: { text: string }[];
  messages: { nodes: { role: string; content: string }[] };
}
const stateOf = async (sessionId: string): Promise<State> =>
  (
    await post<{ session: State }>(
      `{ session(id: "${sessionId}") { status agent { id } decisions { text } tasks { content status } messages { nodes { role content } } lastHandoff { status via reason summary actor { principal role } triggeringToolCalls { callId name } } } }`,
    )
  ).data.session;

describe('the list of tools', () => {
  const long = 'Reviews what others wrote, carefully and with an eye for what is missing. '.repeat(14).trim();
  let model: Model;
  beforeAll(async () => {
    for (const id of ['reviewer-with-a-long-name-of-1', 'tester-with-a-long-name-of-2', 'writer-with-a-long-name-of-3'])
      await run(updateAgent, { id: (await agent(id, { role: 'reviewer' })).agentId, description: long });
    await agent('lead');
    await run(updateAgent, {
      id: 'lead',
      collaborations: [
        'reviewer-with-a-long-name-of-1',
        'tester-with-a-long-name-of-2',
        'writer-with-a-long-name-of-3',
      ].map((agentId) => ({ agentId, when: 'The work is done and has to be looked at by somebody else.' })),
    });
    model = await connect(url, '/lead');
  });

  it('has ten tools in less than 6.5 KB for an agent with three collaborators, however long their descriptions', async () => {
    const { tools } = await model.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'baton_inbox',
      'baton_accept',
      'baton_reject',
      'baton_read',
      'baton_note',
      'baton_ask',
      'baton_handoff',
      'transfer_to_reviewer-with-a-long-name-of-1',
      'transfer_to_tester-with-a-long-name-of-2',
      'transfer_to_writer-with-a-long-name-of-3',
    ]);
    const bytes = Buffer.byteLength(
      JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))),
    );
    expect(bytes).toBeLessThan(6.5 * 1024);
    for (const { inputSchema } of tools)
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
  });

  it('says which tools change nothing, and that none destroys anything or reaches beyond Baton', async () => {
    const { tools } = await model.client.listTools();
    for (const { annotations } of tools)
      expect(annotations).toMatchObject({ destructiveHint: false, openWorldHint: false });
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name)).toEqual([
      'baton_inbox',
      'baton_read',
    ]);
  });
});

it('asks a person, with answers to choose from', async () => {
  const { author, names } = await pair();
  const id = await publicSession(names.author);
  const asked = await author.call('baton_ask', { question: 'Which database?', options: ['PostgreSQL', 'SQLite'] });
  expect(asked).toMatchObject({ isError: false, data: { session: id } });
  const [row] = await database.prisma.approval.findMany({ where: { kind: 'QUESTION' } });
  expect(row).toMatchObject({ text: 'Which database?', options: ['PostgreSQL', 'SQLite'] });
  const refused = await author.call('baton_note', { session: id, text: 'I went on.' });
  expect(refused.texts[0]).toContain('wait for the answer to question_');
});

it.each(['by a tool', 'by an outcome'])(
  'takes back its own handoff that waits for a person, as the answer to the handoff %s said',
  async (how) => {
    const { author, reviewer, names } = await pair();
    const slug = `text-${count}`;
    await run(updateAgent, { id: names.author, role: `write-${count}` });
    await run(updateAgent, { id: names.reviewer, role: `edit-${count}` });
    await pipeline(slug, ['write DONE edit', 'edit DONE end'], {
      write: { role: `write-${count}` },
      edit: { role: `edit-${count}` },
    });
    const inStage = how === 'by an outcome';
    const id = await publicSession(inStage ? null : names.author, {
      handoffApproval: 'REQUIRED',
      ...(inStage && { pipeline: slug }),
    });
    const to = inStage ? { outcome: 'DONE' } : { target: names.reviewer };
    const proposed = await author.call('baton_handoff', { ...to, reason: 'Check it' });
    const handoff = proposed.data.handoff;
    const advice = `baton_reject with handoff ${handoff} takes it back`;
    expect(proposed.texts[0]).toContain(`Until then ${advice}.`);
    expect((await author.call('baton_inbox')).texts[0]).toContain(`first; ${advice}.`);
    const again = await author.call('baton_handoff', { ...to, reason: 'Check it now' });
    expect(again).toMatchObject({ isError: true });
    expect(again.texts[0]).toContain('wait for the decision, or take it back (baton_reject with its id)');
    // Nobody else's.
    expect(await reviewer.call('baton_reject', { handoff, reason: 'No' })).toMatchObject({ isError: true });
    const back = await author.call('baton_reject', { handoff, reason: 'The tests fail' });
    expect(back).toMatchObject({ isError: false, data: { handoff, session: id, holder: names.author } });
    expect(back.texts[0]).toBe('Taken back. You hold the session.');
    expect(await database.prisma.handoff.findFirstOrThrow({ orderBy: { id: 'desc' } })).toMatchObject({
      status: 'CANCELLED',
      cancelReason: 'The tests fail',
      sourceAgentId: names.author,
    });
    // A repeat changes nothing.
    expect(await author.call('baton_reject', { handoff, reason: 'Again' })).toMatchObject({ isError: false });
    expect(await author.call('baton_handoff', { ...to, reason: 'The tests pass' })).toMatchObject({ isError: false });
  },
);

it('takes back its own handoff that its target has not accepted', async () => {
  const { author, reviewer, names } = await pair();
  const id = await publicSession(names.author);
  const { data } = await author.call('baton_handoff', { target: names.reviewer, reason: 'Check it' });
  const back = await author.call('baton_reject', { handoff: data.handoff, reason: 'Not yet' });
  expect(back.texts[0]).toBe('Taken back. You hold the session.');
  expect(await stateOf(id)).toMatchObject({ agent: { id: names.author }, lastHandoff: { status: 'CANCELLED' } });
  const next = await author.call('baton_handoff', { target: names.reviewer, reason: 'Now' });
  await reviewer.call('baton_accept');
  const late = await author.call('baton_reject', { handoff: next.data.handoff, reason: 'Wait' });
  expect(late).toMatchObject({ isError: true });
  expect(late.texts[0]).toContain('its target has accepted it');
});

describe('a take-over', () => {
  it('goes from the inbox over the context and notes back to the author, and every step is in the record', async () => {
    const { author, reviewer, names } = await pair();
    const id = await publicSession(names.author, { title: 'Release notes' });
    await author.call('baton_note', {
      text: 'The notes are in NOTES.md.',
      decisions: ['No marketing words'],
      tasks: [{ content: 'Check the versions', status: 'PENDING' }],
    });
    const passed = await author.call(
      'baton_handoff',
      { target: names.reviewer, reason: 'Please check' },
      { 'claudecode/toolUseId': 'toolu_7' },
    );
    expect(passed).toMatchObject({
      isError: false,
      data: {
        session: id,
        target: names.reviewer,
        handoff: expect.stringMatching(/^handoff_/) as string,
        deadlineAt: expect.stringMatching(/^20.*Z$/) as string,
      },
    });
    expect(passed.texts[0]).toContain('stop here');

    const inbox = await reviewer.call('baton_inbox');
    expect(inbox.texts[0]).toBe(
      '1 handoff waits for you. Take one with baton_accept, or decline it with baton_reject.',
    );
    expect(inbox.texts[1]).toContain('The notes are in NOTES.md.');
    expect(inbox.data).toMatchObject({
      waiting: 1,
      handoffs: [
        {
          handoff: passed.data.handoff,
          from: names.author,
          session: id,
          deadlineAt: expect.stringMatching(/^20.*Z$/) as string,
          prompt: expect.stringContaining('No marketing words') as string,
        },
      ],
    });

    const accepted = await reviewer.call('baton_accept');
    expect(accepted).toMatchObject({
      isError: false,
      data: {
        session: id,
        state: 'ACTIVE',
        from: names.author,
        prompt: expect.stringContaining('Check the versions') as string,
      },
    });
    expect(accepted.texts[1]).toContain('The notes are in NOTES.md.');
    await reviewer.call('baton_note', { text: 'The versions are wrong.' });
    const back = await reviewer.call(`transfer_to_${names.author}`, { reason: 'Mend the versions' });
    expect(back.isError).toBe(false);
    const declined = await author.call('baton_reject', { reason: 'Nothing is wrong' });
    expect(declined.texts[0]).toBe(`Declined. '${names.reviewer}' holds the session again; your reason is recorded.`);

    const state = await stateOf(id);
    expect(state).toMatchObject({
      agent: { id: names.reviewer },
      decisions: [{ text: 'No marketing words' }],
      tasks: [{ content: 'Check the versions', status: 'PENDING' }],
      lastHandoff: {
        via: 'TOOL',
        status: 'REJECTED',
        reason: 'Mend the versions',
        actor: { principal: 'loopback', role: 'AGENT' },
      },
    });
    expect(state.messages.nodes.filter(({ role }) => role === 'ASSISTANT').map(({ content }) => content)).toEqual([
      'The versions are wrong.',
      'The notes are in NOTES.md.',
    ]);
    const { data } = await post<{ handoff: object }>(
      `{ handoff(id: "${passed.data.handoff}") { status triggeringToolCalls { callId name } } }`,
    );
    expect(data.handoff).toEqual({
      status: 'COMPLETED',
      triggeringToolCalls: [{ callId: 'toolu_7', name: `transfer_to_${names.reviewer}` }],
    });
  });

  it('repeats its answers: accepting twice, and the same call of the model twice', async () => {
    const { author, reviewer, names } = await pair();
    await publicSession(names.author);
    const call = () =>
      author.call(
        `transfer_to_${names.reviewer}`,
        { reason: 'because', summary: 'Half done', variables: { branch: 'main' } },
        { callId: 'call_1' },
      );
    const [first, handoffs] = [
      await call(),
      async () =>
        (
          await post<{ handoffs: { totalCount: number } }>(
            `{ handoffs(where: { sourceAgentId: "${names.author}" }) { totalCount } }`,
          )
        ).data.handoffs.totalCount,
    ];
    const again = await author.call(
      `transfer_to_${names.reviewer}`,
      { reason: 'because', session: first.data.session },
      { callId: 'call_1' },
    );
    expect(again).toEqual(first);
    expect(await handoffs()).toBe(1);
    const accepted = await reviewer.call('baton_accept');
    expect(await reviewer.call('baton_accept', { handoff: first.data.handoff })).toEqual(accepted);
    expect(accepted.texts[1]).toContain('Half done');
    expect(accepted.texts[1]).toContain('branch');
  });

  it('answers ten calls at once', async () => {
    const { author, names } = await pair();
    const id = await publicSession(names.author);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        at % 2 === 0 ? author.call('baton_note', { text: `note ${at}` }) : author.call('baton_inbox'),
      ),
    );
    expect(answers.filter(({ isError }) => isError)).toEqual([]);
    const { messages } = await stateOf(id);
    expect(messages.nodes.map(({ content }) => content).sort()).toEqual([0, 2, 4, 6, 8].map((at) => `note ${at}`));
  });
});

describe('the end of a session outside of pipelines', () => {
  it.each([
    [
      { outcome: 'COMPLETED', reason: 'All is written', payload: { words: 7 } },
      { status: 'COMPLETED', summary: 'All is written', result: { words: 7 }, endReason: null },
    ],
    [
      { outcome: 'COMPLETED', reason: 'Done', summary: 'Seven words.' },
      { status: 'COMPLETED', summary: 'Seven words.', result: null, endReason: null },
    ],
    [
      { outcome: 'FAILED', reason: 'The disk is full', summary: 'Nothing was lost.' },
      { status: 'FAILED', summary: null, result: null, endReason: 'The disk is full\n\nNothing was lost.' },
    ],
  ])('is an outcome of baton_handoff: %j', async (given, expected) => {
    const { author, names } = await pair();
    const id = await publicSession(names.author);
    expect(await author.call('baton_handoff', given)).toMatchObject({
      isError: false,
      data: { session: id, status: given.outcome, target: null },
    });
    expect((await post(`{ session(id: "${id}") { status summary result endReason } }`)).data).toEqual({
      session: expected,
    });
    expect((await author.call('baton_inbox')).texts).toEqual(['No handoff waits for you.']);
  });
});

describe('the session of a call', () => {
  const place = { host: 'box', repository: null, branch: null, commit: null };

  it('is the only active one, else the refusal lists them', async () => {
    const { author, names } = await pair();
    const none = await author.call('baton_note', { text: 'x' });
    expect(none).toMatchObject({
      isError: true,
      texts: ['You have no active session. Call baton_inbox: it lists what waits for you.'],
      data: { code: 'NO_ACTIVE_SESSION' },
    });
    const ids = [
      await publicSession(names.author, { title: 'One' }),
      await publicSession(names.author, { title: 'Two' }),
    ];
    for (const [tool, given] of [
      ['baton_note', { text: 'x' }],
      ['baton_handoff', { target: names.reviewer, reason: 'x' }],
      [`transfer_to_${names.reviewer}`, { reason: 'x' }],
      ['baton_read', {}],
    ] as const) {
      const several = await author.call(tool, given);
      expect(several).toMatchObject({ isError: true, data: { code: 'SEVERAL_ACTIVE_SESSIONS' } });
      for (const id of ids) expect(several.texts[0]).toContain(id);
    }
    expect(await author.call('baton_note', { text: 'x', session: ids[1] })).toMatchObject({
      isError: false,
      data: { session: ids[1] },
    });
    expect(await author.call(`transfer_to_${names.reviewer}`, { reason: 'x', session: ids[0] })).toMatchObject({
      isError: false,
    });
  });

  it('is the active one of its folder, for each of two folders in which the agent works', async () => {
    const { names } = await pair();
    const folders = ['/srv/one', '/srv/two'].map((folder) => ({ ...place, folder }));
    const [first, second] = [
      await publicSession(names.author, { title: 'One', workspace: folders[0]! }),
      await publicSession(names.author, { title: 'Two', workspace: folders[1]! }),
    ];
    const [one, two, third] = await Promise.all(
      [...folders, { ...place, folder: '/srv/three' }].map(({ host, folder }) =>
        connect(url, `/${names.author}?workspace=${workspaceId(host, folder)}`),
      ),
    );
    expect(await one!.call('baton_note', { text: 'In one' })).toMatchObject({ data: { session: first } });
    expect(await two!.call('baton_note', { text: 'In two' })).toMatchObject({ data: { session: second } });
    expect((await third!.call('baton_note', { text: 'x' })).texts[0]).toMatch(
      /another agent holds .*hooks have not run/,
    );
    // Neither a third folder nor a program that says none gets work of these.
    for (const other of [third!, await connect(url, `/${names.author}`)]) {
      const elsewhere = await other.call('baton_note', { text: 'x' });
      expect(elsewhere).toMatchObject({ isError: true, data: { code: 'SESSION_ELSEWHERE' } });
      expect(elsewhere.texts[0]).toContain(`${first} "One" in "/srv/one" on "box"`);
      expect(elsewhere.texts[0]).toContain(`${second} "Two" in "/srv/two" on "box"`);
      expect(await other.call('baton_note', { text: 'Named', session: first })).toMatchObject({ isError: false });
    }
    expect(await two!.call(`transfer_to_${names.reviewer}`, { reason: 'x' })).toMatchObject({
      data: { session: second },
    });
    const [back, beside] = [
      await connect(url, `/${names.reviewer}?workspace=${workspaceId('box', '/srv/two')}`),
      await connect(url, `/${names.reviewer}?workspace=${workspaceId('box', '/srv/one')}`),
    ];
    const asked = await beside.call('baton_accept');
    expect(asked).toMatchObject({ isError: true, data: { code: 'HANDOFF_ELSEWHERE' } });
    expect(asked.texts[0]).toContain('"Two" in "/srv/two" on "box"');
    expect(await back.call('baton_accept')).toMatchObject({ isError: false, data: { session: second } });
  });

  it('is not passed on before this tenure recorded something, in a connected folder whose hooks named no session', async () => {
    const { names } = await pair();
    const id = await publicSession(names.author, { title: 'One', workspace: { ...place, folder: '/srv/unhooked' } });
    const here = await connect(url, `/${names.author}?workspace=${workspaceId(place.host, '/srv/unhooked')}`);
    for (const [tool, given] of [
      ['baton_handoff', { target: names.reviewer, reason: 'x' }],
      ['baton_handoff', { outcome: 'COMPLETED', reason: 'x' }],
      [`transfer_to_${names.reviewer}`, { reason: 'x' }],
    ] as const) {
      const refused = await here.call(tool, given);
      expect(refused).toMatchObject({ isError: true, data: { code: 'TURN_NOT_RECORDED', session: id } });
      expect(refused.texts[0]).toMatch(/hooks have not run.*\/hooks.*baton_note/);
    }
    await here.call('baton_note', { text: 'Found port 6123' });
    expect(await here.call(`transfer_to_${names.reviewer}`, { reason: 'x' })).toMatchObject({ isError: false });
  });

  it('is the one of the run from which a program comes', async () => {
    const { names } = await pair();
    const [, second] = [await publicSession(names.author), await publicSession(names.author)];
    const model = await connect(url, `/${names.author}`, { headers: { 'baton-session': second } });
    expect(await model.call('baton_note', { text: 'x' })).toMatchObject({ data: { session: second } });
  });

  it('has a wrong workspace in the address refused before anything is done', async () => {
    const answer = await fetch(`${url}/mcp/author-1?workspace=ws_1`, { method: 'POST', body: '{}' });
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('connect the folder again')]);
  });

  it('goes by another name where a tool has a variable of that name', async () => {
    const { author, names } = await pair();
    const variable = { type: 'STRING' as const, required: true, description: null, enum: null, default: null };
    await run(createHandoffTool, {
      name: 'book_session',
      targetAgentId: names.reviewer,
      agentIds: [names.author],
      description: 'Books a session.',
      instructions: null,
      variables: [{ name: 'session', ...variable }],
    });
    const [one] = [await publicSession(names.author), await publicSession(names.author)];
    const { tools } = await author.client.listTools();
    expect(Object.keys(tools.find(({ name }) => name === 'book_session')!.inputSchema.properties!)).toEqual([
      'session',
      'reason',
      'summary',
      '_handoff_session',
    ]);
    expect(await author.call('book_session', { session: 'Monday', _handoff_session: one })).toMatchObject({
      isError: false,
      data: { session: one },
    });
  });
});

describe('refusals say what to do next', () => {
  it.each<
    [
      string,
      (given: Awaited<ReturnType<typeof pair>>) => Promise<[Model, string, Record<string, unknown>]>,
      string,
      RegExp,
    ]
  >([
    [
      'an unknown target, with the nearest names',
      async ({ author, names }) => (
        await publicSession(names.author),
        [author, 'baton_handoff', { target: `${names.reviewer}x`, reason: 'x' }]
      ),
      'UNKNOWN_HANDOFF_TARGET',
      /did you mean/,
    ],
    [
      'wrong arguments of a handoff tool, with its schema',
      async ({ author, names }) => (
        await publicSession(names.author),
        [author, `transfer_to_${names.reviewer}`, { speed: 1 }]
      ),
      'INVALID_TOOL_ARGUMENTS',
      /reason is required: give a value;[^]*The tool takes: \{/,
    ],
    [
      'wrong arguments of our own tools, with their schema',
      async ({ author }) => [author, 'baton_reject', { handoff: 7 }],
      'BAD_USER_INPUT',
      /reason: [^]*It takes: \{/,
    ],
    [
      'target and outcome together',
      async ({ author }) => [author, 'baton_handoff', { target: 'a', outcome: 'DONE', reason: 'x' }],
      'BAD_USER_INPUT',
      /^Give target or outcome, not both\.$/,
    ],
    [
      'neither target nor outcome',
      async ({ author, names }) => (await publicSession(names.author), [author, 'baton_handoff', { reason: 'x' }]),
      'BAD_USER_INPUT',
      /^Give target: the agent.*outcome COMPLETED or FAILED\.$/,
    ],
    [
      'an outcome outside of pipelines that ends nothing',
      async ({ author, names }) => (
        await publicSession(names.author),
        [author, 'baton_handoff', { outcome: 'DONE', reason: 'x' }]
      ),
      'BAD_USER_INPUT',
      /Give outcome COMPLETED or FAILED to end it, or target/,
    ],
    [
      'the end of a session that waits to be accepted',
      async ({ author, reviewer, names }) => {
        const id = await session(names.author);
        await initiate(id, names.reviewer);
        void author;
        return [reviewer, 'baton_handoff', { outcome: 'COMPLETED', reason: 'x', session: encodeId('session', id) }];
      },
      'INVALID_STATE',
      /accept/,
    ],
    [
      'an unknown tool',
      async ({ author, names }) => (await publicSession(names.author), [author, 'fly', {}]),
      'UNKNOWN_HANDOFF_TARGET',
      /fly/,
    ],
    ['nothing to accept', async ({ author }) => [author, 'baton_accept', {}], 'NO_HANDOFF_WAITS', /baton_inbox/],
    [
      'a handoff of somebody else',
      async ({ author, names }) => {
        const { handoffId } = await initiate(await session(names.author), names.reviewer);
        return [author, 'baton_accept', { handoff: encodeId('handoff', handoffId) }];
      },
      'FORBIDDEN',
      /Only the target agent/,
    ],
    [
      'work before accepting',
      async ({ author, reviewer, names }) => {
        const id = await session(names.author);
        await initiate(id, names.reviewer);
        void author;
        return [reviewer, 'baton_note', { text: 'x', session: encodeId('session', id) }];
      },
      'INVALID_STATE',
      /baton_accept/,
    ],
    [
      'a session id where a handoff id belongs',
      async ({ author, names }) => [author, 'baton_accept', { handoff: await publicSession(names.author) }],
      'BAD_USER_INPUT',
      /handoff/,
    ],
    ['nothing to record', async ({ author }) => [author, 'baton_note', {}], 'BAD_USER_INPUT', /nothing to record/],
    [
      'an unknown item',
      async ({ author, names }) => {
        const { handoffId } = await initiate(await session(names.author), names.reviewer);
        return [author, 'baton_read', { handoff: encodeId('handoff', handoffId), item: 'message-99' }];
      },
      'NOT_FOUND',
      /lists what was left out/,
    ],
  ])('%s', async (_what, given, code, says) => {
    const [model, name, input] = await given(await pair());
    const { isError, texts, data } = await model.call(name, input);
    expect({ isError, data }).toMatchObject({ isError: true, data: { code, message: texts[0] } });
    expect(texts[0]).toMatch(says);
    expect(texts[0]).not.toMatch(/acceptHandoff|advancePipeline|Error:|\bat .*\.ts/);
  });

  it('names the parts of a note that were recorded before the refused one', async () => {
    const { author, names } = await pair();
    const id = await publicSession(names.author);
    const refused = await author.call('baton_note', {
      text: 'Words',
      decisions: ['One', 'x'.repeat(5_000)],
      session: id,
    });
    expect(refused).toMatchObject({ isError: true, data: { recorded: ['text', 'decision 1'] } });
    expect(refused.texts[0]).toMatch(/Recorded before: text, decision 1\. Do not send these again\.$/);
    expect((await stateOf(id)).decisions).toEqual([{ text: 'One' }]);
  });
});

describe('a window that is nearly full', () => {
  const usage = (inputTokens: number) => ({
    usage: { inputTokens, outputTokens: null, cacheCreationInputTokens: null, cacheReadInputTokens: null, model: null },
  });

  it('stands in the inbox and in one line of every answer, until the usage falls or the session is handed off', async () => {
    const { author, reviewer, names } = await pair();
    await run(updateAgent, { id: names.author, contextWindow: 1_000 });
    const id = await session(names.author, { title: 'Long "work"' });
    const line = `The context window of ${encodeId('session', id)} "Long 'work'" is 85 % full. Hand it off with baton_handoff, target '${names.reviewer}', before the window is compacted.`;
    await turn(id, usage(859));
    const inbox = await author.call('baton_inbox');
    expect(inbox.texts[0]!.split('\n').at(-1)).toBe(line);
    expect(inbox.data).toMatchObject({
      sessions: [
        {
          proposal: { windowTokens: 859, contextWindow: 1_000, targets: [{ agentId: names.reviewer, freePlaces: 5 }] },
        },
      ],
    });
    const noted = await author.call('baton_note', { text: 'Half is done.' });
    expect(noted.texts[0]).toBe(`Recorded in ${encodeId('session', id)}: text.\n${line}`);
    expect(noted.data.message).toBe(noted.texts[0]);
    for (const [tool, given] of [
      ['baton_read', {}],
      ['baton_accept', {}],
      ['baton_note', {}],
    ] as const)
      expect((await author.call(tool, given)).texts[0]!.split('\n').at(-1)).toBe(line);
    expect((await reviewer.call('baton_inbox')).texts[0]).not.toContain('window');

    await turn(id, usage(100));
    expect((await author.call('baton_note', { text: 'More.' })).texts[0]).not.toContain('window');
    await turn(id, usage(900));
    const passed = await author.call('baton_handoff', { target: names.reviewer, reason: 'The window is full' });
    expect([passed.isError, passed.texts[0]!.includes('window')]).toEqual([false, false]);
  });

  it('without an agent that has room asks for notes', async () => {
    const { author, names } = await pair();
    await run(updateAgent, { id: names.author, contextWindow: 1_000, collaborators: [] });
    await turn(await session(names.author), usage(900));
    expect((await author.call('baton_inbox')).texts[0]).toMatch(
      /is 90 % full\. No agent to which you may hand it off has a free place: record what is left with baton_note\.$/,
    );
  });
});

describe('a pipeline', () => {
  it('names its outcomes in the inbox, takes them in baton_handoff, and completes at its end', async () => {
    const slug = `line-${(count += 1)}`;
    const [writer, checker] = [`writer-${count}`, `checker-${count}`];
    await agent(writer, { role: `${slug}-write` });
    await agent(checker, { role: `${slug}-check` });
    await pipeline(slug, ['write DONE check', 'check APPROVE end', 'check REJECT write'], {
      write: { role: `${slug}-write` },
      check: { role: `${slug}-check` },
    });
    const id = await publicSession(writer, { pipeline: slug });
    const [first, second] = [await connect(url, `/${writer}`), await connect(url, `/${checker}`)];
    expect((await first.call('baton_inbox')).texts[0]).toBe(
      `No handoff waits for you.\nYou hold ${id} "A piece of work": ACTIVE, outcomes DONE.`,
    );
    expect(await first.call('baton_handoff', { reason: 'x' })).toMatchObject({
      isError: true,
      texts: ['Give outcome: DONE.'],
    });
    expect(await first.call('baton_handoff', { outcome: 'APPROVE', reason: 'x' })).toMatchObject({
      isError: true,
      data: { code: 'TRANSITION_NOT_ALLOWED' },
    });
    expect(
      await first.call('baton_handoff', { outcome: 'DONE', reason: 'Written', payload: { file: 'a.md' } }),
    ).toMatchObject({ isError: false, data: { target: checker } });
    const accepted = await second.call('baton_accept');
    expect(accepted.texts[0]).toContain(
      "in stage 'check' of a pipeline: when its work is done, call baton_handoff with outcome APPROVE or REJECT.",
    );
    expect(accepted.texts[1]).toContain('a.md');
    expect(await second.call('baton_handoff', { outcome: 'APPROVE', reason: 'Good' })).toMatchObject({
      isError: false,
      texts: ['The pipeline is completed, and the session with it.'],
    });
    expect((await stateOf(id)).status).toBe('COMPLETED');
  });
});

describe('reading', () => {
  it('returns items that a prompt left out, whole and in parts', async () => {
    const { author, reviewer, names } = await pair();
    const id = await session(names.author);
    const long = `${'The whole result of the build. '.repeat(2_000)}END`;
    await turn(id, {
      messages: [
        { role: 'USER', content: 'Build it' },
        { role: 'ASSISTANT', content: long },
      ],
      toolCalls: Array.from({ length: 5 }, (_, at) =>
        toolCall(`c${at}`, 'Bash', { arguments: { command: `make ${'x'.repeat(500)} ${at}` } }),
      ),
    });
    await initiate(id, names.reviewer, { reason: 'Look' });
    const { data, texts } = await reviewer.call('baton_inbox', { maxTokens: 200 });
    const { handoff, leftOut } = data.handoffs[0]!;
    expect(leftOut.length).toBeGreaterThan(0);
    expect(texts[1]).toContain(`Left out: ${leftOut.join(', ')}. baton_read returns one with handoff ${handoff}`);
    expect(await reviewer.call('baton_read', { handoff, item: leftOut[0] })).toMatchObject({
      isError: false,
      data: { handoff, item: leftOut[0] },
    });
    let whole = '';
    for (let next: number | null = 0; next !== null;) {
      const part = await author.call('baton_read', { handoff, item: 'last-message-1', from: next });
      expect(part).toMatchObject({ isError: false });
      whole += part.data.content;
      next = part.data.next;
    }
    expect(whole).toBe(long);
  });

  it('returns the newest messages of a log, or those of a range', async () => {
    const { author, names } = await pair();
    const id = await session(names.author);
    for (let at = 1; at <= 30; at += 1)
      await turn(id, { messages: [{ role: 'ASSISTANT', content: `Message number ${at}` }] });
    const newest = await author.call('baton_read');
    expect(newest.data.messages.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, at) => at + 11));
    expect(newest.texts[0]).toContain('Give from to read earlier messages.');
    const range = await author.call('baton_read', { from: 3, to: 5 });
    expect(range.data.messages.map(({ content }) => content)).toEqual([
      'Message number 3',
      'Message number 4',
      'Message number 5',
    ]);
    const rest = await author.call('baton_read', { from: 2 });
    expect(rest.data).toMatchObject({ next: 22, newest: 30 });
    expect((await author.call('baton_read', { from: 22 })).data).toMatchObject({ next: null });
  });

  it('shows tool calls beside the messages, shortened, as quoted data', async () => {
    const { author, names } = await pair();
    const id = await session(names.author);
    await turn(id, {
      messages: [{ role: 'ASSISTANT', content: 'I dig.' }],
      toolCalls: [
        toolCall('c1', 'Bash', { arguments: { command: 'dig' } }),
        toolCall('c2', 'Bash', { arguments: { command: 'x'.repeat(400) }, error: 'y'.repeat(700) }),
      ],
    });
    await turn(id, { messages: [{ role: 'ASSISTANT', content: 'I water.' }] });
    await turn(id, { messages: [], toolCalls: [toolCall('c3', 'Read', { arguments: { path: 'a.md' } })] });
    const newest = await author.call('baton_read');
    expect(newest.texts.slice(1)).toEqual([
      'Message 1, ASSISTANT\n```\nI dig.\n```',
      'Tool call\n```\nBash {"command":"dig"}\nok\n```',
      expect.stringMatching(/^Tool call, failed \(214 more characters\)\n```\nBash \{"command":"x+\ny{600}\n```$/),
      'Message 2, ASSISTANT\n```\nI water.\n```',
      'Tool call\n```\nRead {"path":"a.md"}\nok\n```',
    ]);
    expect(newest.data).toMatchObject({
      calls: [
        { after: 1, name: 'Bash', failed: false, result: 'ok', cut: 0 },
        { after: 1, failed: true },
        { after: 2, name: 'Read' },
      ],
    });
    expect((await author.call('baton_read', { from: 2, to: 2 })).texts.slice(1)).toEqual([
      'Message 2, ASSISTANT\n```\nI water.\n```',
    ]);
  });

  it('shows the newest calls within the size of an answer', async () => {
    const { author, names } = await pair();
    await turn(await session(names.author), {
      toolCalls: Array.from({ length: 60 }, (_, n) => ({
        ...toolCall(`c${n}`, `Tool${n}`),
        result: 'r'.repeat(100_000),
      })),
    });
    const { texts, data } = await author.call('baton_read');
    const names_ = (data as unknown as { calls: { name: string }[] }).calls.map(({ name }) => name);
    expect([names_[0], names_.at(-1)]).toEqual(['Tool51', 'Tool59']);
    expect(texts.join('').length).toBeLessThan(24_000);
  });

  it('offers waiting handoffs and held sessions as resources, and a handoff as the prompt take_over', async () => {
    const { author, reviewer, names } = await pair();
    const id = await session(names.author, { title: 'Sort it' });
    await turn(id, { messages: [{ role: 'ASSISTANT', content: 'Half is sorted.' }] });
    const handoff = encodeId('handoff', (await initiate(id, names.reviewer, { reason: 'Go on' })).handoffId);
    const { resources } = await reviewer.client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      `baton://handoffs/${handoff}`,
      `baton://sessions/${encodeId('session', id)}`,
    ]);
    expect(
      (await reviewer.client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ).toEqual(['baton://handoffs/{id}', 'baton://sessions/{id}']);
    for (const { uri } of resources)
      expect((await reviewer.client.readResource({ uri })).contents).toMatchObject([
        { uri, mimeType: 'text/markdown', text: expect.stringContaining('Half is sorted.') as string },
      ]);
    const { messages } = await reviewer.client.getPrompt({ name: 'take_over' });
    expect(messages).toMatchObject([
      {
        role: 'user',
        content: {
          text: expect.stringMatching(
            new RegExp(`^Take over the handoff ${handoff}: call baton_accept[^]*Half is sorted\\.`),
          ) as string,
        },
      },
    ]);
    await expect(
      author.client.readResource({ uri: 'baton://handoffs/handoff_01kc000000e00800000000002y' }),
    ).rejects.toThrow('There is no such resource, or you may not read it');
    await expect(author.client.getPrompt({ name: 'take_over' })).rejects.toThrow('No handoff waits for you');
  });
});
