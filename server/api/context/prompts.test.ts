import { beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { recordQueries } from '../../../test/queries.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { recordDecision } from '../../work/log/addToLog.ts';

const database = await testDatabase();
const { sent } = recordQueries(database.pool);
const { url } = await startApp(database);
const { post } = client(url);
const { agent, session, reassign, turn, run } = world(database.pool);
let sessionId = '';
let handoffId = '';

beforeAll(async () => {
  await agent('ada');
  await agent('cleo');
  await agent('bob', { instructions: 'Be brief.' });
  const id = await session('ada', { title: 'Write the importer', contextVariables: { ticket: 7 } });
  await turn(id);
  for (const letter of 'abcdefghij')
    await run(recordDecision, { sessionId: id, text: `Decision ${letter} ${'x'.repeat(400)}` });
  sessionId = encodeId('session', id);
  const before = (await preview('')).contextPreview;
  expect(before?.text).toContain('Decision a');
  const given = await reassign(id, { agentId: 'bob', summary: 'Half of it is there.' });
  handoffId = encodeId('handoff', given.handoffId!);
});

interface Prompt {
  text: string;
  tokenEstimate: number;
  kept: { id: string; kind: string }[];
  dropped: { id: string; kind: string; reason: string }[];
}
const fields = 'text tokenEstimate kept { id kind } dropped { id kind reason }';
const preview = async (args: string, id = sessionId) =>
  (
    await post<{ contextPreview: (Prompt & { redactionCount: number }) | null }>(
      `{ contextPreview(sessionId: "${id}"${args}) { ${fields} redactionCount } }`,
    )
  ).data;
const prompt = async (args: string) =>
  (
    await post<{ handoff: { contextPrompt: Prompt } }>(
      `{ handoff(id: "${handoffId}") { contextPrompt${args} { ${fields} } } }`,
    )
  ).data.handoff.contextPrompt;

describe('contextPrompt', () => {
  test('returns the whole Context without a budget', async () => {
    const { text, tokenEstimate, kept, dropped } = await prompt('');
    expect(dropped).toEqual([]);
    expect(text).toContain('Half of it is there.');
    expect(text).toContain('Be brief.');
    expect(kept.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['INSTRUCTIONS', 'SUMMARY', 'DECISION', 'LAST_MESSAGE', 'VARIABLE']),
    );
    expect(tokenEstimate).toBe(Math.ceil(Buffer.byteLength(text) / 4));
  });

  test('stays within a budget in tokens or characters, and lists what it leaves out', async () => {
    const whole = (await prompt('')).kept.length;
    for (const [args, size] of [
      ['(maxTokens: 300)', 'tokenEstimate'],
      ['(maxCharacters: 1200)', 'text'],
    ] as const) {
      const cut = await prompt(args);
      expect(size === 'text' ? cut.text.length : cut.tokenEstimate).toBeLessThanOrEqual(size === 'text' ? 1200 : 300);
      expect(cut.dropped.length).toBeGreaterThan(0);
      expect(cut.dropped.every(({ reason }) => reason === 'BUDGET')).toBe(true);
      expect(cut.kept.length + cut.dropped.length).toBe(whole);
    }
  });

  test('has separate budgets for two prompts of one query', async () => {
    const { data } = await post<{ handoff: { small: Prompt; whole: Prompt } }>(
      `{ handoff(id: "${handoffId}") { small: contextPrompt(maxTokens: 200) { dropped { id } } whole: contextPrompt { dropped { id } } } }`,
    );
    expect(data.handoff.small.dropped.length).toBeGreaterThan(0);
    expect(data.handoff.whole.dropped).toEqual([]);
  });

  test.each([
    ['(maxTokens: 199)', ['maxTokens']],
    ['(maxCharacters: 0)', ['maxCharacters']],
  ])('%s is refused with BAD_USER_INPUT', async (args, path) => {
    const { errors } = await post(`{ handoff(id: "${handoffId}") { contextPrompt${args} { text } } }`);
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', path } }]);
  });
});

test('markdown returns the whole record', async () => {
  const { data } = await post<{ handoff: { markdown: string } }>(`{ handoff(id: "${handoffId}") { markdown } }`);
  expect(data.handoff.markdown).toMatch(/^# Write the importer\n/);
  for (const part of [handoffId, 'ada', 'bob', 'INITIATED', 'Half of it is there.'])
    expect(data.handoff.markdown).toContain(part);
});

test('contextItem returns a whole item, also one that the prompt dropped', async () => {
  const { dropped } = await prompt('(maxTokens: 200)');
  const decision = dropped.find(({ kind }) => kind === 'DECISION')!;
  const item = async (handoff: string, id: string) =>
    (await post(`{ contextItem(handoffId: "${handoff}", itemId: "${id}") { kind content } }`)).data;
  expect(await item(handoffId, decision.id)).toEqual({
    contextItem: { kind: 'DECISION', content: expect.stringMatching(/^Decision [a-j] x{400}$/) as string },
  });
  expect(await item(handoffId, 'decision-99')).toEqual({ contextItem: null });
  expect(await item('handoff_00000000000000000000000000', decision.id)).toEqual({ contextItem: null });
});

test('contextPreview returns what a Handoff would carry now, within a budget', async () => {
  const { contextPreview } = await preview(', maxTokens: 300');
  expect(contextPreview?.tokenEstimate).toBeLessThanOrEqual(300);
  expect(contextPreview?.redactionCount).toBe(0);
  expect(contextPreview?.text).toContain('Write the importer');
  expect(await preview('', 'session_00000000000000000000000000')).toEqual({ contextPreview: null });
});

test('contextPreview reads no log for a caller that may not read the Session', async () => {
  const stranger = await secretFor(database.pool, 'AGENT', 'cleo');
  const { url: closed } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } });
  const of = async (key: string) => {
    sent.length = 0;
    const { data } = await client(closed, { key }).post(`{ contextPreview(sessionId: "${sessionId}") { text } }`);
    return [data, sent.filter(({ text }) => text.includes('tool_calls')).length];
  };
  expect(await of(adminKey)).toMatchObject([{ contextPreview: {} }, 1]);
  expect(await of(stranger)).toEqual([{ contextPreview: null }, 0]);
});
