import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { hashAllTables } from '../../../test/hash.ts';
import { imports } from '../../../test/imports.ts';
import { fixture } from '../../../test/readTranscripts.ts';
import { house, testRefusals, type Refusal } from '../../../test/refusals.ts';
import { held, refusalsOfLog } from '../../../test/refusalsOfLog.ts';
import { acceptHandoff } from '../handoffs/changeHandoff.ts';
import { setTasks } from './addToLog.ts';
import { piecesOf } from './transcripts/lines.ts';

const { db, here, another, load, loadFixture, messages, turns, lastTenure, session, reassign, turn, run } =
  await imports();
const calls = () =>
  db.prisma.toolCall.findMany({ where: { sessionId: here.id }, orderBy: { index: 'asc' }, include: { message: true } });
const events = async () =>
  (await db.prisma.event.findMany({ where: { sessionId: here.id }, orderBy: { sessionSequence: 'asc' } })).map(
    ({ type }) => type,
  );

describe('an import', () => {
  it('appends turns, messages and calls with the times of the transcript, and writes one event', async () => {
    await turn(here.id, { messages: [{ role: 'ASSISTANT', content: 'Before.' }] });
    const report = await loadFixture('claude-interrupts');
    expect(report).toMatchObject({
      format: 'CLAUDE_CODE',
      messagesAdded: 9,
      turnsAdded: 3,
      toolCallsAdded: 1,
      resultsFilled: 0,
      alreadyKnown: 0,
      lines: 15,
    });
    expect((await messages()).map((line) => line.slice(0, 34))).toEqual([
      '1 ASSISTANT: Before.',
      '2 USER: Start the server in the ba',
      '2 SYSTEM: [Request interrupted by ',
      '2 SYSTEM: <local-command-caveat>Ca',
      '3 USER: <command-name>/mcp</comman',
      '3 SYSTEM: <local-command-stdout>Re',
      '3 SYSTEM: <task-notification>\n<tas',
      '4 USER: And now stop it again.',
      '4 ASSISTANT: It is stopped.',
      '4 SYSTEM: [Request interrupted by ',
    ]);
    expect((await turns())[1]).toMatchObject({
      startedAt: new Date('2026-03-02T09:00:02Z'),
      inputTokens: 3,
      outputTokens: 10,
      model: 'claude-opus-4-6',
      truncated: false,
    });
    const [, first] = await db.prisma.message.findMany({ where: { sessionId: here.id }, orderBy: { sequence: 'asc' } });
    expect(first).toMatchObject({ sequence: 2, createdAt: new Date('2026-03-02T09:00:02Z') });
    expect(await events()).toEqual(['SESSION_CREATED', 'TURN_APPENDED', 'TURN_APPENDED']);
  });

  it('stores the message and the place in the log of each call', async () => {
    await loadFixture('claude-incremental-1');
    const [on, note] = await calls();
    expect(on).toMatchObject({
      callId: 'toolu_on',
      sequence: 2,
      result: 'on',
      message: { content: 'I turn the water on.' },
    });
    expect(note).toMatchObject({
      callId: 'toolu_note',
      sequence: 2,
      result: null,
      error: null,
      filesModified: [],
      message: null,
    });
  });

  it('stores the workspace of each turn, and updates it from a longer file', async () => {
    const said = (uuid: string, cwd: string, type = 'user') => ({
      type,
      sessionId: 's',
      uuid,
      cwd,
      gitBranch: 'main',
      message: { role: 'user', content: `I am ${uuid}.` },
    });
    const file = (...entries: object[]) => load(piecesOf(entries.map((entry) => JSON.stringify(entry)).join('\n')));
    const stands = async () => (await turns()).map(({ workspace }) => workspace);
    await file(said('one', '/a'), said('two', '/a'));
    expect(await stands()).toEqual([
      { folder: '/a', branch: 'main', commit: null },
      { folder: '/a', branch: 'main', commit: null },
    ]);
    await file(said('one', '/a'), said('two', '/a'), said('x', '/a/b', 'progress'), said('three', '/c'));
    expect((await stands()).map((workspace) => (workspace as { folder: string }).folder)).toEqual(['/a', '/a/b', '/c']);
  });

  it.each([
    'claude-interrupts',
    'claude-sidechain-inline',
    'claude-compaction',
    'claude-several-lines',
    'claude-tasks',
    'claude-unstorable',
    'codex-rollout',
  ])('of %s a second time changes nothing', async (name) => {
    const first = await loadFixture(name);
    expect(first.alreadyKnown).toBe(0);
    const before = await hashAllTables(db.pool);
    const second = await loadFixture(name);
    expect(second).toEqual({ ...first, messagesAdded: 0, turnsAdded: 0, toolCallsAdded: 0, alreadyKnown: first.lines });
    expect(await hashAllTables(db.pool)).toEqual(before);
  });

  it('of a longer file adds what is new, fills missing results, and counts each token once', async () => {
    await loadFixture('claude-incremental-1');
    const report = await loadFixture('claude-incremental-2');
    expect(report).toMatchObject({
      alreadyKnown: 7,
      messagesAdded: 2,
      turnsAdded: 0,
      toolCallsAdded: 1,
      resultsFilled: 1,
    });
    expect(await calls()).toMatchObject([
      { callId: 'toolu_on', result: 'on' },
      {
        callId: 'toolu_note',
        result: 'File created successfully at: /home/someone/garden/LOG.md',
        filesModified: ['/home/someone/garden/LOG.md'],
      },
      { callId: 'toolu_note2', result: null, error: '<tool_use_error>read-only</tool_use_error>', filesModified: [] },
    ]);
    expect(await messages()).toEqual([
      '1 USER: Water the beds and note what you did.',
      '1 ASSISTANT: I turn the water on.',
      '1 ASSISTANT: And a second note.',
      '1 ASSISTANT: Done: LOG.md says so.',
    ]);
    const { inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens } = report.usage;
    expect(await turns()).toMatchObject([
      { inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens },
    ]);
    expect([inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens]).toEqual([18, 207, 50, 130]);
  });

  it('of a shorter file after a longer one changes nothing', async () => {
    await loadFixture('claude-incremental-2');
    const before = await hashAllTables(db.pool);
    expect(await loadFixture('claude-incremental-1')).toMatchObject({
      alreadyKnown: 7,
      messagesAdded: 0,
      toolCallsAdded: 0,
      resultsFilled: 0,
    });
    const { rows } = await db.pool.query<{ output: number }>(
      'SELECT output_tokens AS output FROM turns WHERE session_id = $1',
      [here.id],
    );
    expect(rows).toEqual([{ output: 207 }]);
    expect(await hashAllTables(db.pool)).toEqual(before);
  });

  it('continues in a new turn after another message', async () => {
    await loadFixture('claude-incremental-1');
    await turn(here.id, { messages: [{ role: 'USER', content: 'Well?' }] });
    expect(await loadFixture('claude-incremental-2')).toMatchObject({ turnsAdded: 1, resultsFilled: 1 });
    expect((await messages()).slice(-3)).toEqual([
      '2 USER: Well?',
      '3 ASSISTANT: And a second note.',
      '3 ASSISTANT: Done: LOG.md says so.',
    ]);
    expect((await turns()).map(({ outputTokens }) => outputTokens)).toEqual([200, null, 7]);
  });

  it('continues in a new turn after a change of the holder, even for the earlier holder', async () => {
    await loadFixture('claude-incremental-1');
    await reassign(here.id, { agentId: await another() });
    expect(await loadFixture('claude-incremental-2', { agentId: here.holder })).toMatchObject({ turnsAdded: 1 });
    const [before, after] = await turns();
    expect(after?.agentSessionId).toBe(before?.agentSessionId);
  });

  it('of a longer rollout counts the difference', async () => {
    const lines = (await readFile(fixture('codex-rollout'), 'utf8')).split('\n');
    await load(piecesOf(lines.slice(0, 14).join('\n')));
    expect(await turns()).toMatchObject([{ inputTokens: 600, cacheReadInputTokens: 400, outputTokens: 50 }]);
    expect(await loadFixture('codex-rollout')).toMatchObject({ alreadyKnown: 14, turnsAdded: 1 });
    expect(await turns()).toMatchObject([
      { inputTokens: 1_500, cacheReadInputTokens: 1_500, outputTokens: 120 },
      { inputTokens: 500, cacheReadInputTokens: 5_500, outputTokens: 180 },
    ]);
  });

  it('begins its own turn, even if it shares lines without content with another transcript', async () => {
    await loadFixture('claude-incremental-1');
    const [summary] = (await readFile(fixture('claude-incremental-1'), 'utf8')).split('\n');
    expect(await load(piecesOf(`${summary}\n${await readFile(fixture('claude-failed-write'), 'utf8')}`))).toMatchObject(
      { alreadyKnown: 1, turnsAdded: 1 },
    );
  });

  it('redacts secrets before it stores anything, also one split over two blocks, and counts them', async () => {
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const lines = [
      { type: 'user', uuid: 'u1', message: { content: `Use ${token}.` } },
      {
        type: 'assistant',
        uuid: 'a1',
        message: {
          id: 'm1',
          content: [
            { type: 'text', text: `It is ${token.slice(0, 20)}` },
            { type: 'text', text: `${token.slice(20)}.` },
          ],
        },
      },
      {
        type: 'assistant',
        uuid: 'a2',
        message: {
          id: 'm2',
          content: [
            {
              type: 'tool_use',
              id: 'c1',
              name: 'Bash',
              input: { command: `git clone https://x:${token}@example.com/x` },
            },
          ],
        },
      },
      {
        type: 'user',
        uuid: 'u2',
        message: { content: [{ type: 'tool_result', tool_use_id: 'c1', content: `fatal: ${token}`, is_error: true }] },
      },
      {
        type: 'assistant',
        uuid: 'a3',
        message: {
          id: 'm3',
          content: [
            {
              type: 'tool_use',
              id: 'c2',
              name: 'TodoWrite',
              input: { todos: [{ content: `Revoke ${token}`, status: 'pending' }] },
            },
          ],
        },
      },
      { type: 'user', uuid: 'u3', message: { content: [{ type: 'tool_result', tool_use_id: 'c2', content: 'ok' }] } },
    ];
    const { redactions, tasks } = await load(piecesOf(lines.map((line) => JSON.stringify(line)).join('\n')));
    expect(redactions).toBeGreaterThanOrEqual(6);
    const stored = JSON.stringify([
      await messages(),
      await calls(),
      await db.prisma.task.findMany({ where: { sessionId: here.id } }),
      tasks,
    ]);
    expect(stored).toContain('[redacted: ');
    for (const part of [token.slice(4, 20), token.slice(20)]) expect(stored).not.toContain(part);
  });

  it('captures a snapshot at each compaction, and later snapshots cover only what follows', async () => {
    await turn(here.id, { messages: [{ role: 'ASSISTANT', content: 'Before.' }] });
    expect(await loadFixture('claude-compaction')).toMatchObject({ compactions: 1 });
    const snapshots = await db.prisma.contextSnapshot.findMany({ where: { sessionId: here.id, type: 'TRUNCATION' } });
    expect(snapshots).toMatchObject([
      {
        sequenceStart: 1,
        sequenceEnd: 3,
        userCount: 1,
        assistantCount: 2,
        systemCount: 0,
        callStart: 1,
        callEnd: 1,
        agentSessionId: (await lastTenure(here.holder)).id,
      },
    ]);
    expect(await db.prisma.session.findUniqueOrThrow({ where: { id: here.id } })).toMatchObject({
      visibleFrom: 4,
      visibleCallsFrom: 2,
      messageCount: 6,
      toolCallCount: 2,
    });
    await reassign(here.id, { agentId: await another() });
    const [handed] = await db.prisma.contextSnapshot.findMany({
      where: { sessionId: here.id, type: 'HANDOFF_INITIATED' },
    });
    expect(handed).toMatchObject({
      sequenceStart: 4,
      sequenceEnd: 6,
      systemCount: 1,
      assistantCount: 2,
      callStart: 2,
      callEnd: 2,
    });
  });

  it('sets the last tasks of the transcript once', async () => {
    await loadFixture('claude-tasks');
    const tasks = () =>
      db.prisma.task.findMany({
        where: { sessionId: here.id },
        orderBy: { position: 'asc' },
        select: { content: true, status: true, position: true },
      });
    expect(await tasks()).toEqual([
      { position: 1, content: 'Saw the boards', status: 'DONE' },
      { position: 2, content: 'Sand the boards', status: 'IN_PROGRESS' },
      { position: 3, content: 'Paint it', status: 'PENDING' },
    ]);
    await run(setTasks, { sessionId: here.id, tasks: [{ content: 'Something else', status: 'PENDING' }] });
    await loadFixture('claude-tasks');
    expect(await tasks()).toEqual([{ position: 1, content: 'Something else', status: 'PENDING' }]);
    await loadFixture('claude-failed-write');
    expect(await tasks()).toHaveLength(1);
  });

  it('keeps the tasks of earlier tenures, which the program of the next agent does not know', async () => {
    const list = (todos: object[]): string => {
      const key = `${todos.length}-${JSON.stringify(todos).length}`;
      const entry = (uuid: string, role: string, content: object) =>
        `${JSON.stringify({ type: role, uuid, sessionId: 's2', timestamp: '2026-04-05T10:00:00.000Z', message: { role, id: uuid, content: [content] } })}\n`;
      return (
        entry(`a${key}`, 'assistant', { type: 'tool_use', id: `t${key}`, name: 'TodoWrite', input: { todos } }) +
        entry(`b${key}`, 'user', { type: 'tool_result', tool_use_id: `t${key}`, content: 'ok' })
      );
    };
    await run(setTasks, {
      sessionId: here.id,
      tasks: [
        { content: 'Dig: as deep as a spade', status: 'IN_PROGRESS' },
        { content: 'Water', status: 'PENDING' },
      ],
    });
    const { handoffId } = await reassign(here.id, { agentId: await another() });
    await run(acceptHandoff, { handoffId: handoffId! });
    await load(piecesOf(list([{ content: 'Paint', status: 'pending' }])));
    await load(
      piecesOf(
        list([
          { content: 'Dig', status: 'completed' },
          { content: 'Paint it', status: 'pending' },
        ]),
      ),
    );
    const tasks = await db.prisma.task.findMany({ where: { sessionId: here.id }, orderBy: { position: 'asc' } });
    expect(tasks.map(({ content, status }) => `${content}: ${status}`)).toEqual([
      'Water: PENDING',
      'Dig: DONE',
      'Paint it: PENDING',
    ]);
  });

  it('stores the file of a sub-agent as a separate turn', async () => {
    await loadFixture('claude-subagent-parent');
    expect(await loadFixture('claude-subagent', { sidechain: true })).toMatchObject({
      turnsAdded: 1,
      messagesAdded: 2,
      toolCallsAdded: 1,
      humanMessages: 0,
    });
    expect((await messages()).slice(-2)).toEqual(['2 SYSTEM: Measure the plot.', '2 TOOL: It is 4 by 6 metres.']);
  });

  it('keeps two sessions with the same transcript apart', async () => {
    await loadFixture('claude-compaction');
    const other = await session(here.holder);
    expect(await loadFixture('claude-compaction', { sessionId: other })).toMatchObject({
      alreadyKnown: 0,
      messagesAdded: 5,
    });
  });

  it('stores each call and counts each token once, also from a copy of the session with another id', async () => {
    await loadFixture('claude-incremental-1');
    const copy = (await readFile(fixture('claude-incremental-2'), 'utf8')).replaceAll(
      '6a000000-0000-4000-8000-000000000006',
      'copy',
    );
    expect(await load(piecesOf(copy))).toMatchObject({ toolCallsAdded: 1, resultsFilled: 1 });
    expect(await turns()).toMatchObject([{ outputTokens: 200 }, { outputTokens: 7 }]);
  });

  it('stores any ids, names and figures', async () => {
    const long = 'x'.repeat(5_000);
    const block = (callId: unknown, name: unknown, input: unknown) => ({ type: 'tool_use', id: callId, name, input });
    const lines = [
      {
        type: 'assistant',
        uuid: 1,
        message: {
          id: long,
          model: long,
          content: [block(long, long, null), block(`${long}y`, '', 'text'), block(null, null, [1e999])],
          usage: { input_tokens: 2 ** 31 - 1, output_tokens: 1e300 },
        },
      },
      {
        type: 'assistant',
        uuid: long,
        timestamp: '+012345-01-01T00:00:00Z',
        message: { id: 'm2', content: 'said', usage: { input_tokens: 2 ** 31 - 1 } },
      },
    ];
    expect(await load(piecesOf(lines.map((line) => JSON.stringify(line)).join('\n')))).toMatchObject({
      toolCallsAdded: 3,
      messagesAdded: 1,
      firstAt: null,
    });
    expect(await turns()).toMatchObject([{ inputTokens: 2 ** 31 - 1, outputTokens: 0 }]);
  });
});

const home = await house();
const transcript = { content: '{"type":"user","message":{"content":"Well?"}}' };
const cases: Refusal[] = [
  {
    mutation: 'importTranscript',
    error: 'BadUserInputError',
    when: 'the content is not a known transcript',
    given: async (h) => ({
      input: { sessionId: (await held(h)).sessionId, content: '{"role":"user"}' },
      data: { path: ['input', 'content'] },
    }),
    says: /not a known transcript \(line 1: it is a JSON object with the fields role\): give a transcript of Claude Code/,
  },
  {
    mutation: 'importTranscript',
    error: 'NotFoundError',
    when: 'the agent does not exist',
    given: async (h) => ({
      input: { sessionId: (await held(h)).sessionId, agentId: 'nobody', ...transcript },
      data: { id: 'nobody' },
    }),
    says: /no agent 'nobody'/,
  },
  {
    mutation: 'importTranscript',
    error: 'InvalidStateError',
    when: 'the agent never had the session',
    given: async (h) => {
      const here = await held(h);
      const other = h.unique('other');
      await h.agent(other);
      return {
        input: { sessionId: here.sessionId, agentId: other, ...transcript },
        data: { state: `HELD BY ${here.holder}`, allowed: ['ACTIVE'] },
      };
    },
    says: /never had the session \('holder-\d+' holds it\): leave agentId out/,
  },
];

testRefusals(home, ['importTranscript'], [...refusalsOfLog('importTranscript', transcript), ...cases]);
