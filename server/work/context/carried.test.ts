import { beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { startApp } from '../../../test/server.ts';
import { toolCall, world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { acceptHandoff } from '../handoffs/changeHandoff.ts';
import { setTasks } from '../log/addToLog.ts';
import { readSources } from './sources.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { post } = client(url);
const { agent, session, reassign, initiate, turn, run } = world(database.pool);

beforeAll(async () => {
  await agent('bob', { maxCapacity: 100, instructions: 'Be brief.' });
  await agent('ada', { maxCapacity: 100, collaborators: ['bob'] });
  await agent('eve', { maxCapacity: 100 });
});

interface Carried {
  sequence: number;
  content: string;
  shortened: boolean;
  agentId: string | null;
}
interface Handoff {
  originalRequest: Carried | null;
  latestRequest: Carried | null;
  lastMessage: Carried | null;
  lastToolCalls: { toolName: string; arguments: string; outcome: string; failed: boolean; shortened: boolean }[] | null;
  recentMessages: { role: string; content: string }[];
  contextVariables: { name: string; value: unknown; setBy: string }[];
  leftOut: Record<string, number> | null;
  summaryComposed: boolean | null;
  redactionCount: number;
  markdown: string;
  contextPrompt: {
    text: string;
    kept: { id: string; kind: string; shortened: boolean }[];
    dropped: { id: string; kind: string }[];
  };
}
const carried = '{ sequence content shortened agentId }';
const fields = `originalRequest ${carried} latestRequest ${carried} lastMessage ${carried} lastToolCalls { toolName arguments outcome failed shortened } recentMessages { role content }
  contextVariables { name value setBy } leftOut { tasks decisions files tools calls unansweredCalls messages shortened } summaryComposed redactionCount markdown
  contextPrompt(maxCharacters: 2000) { text kept { id kind shortened } dropped { id kind } }`;
const read = async (handoffId: string | null): Promise<Handoff> =>
  (await post<{ handoff: Handoff }>(`{ handoff(id: "${encodeId('handoff', handoffId!)}") { ${fields} } }`)).data
    .handoff;
const item = async (handoffId: string | null, itemId: string) =>
  (
    await post<{ contextItem: { kind: string; content: string } | null }>(
      `{ contextItem(handoffId: "${encodeId('handoff', handoffId!)}", itemId: "${itemId}") { kind content } }`,
    )
  ).data.contextItem;
const say = (id: string, role: 'USER' | 'ASSISTANT' | 'SYSTEM' | 'TOOL', content: string) =>
  turn(id, { messages: [{ role, content }] });
const answered = (callId: string, result: string | null, error: string | null = null) => ({
  ...toolCall(callId, 'Bash', { arguments: { command: `run ${callId}` } }),
  result,
  error,
});

describe('a Handoff carries', () => {
  test('the first and the last message of users, and the last message of its source', async () => {
    const id = await session('ada');
    for (const [role, content] of [
      ['SYSTEM', 'Rules.'],
      ['USER', 'Fix it.'],
      ['ASSISTANT', 'On it.'],
      ['USER', 'And test it.'],
      ['ASSISTANT', 'Both done.'],
      ['TOOL', 'a result'],
    ] as const)
      await say(id, role, content);
    const { handoffId } = await reassign(id, { agentId: 'bob' });
    const handoff = await read(handoffId);
    expect(handoff).toMatchObject({
      originalRequest: { sequence: 2, content: 'Fix it.', shortened: false, agentId: null },
      latestRequest: { sequence: 4, content: 'And test it.' },
      lastMessage: { sequence: 5, content: 'Both done.', agentId: 'ada' },
      summaryComposed: true,
    });
    expect(handoff.recentMessages.map(({ role }) => role)).toEqual([
      'SYSTEM',
      'USER',
      'ASSISTANT',
      'USER',
      'ASSISTANT',
    ]);
    expect(handoff.leftOut).toMatchObject({ messages: 1, shortened: 0 });
    expect(handoff.contextPrompt.text).toMatch(
      /## First request\n```\nFix it\.\n```\n\n## Latest request\n```\nAnd test it\.\n/,
    );
    expect(handoff.contextPrompt.text).toContain('## Last message of ada\n```\nBoth done.\n```');
  });

  test("the last message of the source's tenure, or else the last message of any agent", async () => {
    const id = await session('ada');
    const move = async (to: string, accepted = true) => {
      const { handoffId } = await reassign(id, { agentId: to });
      if (accepted) await run(acceptHandoff, { handoffId: handoffId! });
      return (await read(handoffId)).lastMessage;
    };
    await say(id, 'ASSISTANT', 'Mine.');
    expect(await move('bob', false)).toMatchObject({ content: 'Mine.', agentId: 'ada' });
    // Bob never took it over: this move is from Ada once more.
    expect(await move('eve')).toMatchObject({ content: 'Mine.', agentId: 'ada' });
    // Eve said nothing.
    expect(await move('bob')).toMatchObject({ content: 'Mine.', agentId: 'ada' });
    await say(id, 'ASSISTANT', 'Now mine.');
    // What an operator imports into an earlier tenure comes later in the log.
    const { rows } = await database.pool.query<{ id: string }>(
      "SELECT id FROM agent_sessions WHERE session_id = $1 AND agent_id = 'eve'",
      [id],
    );
    await say(id, 'ASSISTANT', 'From another log.');
    await database.pool.query(
      "UPDATE messages SET agent_session_id = $2 WHERE session_id = $1 AND content = 'From another log.'",
      [id, rows[0]!.id],
    );
    expect(await move('ada')).toMatchObject({ content: 'Now mine.', agentId: 'bob' });
    // Ada has it again and has not spoken since: what was said last is worth more than what it said long ago.
    expect(await move('eve')).toMatchObject({ content: 'From another log.', agentId: 'eve' });
  });

  test('the calls of the last turn with calls, each with its outcome, and counts those without a result', async () => {
    const id = await session('ada');
    await turn(id, { toolCalls: [answered('old', 'long ago')] });
    await turn(id, { toolCalls: [answered('good', 'fine'), answered('bad', null, 'broken'), answered('open', null)] });
    await say(id, 'ASSISTANT', 'Waiting.');
    const handoff = await read((await reassign(id, { agentId: 'bob' })).handoffId);
    expect(handoff.lastToolCalls).toEqual([
      { toolName: 'Bash', arguments: '{"command": "run good"}', outcome: 'fine', failed: false, shortened: false },
      { toolName: 'Bash', arguments: '{"command": "run bad"}', outcome: 'broken', failed: true, shortened: false },
    ]);
    expect(handoff.leftOut).toMatchObject({ calls: 1, unansweredCalls: 1 });
    expect(handoff.contextPrompt.text).toContain('- run bad (call bad) -> broken');
    expect(handoff.contextPrompt.text).toContain('The last turn had 1 tool call without a result yet.');
    expect(handoff.contextPrompt.text).not.toContain('run open');
  });

  test('the variables that Baton sets, which callers may not set and which do not hide a loop', async () => {
    const id = await session('ada', { contextVariables: { ticket: 7 } });
    const there = await initiate(id, 'bob', { reason: 'Please review' });
    const own = (handoff: Handoff) =>
      Object.fromEntries(
        handoff.contextVariables.filter(({ setBy }) => setBy === 'baton').map(({ name, value }) => [name, value]),
      );
    expect(own(await read(there.handoffId))).toEqual({
      _handoff_chain: ['ada', 'bob'],
      _handoff_depth: 1,
      _handoff_from: 'ada',
      _handoff_reason: 'Please review',
      _handoff_to: 'bob',
    });
    await run(acceptHandoff, { handoffId: there.handoffId });
    const back = await initiate(id, 'ada');
    expect(own(await read(back.handoffId))).toMatchObject({
      _handoff_chain: ['ada', 'bob', 'ada'],
      _handoff_depth: 2,
      _handoff_from: 'bob',
    });
    await run(acceptHandoff, { handoffId: back.handoffId });
    await expect(initiate(id, 'bob', { reason: 'Once more' })).rejects.toMatchObject({ code: 'HANDOFF_LOOP' });
    expect((await database.prisma.session.findUniqueOrThrow({ where: { id } })).contextVariables).toEqual({
      ticket: { value: 7, setBy: 'operator' },
    });
    const { data } = await post(
      `mutation { createSession(input: { title: "x", contextVariables: { _handoff_from: "me" } }) { ... on BadUserInputError { path } } }`,
    );
    expect(data).toEqual({ createSession: { path: ['input', 'contextVariables'] } });
  });

  test('the number of its redacted secrets', async () => {
    const id = await session('ada');
    await say(id, 'USER', 'Use [redacted: github token] and [redacted: password].');
    const { data } = await post<{ contextPreview: { redactionCount: number } }>(
      `{ contextPreview(sessionId: "${encodeId('session', id)}") { redactionCount } }`,
    );
    const handoff = await read((await reassign(id, { agentId: 'bob' })).handoffId);
    expect(handoff.redactionCount).toBeGreaterThanOrEqual(2);
    expect(data.contextPreview.redactionCount).toBe(handoff.redactionCount);
  });
});

describe('contextItem returns whole', () => {
  const long = (word: string, characters: number) =>
    `${word} `.repeat(Math.ceil(characters / (word.length + 1))).slice(0, characters);

  test('every item that a prompt drops or shortens', async () => {
    const id = await session('ada');
    const [asked, report, last, result] = [
      long('please', 40_000),
      long('report', 9_000),
      long('done', 30_000),
      long('output', 50_000),
    ];
    await say(id, 'USER', asked);
    await say(id, 'ASSISTANT', report);
    await say(id, 'ASSISTANT', last);
    await turn(id, { messages: [], toolCalls: [{ ...toolCall('c0', 'mcp__wiki__read'), result }] });
    const query = { name: 'mcp__db__query' };
    await turn(id, {
      messages: [],
      toolCalls: [
        { ...answered('c1', result), ...query },
        { ...answered('c2', null, result), ...query, arguments: { command: long('arg', 5_000) } },
      ],
    });
    const tasks = Array.from({ length: 30 }, (_, n) => `Task ${n}: ${long('do', 900)}`);
    await run(setTasks, { sessionId: id, tasks: tasks.map((content) => ({ content, status: 'PENDING' as const })) });
    const { handoffId } = await reassign(id, { agentId: 'bob' });
    const { contextPrompt, originalRequest } = await read(handoffId);
    expect(originalRequest).toMatchObject({ shortened: true });
    const content = async (itemId: string) => (await item(handoffId, itemId))?.content;
    expect(await content('request-1')).toBe(asked);
    expect(await content('last-message-1')).toBe(last);
    expect(await content('call-1')).toBe(`mcp__db__query {"command":"run c1"} -> ${result}`);
    expect(await content('call-2')).toBe(
      `mcp__db__query ${JSON.stringify({ command: long('arg', 5_000) })} -> failed: ${result}`,
    );
    expect(await content('tool-2')).toBe(`mcp__wiki__read: 1 call; last: ${result}`);
    expect(await content(contextPrompt.dropped.find(({ kind }) => kind === 'MESSAGE')!.id)).toBe(
      `#2 assistant: ${report}`,
    );
    for (const { id: dropped } of contextPrompt.dropped.filter(({ kind }) => kind === 'TASK'))
      expect(tasks).toContain(await content(dropped));
    expect(contextPrompt.kept.filter(({ shortened }) => shortened).map(({ id: kept }) => kept)).toEqual(
      expect.arrayContaining(['request-1', 'last-message-1', 'task-1']),
    );
    for (const { id: any } of [...contextPrompt.kept, ...contextPrompt.dropped])
      expect(await item(handoffId, any)).not.toBeNull();
  });
});

describe('contextPreview', () => {
  test('returns what the next Handoff carries, and writes nothing', async () => {
    const id = await session('ada', { title: 'The preview' });
    await say(id, 'USER', 'Show me.');
    const before = await hashAllTables(database.pool);
    const preview = `{ contextPreview(sessionId: "${encodeId('session', id)}") { text kept { id } dropped { id } } }`;
    const { data } = await post<{ contextPreview: { text: string; kept: { id: string }[] } }>(preview);
    expect((await post(preview)).data).toEqual(data);
    expect(await hashAllTables(database.pool)).toEqual(before);
    expect(data.contextPreview.text).toMatch(/^# A handoff from ada, as it would be now\n/);
    const { contextPrompt } = await read((await reassign(id, { agentId: 'eve' })).handoffId);
    const sections = (text: string) => text.slice(text.indexOf('## Session'), text.indexOf('## Context variables'));
    expect(sections(contextPrompt.text)).toBe(sections(data.contextPreview.text));
  });
});

test('shows a Handoff that was stored before these fields existed', async () => {
  const id = await session('ada');
  for (const [role, content] of [
    ['USER', 'Fix it.'],
    ['ASSISTANT', 'Done.'],
  ] as const)
    await say(id, role, content);
  const { handoffId } = await reassign(id, { agentId: 'bob' });
  await database.pool.query(
    `UPDATE handoffs SET context = '{"toolSummaries": [{"toolName": "jira", "callCount": 1, "errorCount": 0, "lastResult": "ok"}],
       "recentMessages": [{"role": "USER", "content": "Fix it."}, {"role": "ASSISTANT", "content": "Done."}]}' WHERE id = $1`,
    [handoffId],
  );
  const old = await read(handoffId);
  expect(old).toMatchObject({ originalRequest: null, lastToolCalls: null, leftOut: null, summaryComposed: null });
  expect(old.markdown).toContain('## Last message\n\n> Done.');
  expect(old.contextPrompt.text).toContain('## Last message\n```\nDone.\n```');
  expect(old.contextPrompt.text).toContain('user: Fix it.');
  expect(await item(handoffId, 'tool-1')).toEqual({ kind: 'TOOL', content: 'jira: 1 call; last: ok' });
});

test('makes a Handoff with a bounded Context from a log of any length', async () => {
  const id = await session('ada');
  for (let n = 0; n < 12; n += 1) {
    await turn(id, {
      messages: [{ role: 'ASSISTANT', content: '"\u0001'.repeat(40_000) }],
      toolCalls: Array.from({ length: 100 }, (_, call) => ({
        ...toolCall(`${n}-${call}`, `tool-${n}-${call % 40}`, { filesModified: [`${'d/'.repeat(400)}${n}-${call}`] }),
        result: 'r\\'.repeat(4_000),
      })),
    });
  }
  await run(setTasks, {
    sessionId: id,
    tasks: Array.from({ length: 500 }, (_, n) => ({
      content: `${n} ${'t"'.repeat(1_900)}`,
      status: 'PENDING' as const,
    })),
  });
  const sources = await readSources(
    { query: async (prepared, values) => (await database.pool.query<object>({ ...prepared, values })).rows },
    id,
  );
  expect(sources).toMatchObject({ totals: { files: 1_200, tools: 480, lastCalls: 100 } });
  const { handoffId } = await reassign(id, { agentId: 'bob' });
  const { leftOut, contextPrompt } = await read(handoffId);
  expect(leftOut).toMatchObject({ tasks: expect.any(Number) as number, calls: expect.any(Number) as number });
  expect(leftOut!['files']).toBeGreaterThan(700);
  expect(leftOut!['shortened']).toBeGreaterThan(0);
  expect(contextPrompt.text.length).toBeLessThanOrEqual(2_000);
  const { rows } = await database.pool.query<{ bytes: number }>(
    'SELECT octet_length(json_build_array(summary, context)::text) AS bytes FROM handoffs WHERE id = $1',
    [handoffId],
  );
  expect(rows[0]!.bytes).toBeLessThan(270_000);
});
