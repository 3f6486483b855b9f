import { beforeAll, describe, expect, it } from 'vitest';
import { anthropicEvents, anthropicMessage, openaiResponse, sse } from '../../../test/answers.ts';
import { testDatabase } from '../../../test/database.ts';
import { client, type Answer } from '../../../test/graphql.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { archiveAgent } from '../../work/agents/archiveAgent.ts';

const db = await testDatabase();
const { url } = await startApp(db, { variables: { BATON_ADMIN_KEY: adminKey } });
const { agent, run } = world(db.pool);
const admin = client(url, { key: adminKey });

beforeAll(async () => {
  for (const id of ['bob', 'eve', 'old']) await agent(id);
  await agent('ada', { collaborators: ['bob', 'old'] });
  await run(archiveAgent, { id: 'old' });
});

const call = `index callId toolName arguments kind target { id name handoffsReceived { totalCount } } tool { id name generated targetAgent { id } } problem { code message suggestions path }`;
const query = `query ($agentId: ID!, $response: JSON!) { detection: detectHandoffs(agentId: $agentId, response: $response) { format calls { ${call} } chosen { index } } }`;

interface Detected {
  detection: { format: string | null; calls: Record<string, unknown>[]; chosen: { index: number } | null } | null;
}
const detect = (response: unknown, agentId = 'ada', asker = admin): Promise<Answer<Detected>> =>
  asker.post<Detected>(query, { agentId, response });
const named = (name: string) => ({ name, json: '{"reason":"r"}' });

describe('detectHandoffs', () => {
  it('finds the tools of collaborators, other agents by the style of the name, and agents archived since', async () => {
    const before = await hashAllTables(db.pool);
    const { data, errors } = await detect(
      openaiResponse(
        ['search', 'transfer_to_old', 'transfer_to_bob', 'handoff_to_eve', 'transfer_to_savings'].map(named),
      ),
    );
    expect(errors).toBeUndefined();
    const found = (id: string) => ({
      kind: 'HANDOFF',
      target: { id, name: id, handoffsReceived: { totalCount: 0 } },
      problem: null,
    });
    expect(data.detection).toMatchObject({
      format: 'OPENAI_RESPONSE',
      calls: [
        {
          index: 0,
          callId: 'call_0',
          toolName: 'search',
          arguments: { reason: 'r' },
          kind: 'OTHER',
          target: null,
          tool: null,
          problem: null,
        },
        {
          kind: 'UNRESOLVED',
          target: null,
          tool: { name: 'transfer_to_old', generated: true },
          problem: { code: 'ARCHIVED_TARGET', message: "Agent 'old' is archived", suggestions: [], path: [] },
        },
        { ...found('bob'), tool: { name: 'transfer_to_bob', generated: true } },
        { ...found('eve'), tool: null },
        {
          kind: 'UNRESOLVED',
          target: null,
          problem: { code: 'UNKNOWN_TARGET', message: "No agent is named 'savings'" },
        },
      ],
      chosen: { index: 2 },
    });
    expect(await hashAllTables(db.pool)).toEqual(before);
  });

  it('reads a list of events and the text of a stream', async () => {
    const calls = [named('transfer_to_bob')];
    const events = anthropicEvents(calls, (text) => [text]);
    const { data: whole } = await detect(anthropicMessage(calls));
    expect(whole.detection?.calls).toMatchObject([{ kind: 'HANDOFF' }]);
    for (const response of [events, sse(events)]) expect((await detect(response)).data).toEqual(whole);
  });

  it('returns no calls for an unknown format, and null for an unknown agent', async () => {
    expect((await detect('I hand over to bob')).data).toEqual({ detection: { format: null, calls: [], chosen: null } });
    expect((await detect({}, 'nobody')).data).toEqual({ detection: null });
  });

  it('answers an agent for itself only', async () => {
    const ada = client(url, { key: await secretFor(db.pool, 'AGENT', 'ada') });
    expect((await detect(openaiResponse([named('transfer_to_bob')]), 'ada', ada)).data.detection?.chosen).toEqual({
      index: 0,
    });
    for (const other of ['bob', 'nobody']) {
      const { data, errors } = await detect(openaiResponse([named('transfer_to_eve')]), other, ada);
      expect(data.detection).toBeNull();
      expect(errors).toMatchObject([
        {
          extensions: { code: 'FORBIDDEN' },
          message: "Your key is bound to agent 'ada': give this agentId, or ask an operator",
        },
      ]);
    }
  });

  it('takes 200 calls and refuses 201 with LIMIT_EXCEEDED', async () => {
    const answer = (calls: number) => openaiResponse(Array.from({ length: calls }, () => named('transfer_to_bob')));
    expect((await detect(answer(200))).data.detection?.calls).toHaveLength(200);
    expect((await detect(answer(201))).errors).toMatchObject([
      {
        extensions: { code: 'LIMIT_EXCEEDED' },
        message: '201 calls exceed the limit of 200 in one request: send only the last answer of the model',
      },
    ]);
  });

  it.each([
    ['events', (count: number) => 'data: {}\n\n'.repeat(count), 40_000],
    ['events that end with carriage returns', (count: number) => 'data: {}\r\r'.repeat(count), 40_000],
    ['lines', (count: number) => '{}\n'.repeat(count), 39_980],
    ['events that are no JSON', (count: number) => 'data: }\n\n'.repeat(count), 2_000],
    ['objects in a list', (count: number) => JSON.stringify(Array.from({ length: count }, () => ({}))), 39_999],
  ])('takes a text of many %s, and refuses more with LIMIT_EXCEEDED', async (_what, text, most) => {
    expect((await detect(text(most))).data.detection).toEqual({ format: null, calls: [], chosen: null });
    expect((await detect(text(most + 21))).errors).toMatchObject([
      {
        extensions: { code: 'LIMIT_EXCEEDED' },
        message:
          '40001 lists and objects exceed the limit of 40000 in one request: send only the last answer of the model',
      },
    ]);
  });

  it('bounds the arguments of all calls together', async () => {
    const json = JSON.stringify({ a: Array.from({ length: 39_998 }, () => ({})) });
    const { data } = await detect(openaiResponse([json, '{}'].map((json) => ({ name: 'transfer_to_bob', json }))));
    expect(data.detection?.calls).toMatchObject([
      { problem: null },
      {
        problem: {
          code: 'INVALID_ARGUMENTS',
          message: 'The arguments are JSON of more than 40000 lists and objects: send fewer',
        },
      },
    ]);
  });

  it('takes almost 1 MB, and refuses more with 413', async () => {
    const answer = (size: number) =>
      openaiResponse([{ name: 'transfer_to_bob', json: JSON.stringify({ summary: 'x'.repeat(size) }) }]);
    expect((await detect(answer(990_000))).data.detection?.chosen).toEqual({ index: 0 });
    expect((await detect(answer(1_000_000))).status).toBe(413);
  });

  it('names the part of the answer that it cannot take, and what to do', async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 33; level += 1) deep = [deep];
    for (const [response, message] of [
      [deep, 'response is nested more than 32 levels deep: flatten it'],
      [{ a: ['\u0000'] }, 'response.a.0 contains NUL (U+0000): remove it'],
      [{ id: 2 ** 60 }, /^response\.id is 11529215046068\d+, .*: send it as a string$/],
    ] as const) {
      expect((await detect(response)).errors).toMatchObject([
        {
          extensions: { code: 'BAD_USER_INPUT' },
          message: typeof message === 'string' ? message : (expect.stringMatching(message) as string),
        },
      ]);
    }
    expect((await detect({}, 'Ada')).errors).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT', path: ['agentId'] } },
    ]);
    expect((await detect(null)).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});
