import { beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../../../../test/database.ts';
import { send } from '../../../../test/graphql.ts';
import { adminKey, secretFor } from '../../../../test/keyring.ts';
import { startApp } from '../../../../test/server.ts';
import { operator, toolCall, world } from '../../../../test/world.ts';
import { encodeId } from '../../../core/ids.ts';
import { updateAgent } from '../../agents/updateAgent.ts';
import { asCarry } from '../../context/carry.ts';
import { acceptHandoff } from '../../handoffs/changeHandoff.ts';
import { nativeTranscript } from './nativeTranscript.ts';

const database = await testDatabase();
const { pool } = database;
const { url } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } });
const { agent, session, initiate, reassign, turn, run } = world(pool);
const admin = { authorization: `Bearer ${adminKey}` };

interface Line {
  type: string;
  sessionId?: string;
  cwd?: string;
  isMeta?: boolean;
  message?: { role: string; content: string | { type: string; text?: string; content?: string; name?: string }[] };
  payload?: { id?: string; cwd?: string; role?: string; content?: { text: string }[] };
  baton: { session: string; message?: number | null; call?: number | null; whole?: true };
}

async function linesOf(
  id: string,
  as: string,
  { query = '', headers = admin }: { query?: string; headers?: object } = {},
): Promise<Line[]> {
  const { status, body } = await send(`${url}/sessions/${encodeId('session', id)}.${as}.jsonl${query}`, {
    headers: { ...headers },
  });
  expect([status, status === 200 ? '' : body]).toEqual([200, '']);
  return body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** Words of a line, whatever the target. */
function wordsOf({ message, payload }: Line): string {
  const content = message?.content ?? payload?.content ?? '';
  return typeof content === 'string'
    ? content
    : content
        .map((block) => ('text' in block ? block.text : 'content' in block ? block.content : `call of ${block.name}`))
        .join('');
}

beforeAll(async () => {
  for (const id of ['ada', 'bob', 'eve']) await agent(id, { maxCapacity: 100, collaborators: [] });
});

async function worked(): Promise<string> {
  const id = await session('ada', { title: 'Water\n"the" roses' });
  await turn(id, {
    messages: [
      { role: 'USER', content: 'Water them.' },
      { role: 'ASSISTANT', content: 'I look.' },
    ],
    toolCalls: [
      toolCall('look', 'Bash', { arguments: { command: 'ls' } }),
      toolCall('patch', 'apply_patch', { arguments: '*** Begin Patch', error: 'refused' }),
    ],
    workspace: { folder: '/home/me/garden', branch: null, commit: null },
  });
  await turn(id, { messages: [{ role: 'ASSISTANT', content: 'They are wet.' }] });
  const { handoffId } = await reassign(id, { agentId: 'bob' });
  await run(acceptHandoff, { handoffId: handoffId! });
  await turn(id, { messages: [{ role: 'ASSISTANT', content: 'They are too wet.' }] });
  return id;
}

describe('GET /sessions/<id>.claude-code.jsonl and .codex.jsonl', () => {
  it('return the log as a transcript of the target, with the agent that said it', async () => {
    const id = await worked();
    const claude = await linesOf(id, 'claude-code');
    expect(claude[0]).toMatchObject({ type: 'custom-title', customTitle: 'Water\n"the" roses' });
    expect(
      claude.slice(1).every(({ cwd, sessionId }) => cwd === '/home/me/garden' && sessionId === claude[0]!.sessionId),
    ).toBe(true);
    expect(wordsOf(claude[1]!)).toContain(
      `session ${encodeId('session', id)}, "Water \\"the\\" roses". It has its messages 1 to 5. `,
    );
    expect(
      claude.slice(2).map((line) => [
        line.type,
        line.isMeta ?? false,
        wordsOf(line)
          .replace(/^<baton_note>\n|\n<\/baton_note>$/g, '')
          .split('\n')[0],
      ]),
    ).toEqual([
      ['user', true, 'What follows was recorded by the agent ada.'],
      ['user', false, 'Water them.'],
      ['assistant', false, 'I look.'],
      ['assistant', false, 'call of Bash'],
      ['user', false, 'ok'],
      ['user', true, 'Call of the tool "apply_patch".'],
      ['assistant', false, 'They are wet.'],
      ['user', true, 'Handoff: Routed to bob.'],
      ['user', true, 'What follows was recorded by the agent bob.'],
      ['assistant', false, 'They are too wet.'],
    ]);

    const codex = await linesOf(id, 'codex', { query: '?folder=%2Ftmp%2Fhere' });
    expect(codex[0]).toMatchObject({
      type: 'session_meta',
      payload: { cwd: '/tmp/here', id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-8/) as string },
    });
    const items = codex.slice(2).filter(({ type }) => type === 'response_item');
    expect(items.map(({ payload }) => payload)).toMatchObject([
      { role: 'user' },
      { role: 'user', content: [{ text: 'Water them.' }] },
      { role: 'assistant', content: [{ text: 'I look.' }] },
      { role: 'user', content: [{ text: expect.stringContaining('Call of the tool "Bash"') as string }] },
      { type: 'custom_tool_call', call_id: 'patch', input: '*** Begin Patch' },
      { type: 'custom_tool_call_output', call_id: 'patch', output: '{"content":"refused","success":false}' },
      ...[1, 2, 3].map(() => ({ type: 'message' })),
      { role: 'assistant', content: [{ text: 'They are too wet.' }] },
    ]);
  });

  it.each(['claude-code', 'codex'])(
    'leave out what only set an agent up, the calls of Baton, and calls that name what only their session knew: %s',
    async (as) => {
      const id = await session('ada');
      await turn(id, {
        messages: [
          { role: 'SYSTEM', content: '<environment_context>\n<cwd>/SETTING</cwd>\n</environment_context>' },
          { role: 'SYSTEM', content: '# AGENTS.md instructions\nSETTING' },
          { role: 'SYSTEM', content: 'Base directory for this skill: /SETTING' },
          {
            role: 'SYSTEM',
            content: `You are agent ada of Baton. You took session ${encodeId('session', id)} over by handoff handoff_01m82tr28ceyasx65gfkrd9xkj. SETTING`,
          },
          { role: 'SYSTEM', content: 'This session is being continued from a previous conversation. KEPT summary' },
          { role: 'USER', content: 'KEPT request' },
        ],
        toolCalls: [
          toolCall('a', 'mcp__baton__baton_note', { arguments: { text: 'SETTING' } }),
          toolCall('b', 'baton_inbox', { arguments: {}, result: 'SETTING' }),
          toolCall('c', 'mcp__baton__transfer_to_bob', { arguments: { reason: 'SETTING' } }),
          toolCall('d', 'TaskUpdate', { arguments: { taskId: '7' }, result: 'KEPT task' }),
          toolCall('e', 'Bash', { arguments: { command: 'KEPT command' } }),
        ],
      });
      const lines = await linesOf(id, as);
      const text = lines.map((line) => JSON.stringify(line)).join('\n');
      expect(text).not.toContain('SETTING');
      for (const kept of ['KEPT summary', 'KEPT request', 'KEPT task', 'KEPT command'])
        expect([kept, text.includes(kept)]).toEqual([kept, true]);
      const calls = lines.flatMap(({ message, payload }) =>
        [message?.content, payload].flat().flatMap((block) => (block as { name?: string } | undefined)?.name ?? []),
      );
      expect(calls).toEqual(as === 'codex' ? [] : ['Bash']);
      expect(lines[1]!.baton).toMatchObject({ whole: true });
    },
  );

  it('have no more than the window of the agent takes that they are for', async () => {
    await run(updateAgent, { id: 'eve', contextWindow: 8_000 });
    const id = await session('eve');
    for (let n = 1; n <= 30; n += 1)
      await turn(id, { messages: [{ role: 'ASSISTANT', content: `Words ${n}. ${'x'.repeat(1_000)}` }] });
    const bytes = (lines: Line[]): number => lines.map((line) => wordsOf(line)).join('').length;
    expect(bytes(await linesOf(id, 'claude-code'))).toBeGreaterThan(30_000);
    expect(bytes(await linesOf(id, 'claude-code', { query: '?agent=eve' }))).toBeLessThan(0.6 * 8_000 * 4);
  });

  it.each(['claude-code', 'codex'])('begin after the last cut of the window, and say so: %s', async (as) => {
    const id = await session('ada');
    for (const n of [1, 2, 3])
      await turn(id, {
        messages: [{ role: 'ASSISTANT', content: `Words ${n}` }],
        toolCalls: [toolCall(`c${n}`, 'Read', { arguments: { path: `path ${n}` } })],
        truncated: n === 3,
      });
    const text = (await linesOf(id, as)).map((line) => JSON.stringify(line)).join('\n');
    expect(text).toContain(
      "has its messages 3 to 3. The messages 1 to 2 are left out: the agent's window was cut after them.",
    );
    expect(text).not.toMatch(/Words [12]|path [12]/);
    expect(text).toContain('path 3');
  });

  it.each(['claude-code', 'codex'])('keep the newest when there is no room, and say so: %s', async (as) => {
    const id = await session('ada');
    for (let n = 1; n <= 30; n += 1)
      await turn(id, { messages: [{ role: 'ASSISTANT', content: `Words ${n}. ${'x'.repeat(100 + n * 10)}` }] });
    const lines = await linesOf(id, as, { query: '?maxTokens=2000' });
    const numbers = [...new Set(lines.flatMap(({ baton }) => baton.message ?? []))];
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => 31 - numbers.length + index));
    expect([numbers.length > 8, numbers.length < 20]).toEqual([true, true]);
    expect(wordsOf(lines[1]!)).toContain(
      `The messages 1 to ${30 - numbers.length} are left out: there is no room for them.`,
    );
    expect((await linesOf(id, as)).at(1)).toSatisfy((line: Line) => wordsOf(line).includes('messages 1 to 30.'));
  });

  it.each(['claude-code', 'codex'])('give an agent what its tenures may read, and others 404: %s', async (as) => {
    await run(updateAgent, {
      id: 'ada',
      collaborations: [
        { agentId: 'bob', when: null, carry: asCarry({ messages: 'LAST', lastMessages: 1, toolCalls: 'NONE' }) },
      ],
    });
    const id = await session('ada');
    await turn(id, {
      messages: [
        { role: 'USER', content: 'HIDDEN request' },
        { role: 'ASSISTANT', content: 'HIDDEN answer' },
      ],
      toolCalls: [toolCall('c', 'Bash', { arguments: { command: 'HIDDEN' } })],
    });
    await turn(id, { messages: [{ role: 'ASSISTANT', content: 'GIVEN words' }] });
    const { handoffId } = await initiate(id, 'bob');
    await run(acceptHandoff, { handoffId });
    await turn(id, {
      messages: [{ role: 'ASSISTANT', content: 'LATER words' }],
      toolCalls: [toolCall('d', 'Bash', { arguments: { command: 'LATER' } })],
    });
    const headers = async (agentId: string) => ({ authorization: `Bearer ${await secretFor(pool, 'AGENT', agentId)}` });
    const lines = await linesOf(id, as, { headers: await headers('bob') });
    const text = lines.map((line) => JSON.stringify(line)).join('\n');
    for (const mark of ['LATER words', 'were not passed on to you'])
      expect([mark, text.includes(mark)]).toEqual([mark, true]);
    expect(text).not.toContain('HIDDEN');
    expect(JSON.stringify(await linesOf(id, as, { headers: await headers('ada') }))).toContain('HIDDEN answer');
    const path = `${url}/sessions/${encodeId('session', id)}.${as}.jsonl`;
    expect((await send(path, { headers: await headers('eve') })).status).toBe(404);
    expect((await send(path)).status).toBe(401);
    // Others may ask for what an agent reads, but not an agent for what another one reads.
    expect(await linesOf(id, as, { query: '?agent=bob' })).toEqual(lines);
    expect((await send(`${path}?agent=eve`, { headers: admin })).status).toBe(404);
    expect((await send(`${path}?agent=bob`, { headers: await headers('ada') })).status).toBe(404);
  });

  it('are the same file until the session changes', async () => {
    const id = await worked();
    const path = `${url}/sessions/${encodeId('session', id)}.codex.jsonl`;
    const first = await send(path, { headers: admin });
    expect(first.headers).toMatchObject({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': `attachment; filename="${encodeId('session', id)}.codex.jsonl"`,
    });
    expect((await send(path, { headers: admin })).body).toBe(first.body);
    const known = { ...admin, 'if-none-match': first.headers.etag! };
    expect((await send(path, { headers: known })).status).toBe(304);
    await turn(id);
    expect((await send(path, { headers: known })).status).toBe(200);
  });

  it.each([
    ['?maxTokens=999', /maxTokens is '999': give a whole number from 1000 to 1000000/],
    ['?maxTokens=many', /maxTokens is 'many'/],
    ['?folder=garden', /folder is not an absolute path/],
    ['?folder=%2Fa%0Ab', /folder is not an absolute path/],
  ])('refuse %s with 400', async (query, message) => {
    const id = await session('ada');
    const { status, body } = await send(`${url}/sessions/${encodeId('session', id)}.codex.jsonl${query}`, {
      headers: admin,
    });
    expect([status, JSON.parse(body)]).toEqual([
      400,
      { errors: [{ message: expect.stringMatching(message) as string, extensions: { code: 'BAD_USER_INPUT' } }] },
    ]);
  });

  it.each(['session_00000000000000000000000000', 'handoff_00000000000000000000000000', 'nonsense', '%00'])(
    'return 404 for %s',
    async (id) => {
      const { status, body } = await send(`${url}/sessions/${id}.claude-code.jsonl`, { headers: admin });
      expect([status, JSON.parse(body)]).toMatchObject([404, { errors: [{ extensions: { code: 'NOT_FOUND' } }] }]);
    },
  );

  it('read texts only as the reader takes them', async () => {
    const id = await session('ada');
    for (let n = 0; n < 8; n += 1)
      await turn(id, { messages: [{ role: 'ASSISTANT', content: `${n} `.repeat(120_000) }] });
    const asked: string[][] = [];
    const counting = {
      query: (query: { values: string[][] }, values?: unknown[]) => (
        asked.push(query.values?.[0] ?? []),
        pool.query(query as never, values as never)
      ),
    };
    const native = await nativeTranscript({ pool: counting as never, caller: operator }, encodeId('session', id), {
      as: 'codex',
      agent: null,
      folder: null,
      maxTokens: '1000000',
    });
    const parts = native!.parts();
    asked.length = 0;
    for (let taken = 0; taken < 3; taken += 1) await parts.next();
    const before = asked.flat().length;
    for await (const part of parts) expect(part.length).toBeLessThan(600_000);
    expect([before < 8, asked.flat().length]).toEqual([true, 8]);
  });
});
