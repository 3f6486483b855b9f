import { beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../../../../test/database.ts';
import { send } from '../../../../test/graphql.ts';
import { entry } from '../../../../test/hooks.ts';
import { adminKey, secretFor } from '../../../../test/keyring.ts';
import { startApp } from '../../../../test/server.ts';
import { toolCall, world } from '../../../../test/world.ts';
import { encodeId } from '../../../core/ids.ts';
import { acceptHandoff } from '../../handoffs/changeHandoff.ts';

const database = await testDatabase();
const { pool } = database;
const { url } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } });
const { agent, session, initiate, reassign, turn, run } = world(pool);
const admin = { authorization: `Bearer ${adminKey}` };

beforeAll(async () => {
  await agent('bob', { maxCapacity: 100 });
  await agent('ada', { maxCapacity: 100, collaborators: ['bob'] });
});

/** What the target writes when it goes on. */
const continued = {
  'claude-code': [entry('user', 'Go on.'), entry('assistant', [{ type: 'text', text: 'I went on.' }])],
  codex: [
    {
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go on.' }] },
    },
    { type: 'event_msg', payload: { type: 'user_message', message: 'Go on.' } },
    {
      type: 'response_item',
      payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I went on.' }] },
    },
  ],
} as const;

async function worked(): Promise<string> {
  const id = await session('ada');
  const calls = ['Bash', 'exec_command', 'other'].map((name, n) =>
    toolCall(`c${n}`, name, { arguments: { command: 'ls', cmd: 'ls' } }),
  );
  await turn(id, {
    messages: [
      { role: 'USER', content: 'Begin.' },
      { role: 'ASSISTANT', content: 'I begin.' },
    ],
    toolCalls: [...calls, { ...toolCall('open', 'Bash'), result: null }],
  });
  const { handoffId } = await reassign(id, { agentId: 'bob' });
  await run(acceptHandoff, { handoffId: handoffId! });
  return id;
}

interface Report {
  lines: number;
  alreadyKnown: number;
  messagesAdded: number;
  toolCallsAdded: number;
  turnsAdded: number;
  resultsFilled: number;
}

const exported = async (id: string, as: string): Promise<string> =>
  (await send(`${url}/sessions/${encodeId('session', id)}.${as}.jsonl`, { headers: admin })).body;
async function post(
  id: string,
  body: string,
  headers: object = admin,
  query = '',
): Promise<{ status: number; report: Report }> {
  const answer = await send(`${url}/sessions/${encodeId('session', id)}/transcript${query}`, {
    method: 'POST',
    body,
    headers: { ...headers },
  });
  return { status: answer.status, report: JSON.parse(answer.body) as Report };
}
const textsOf = async (id: string): Promise<string[]> =>
  (
    await pool.query<{ content: string }>('SELECT content FROM messages WHERE session_id = $1 ORDER BY sequence', [id])
  ).rows.map(({ content }) => content);

describe.each(['claude-code', 'codex'] as const)('a transcript that Baton wrote for %s', (as) => {
  const more = continued[as].map((line) => `${JSON.stringify(line)}\n`).join('');

  it('adds nothing to its own session, and afterwards only what the target wrote', async () => {
    const id = await worked();
    const text = await exported(id, as);
    const lines = text.trimEnd().split('\n').length;
    const nothing = { messagesAdded: 0, toolCallsAdded: 0, turnsAdded: 0, resultsFilled: 0 };
    expect(await post(id, text)).toMatchObject({ status: 200, report: { lines, alreadyKnown: lines, ...nothing } });
    const before = await textsOf(id);
    expect((await post(id, text + more)).report).toMatchObject({
      alreadyKnown: lines,
      messagesAdded: 2,
      turnsAdded: 1,
      toolCallsAdded: 0,
      resultsFilled: 0,
    });
    expect(await textsOf(id)).toEqual([...before, 'Go on.', 'I went on.']);
    expect((await post(id, text + more)).report).toMatchObject({
      alreadyKnown: lines + continued[as].length,
      ...nothing,
    });
    const { rows } = await pool.query(
      'SELECT a.agent_id AS agent FROM turns t JOIN agent_sessions a ON a.id = t.agent_session_id WHERE t.session_id = $1 ORDER BY index',
      [id],
    );
    expect(rows).toEqual([{ agent: 'ada' }, { agent: 'bob' }]);
  });

  it('is whole in another session', async () => {
    const id = await worked();
    const other = await session('ada');
    const { report } = await post(other, await exported(id, as));
    expect(report).toMatchObject({ alreadyKnown: 0, toolCallsAdded: 1 });
    const texts = await textsOf(other);
    expect(texts).toEqual(expect.arrayContaining(['Begin.', 'I begin.']));
    expect(texts.filter((text) => text.startsWith('<baton_note>')).length).toBeGreaterThan(3);
  });

  it('adds what the log does not have, as after a restore from an earlier backup', async () => {
    const id = await worked();
    const later = (await exported(id, as)).replaceAll('"message":2', '"message":900');
    expect((await post(id, later)).report).toMatchObject({ messagesAdded: 1 });
    expect((await textsOf(id)).at(-1)).toBe('I begin.');
  });

  it('does not give an agent the right to write into a tenure that ended', async () => {
    const id = await session('ada');
    await turn(id);
    const text = await exported(id, as);
    await initiate(id, 'bob');
    const headers = { authorization: `Bearer ${await secretFor(pool, 'AGENT', 'ada')}` };
    expect(await post(id, text + more, headers, '?agentId=ada')).toMatchObject({
      status: 409,
      report: { errors: [{ extensions: { code: 'INVALID_STATE' } }] },
    });
    expect(await textsOf(id)).not.toContain('I went on.');
  });
});
