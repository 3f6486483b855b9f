import { beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { toolCall, world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { rejectHandoff } from '../handoffs/changeHandoff.ts';
import { failSession, pauseSession, resumeSession } from '../sessions/changeSession.ts';
import { recordDecision, setTasks } from './addToLog.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { post } = client(url);
const { agent, session, reassign, turn, run } = world(database.pool);
let id = '';

beforeAll(async () => {
  await agent('ada', { maxCapacity: 20 });
  await agent('bob');
  const sessionId = await session('ada');
  id = encodeId('session', sessionId);
  const usage = {
    inputTokens: 2_000_000_000,
    outputTokens: 7,
    cacheCreationInputTokens: null,
    cacheReadInputTokens: 3,
    model: 'opus',
  };
  await turn(sessionId, { messages: [{ role: 'USER', content: 'Please' }] });
  await turn(sessionId, { usage, toolCalls: [toolCall('a', 'Read'), toolCall('b', 'Write', { error: 'read-only' })] });
  await turn(sessionId, { usage, toolCalls: [toolCall('c', 'Write', { filesModified: ['x.ts'] })] });
  await run(recordDecision, { sessionId, text: 'Use Postgres' });
  await run(recordDecision, { sessionId, text: 'No ORM for writes' });
  await run(setTasks, {
    sessionId,
    tasks: [
      { content: 'Test it', status: 'PENDING' },
      { content: 'Build it', status: 'DONE' },
    ],
  });
  await reassign(sessionId, { agentId: 'bob' });
});

const read = async (fields: string) =>
  (await post<{ session: object }>(`{ session(id: "${id}") { ${fields} } }`)).data.session;

test('a Turn returns its workspace with secrets redacted', async () => {
  const mutation = `mutation ($input: AppendTurnInput!) { appendTurn(input: $input) { ... on AppendTurnPayload { turn { workspace { folder branch commit } } } ... on Error { message } } }`;
  const written = async (workspace: object | null) => {
    const input = {
      sessionId: encodeId('session', await session('ada')),
      messages: [{ role: 'ASSISTANT', content: 'Done.' }],
      workspace,
    };
    return (await post<{ appendTurn: { turn: { workspace: object | null } } }>(mutation, { input })).data.appendTurn
      .turn.workspace;
  };
  expect(await written({ folder: '/srv/app', branch: 'main', commit: 'abc1234' })).toEqual({
    folder: '/srv/app',
    branch: 'main',
    commit: 'abc1234',
  });
  expect(await written({ folder: '/srv/app' })).toEqual({ folder: '/srv/app', branch: null, commit: null });
  const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  expect(await written({ branch: `try ${token}` })).toEqual({
    folder: null,
    branch: 'try [redacted: github token]',
    commit: null,
  });
  expect(await written(null)).toBeNull();
});

test('pages of Messages begin at a number', async () => {
  const numbers = async (page: string) =>
    (
      (await read(`messages(${page}) { nodes { sequence } }`)) as { messages: { nodes: { sequence: number }[] } }
    ).messages.nodes.map(({ sequence }) => sequence);
  expect(await numbers('last: 2, from: 2')).toEqual([3, 2]);
  expect(await numbers('last: 2, from: 4')).toEqual([4]);
  expect(await numbers('from: 1')).toEqual([4, 3, 2, 1]);
  expect(await numbers('from: 5')).toEqual([]);
  for (const page of ['from: 0', 'from: 2, before: "x"']) {
    const { errors } = await post(`{ session(id: "${id}") { messages(${page}) { nodes { id } } } }`);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', path: ['from'] });
  }
});

test('a Message returns the ToolCalls up to the next one, in order and by pages', async () => {
  const sessionId = await session('ada');
  await turn(sessionId, { messages: [], toolCalls: [toolCall('early', 'Read')] });
  await turn(sessionId, { messages: [{ role: 'ASSISTANT', content: 'First.' }], toolCalls: [toolCall('a', 'Read')] });
  await turn(sessionId, { messages: [], toolCalls: [toolCall('b', 'Read'), toolCall('c', 'Read')] });
  await turn(sessionId, { messages: [{ role: 'ASSISTANT', content: 'Second.' }] });
  const { data } = await post<{ session: object }>(
    `{ session(id: "${encodeId('session', sessionId)}") { messages(first: 5) { nodes { all: toolCalls { callId } two: toolCalls(first: 2) { callId } rest: toolCalls(after: 2) { callId } } } } }`,
  );
  const call = (callId: string) => ({ callId });
  expect(data.session).toEqual({
    messages: {
      nodes: [
        { all: [], two: [], rest: [] },
        {
          all: [call('early'), call('a'), call('b'), call('c')],
          two: [call('early'), call('a')],
          rest: [call('b'), call('c')],
        },
      ],
    },
  });
});

test('a Message returns the changes of status and the moves up to the next one, in order', async () => {
  const sessionId = await session('ada');
  const change = { sessionId, expectedVersion: null };
  await run(pauseSession, change);
  await run(resumeSession, change);
  await turn(sessionId, {
    messages: [
      { role: 'ASSISTANT', content: 'First.' },
      { role: 'ASSISTANT', content: 'Second.' },
    ],
  });
  await run(recordDecision, { sessionId, text: 'No change of status' });
  await run(pauseSession, change);
  const { handoffId } = await reassign(sessionId, { agentId: 'bob' });
  await run(rejectHandoff, { handoffId: handoffId!, reason: 'Not mine' });
  await reassign(sessionId, { agentId: 'bob', skipHandoff: true, reason: 'It knows' });
  await run(failSession, { ...change, reason: 'Lost' });
  const query = `{ session(id: "${encodeId('session', sessionId)}") { messages(last: 9) { nodes { role events { type sessionStatus reason agent { id } handoff { status } } } } } }`;
  const nodes = (
    await post<{ session: { messages: { nodes: { role: string; events: Record<string, unknown>[] }[] } } }>(query)
  ).data.session.messages.nodes.toReversed();
  const said = nodes.map(({ role, events }) => [
    role,
    ...events.map(({ type, sessionStatus, reason }) => `${String(type)} ${String(sessionStatus)} ${String(reason)}`),
  ]);
  expect(said).toEqual([
    ['ASSISTANT', 'SESSION_STATUS_CHANGED PAUSED null', 'SESSION_STATUS_CHANGED RUNNING null'],
    ['ASSISTANT', 'SESSION_STATUS_CHANGED PAUSED null'],
    [
      'HANDOFF',
      'SESSION_RETURNED PAUSED Not mine',
      'SESSION_REASSIGNED PAUSED It knows',
      'SESSION_STATUS_CHANGED FAILED Lost',
    ],
  ]);
  expect(nodes[2]!.events.map(({ agent: holder, handoff }) => [holder, handoff])).toEqual([
    [{ id: 'ada' }, { status: 'REJECTED' }],
    [{ id: 'bob' }, null],
    [null, null],
  ]);
});

test('a ToolCall has a line: the argument that says most, its status and its duration', async () => {
  const sessionId = await session('ada');
  const lines: [unknown, string | null][] = [
    [{ description: 'Runs the tests', command: 'npm test\n  -- --bail' }, 'npm test -- --bail'],
    [{ offset: 3, file_path: 'src/a.ts' }, 'src/a.ts'],
    [{ cmd: ['bash', '-lc', 'ls'] }, 'bash -lc ls'],
    [{ z: 'text', b: 5 }, 'text'],
    [{ depth: 2 }, '2'],
    ['*** Begin Patch', '*** Begin Patch'],
    [{ command: 'x'.repeat(5_000) }, 'x'.repeat(300)],
    [{ command: null }, null],
    [{}, null],
    [null, null],
  ];
  const toolCalls = lines.map(([given], index) =>
    toolCall(`call-${index}`, 'Tool', { arguments: given, result: index === 1 ? null : 'ok', durationMs: 12 }),
  );
  await turn(sessionId, {
    messages: [],
    toolCalls: [...toolCalls, toolCall('failed', 'Tool', { arguments: null, error: 'no' })],
  });
  const { data } = await post<{
    session: {
      turns: { nodes: { toolCalls: { argument: string | null; status: string; durationMs: number | null }[] }[] };
    };
  }>(
    `{ session(id: "${encodeId('session', sessionId)}") { turns { nodes { toolCalls { argument status durationMs } } } } }`,
  );
  const found = data.session.turns.nodes[0]!.toolCalls;
  expect(found.map(({ argument }) => argument)).toEqual([...lines.map(([, argument]) => argument), null]);
  expect([found[0], found[1], found.at(-1)]).toMatchObject([
    { status: 'SUCCEEDED', durationMs: 12 },
    { status: 'PENDING' },
    { status: 'FAILED', durationMs: null },
  ]);
});

test('a Session returns its log newest first, and its decisions and tasks in order', async () => {
  expect(
    await read(
      'turns { nodes { index } } messages { nodes { sequence role handoff { depth } turn { index } } } decisions { text } tasks { position content status }',
    ),
  ).toEqual({
    turns: { nodes: [{ index: 3 }, { index: 2 }, { index: 1 }] },
    messages: {
      nodes: [
        { sequence: 4, role: 'HANDOFF', handoff: { depth: 1 }, turn: null },
        { sequence: 3, role: 'ASSISTANT', handoff: null, turn: { index: 3 } },
        { sequence: 2, role: 'ASSISTANT', handoff: null, turn: { index: 2 } },
        { sequence: 1, role: 'USER', handoff: null, turn: { index: 1 } },
      ],
    },
    decisions: [{ text: 'Use Postgres' }, { text: 'No ORM for writes' }],
    tasks: [
      { position: 1, content: 'Test it', status: 'PENDING' },
      { position: 2, content: 'Build it', status: 'DONE' },
    ],
  });
});

test('a Turn returns its messages, calls and tokens in order', async () => {
  expect(
    await read(
      'turns(last: 2) { nodes { index agentSession { agent { id } } messages { content } toolCalls { callId index sequence result error filesModified message { sequence } } usage { inputTokens cacheCreationInputTokens model } } }',
    ),
  ).toMatchObject({
    turns: {
      nodes: [
        {
          index: 2,
          agentSession: { agent: { id: 'ada' } },
          toolCalls: [
            { callId: 'a', index: 1, sequence: 2, result: 'ok', error: null, message: { sequence: 2 } },
            { callId: 'b', index: 2, result: null, error: 'read-only', filesModified: [] },
          ],
          usage: { inputTokens: 2_000_000_000, cacheCreationInputTokens: null, model: 'opus' },
        },
        { index: 1, agentSession: null, messages: [{ content: 'Please' }], toolCalls: [], usage: null },
      ],
    },
  });
});

test('usage sums all Turns, past 32 bits, and is 0 without Turns', async () => {
  expect(await read('usage { inputTokens outputTokens cacheCreationInputTokens cacheReadInputTokens model }')).toEqual({
    usage: {
      inputTokens: 4_000_000_000,
      outputTokens: 14,
      cacheCreationInputTokens: 0,
      cacheReadInputTokens: 6,
      model: 'opus',
    },
  });
  const empty = encodeId('session', await session('ada'));
  const { data } = await post(`{ session(id: "${empty}") { usage { inputTokens outputTokens model } } }`);
  expect(data).toEqual({ session: { usage: { inputTokens: 0, outputTokens: 0, model: null } } });
});

test('a snapshot returns the tool calls of its range, newest first, up to `first`', async () => {
  const snapshot =
    'snapshots(last: 2) { nodes { type sequenceStart sequenceEnd messageCounts { user assistant system tool handoff total } visibleToolCallCount all: visibleToolCalls { callId turn { index } } one: visibleToolCalls(first: 1) { callId } none: visibleToolCalls(first: 0) { callId } } }';
  expect(await read(snapshot)).toEqual({
    snapshots: {
      nodes: [
        {
          type: 'HANDOFF_INITIATED',
          sequenceStart: 1,
          sequenceEnd: 3,
          messageCounts: { user: 1, assistant: 2, system: 0, tool: 0, handoff: 0, total: 3 },
          visibleToolCallCount: 3,
          all: [
            { callId: 'c', turn: { index: 3 } },
            { callId: 'b', turn: { index: 2 } },
            { callId: 'a', turn: { index: 2 } },
          ],
          one: [{ callId: 'c' }],
          none: [],
        },
        {
          type: 'SESSION_START',
          sequenceStart: 1,
          sequenceEnd: 0,
          messageCounts: { user: 0, assistant: 0, system: 0, tool: 0, handoff: 0, total: 0 },
          visibleToolCallCount: 0,
          all: [],
          one: [],
          none: [],
        },
      ],
    },
  });
  const { errors } = await post(
    `{ session(id: "${id}") { snapshots(first: 1) { nodes { visibleToolCalls(first: 101) { id } } } } }`,
  );
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', path: ['first'] } }]);
});

test('a tenure returns its own turns and its latest snapshot', async () => {
  expect(
    await read(
      'agentSessions { nodes { agent { id } state startSequence endSequence turns { nodes { index } totalCount } snapshots { totalCount } latestSnapshot { type } } }',
    ),
  ).toEqual({
    agentSessions: {
      nodes: [
        {
          agent: { id: 'bob' },
          state: 'PENDING',
          startSequence: 5,
          endSequence: null,
          turns: { nodes: [], totalCount: 0 },
          snapshots: { totalCount: 1 },
          latestSnapshot: { type: 'SESSION_START' },
        },
        {
          agent: { id: 'ada' },
          state: 'HANDED_OFF',
          startSequence: 1,
          endSequence: 4,
          turns: { nodes: [{ index: 3 }, { index: 2 }], totalCount: 2 },
          snapshots: { totalCount: 2 },
          latestSnapshot: { type: 'HANDOFF_INITIATED' },
        },
      ],
    },
  });
});
