import { describe, expect, it } from 'vitest';
import { askersOf } from '../../../test/askers.ts';
import { client, send } from '../../../test/graphql.ts';
import { secretFor } from '../../../test/keyring.ts';
import { rawSocket } from '../../../test/socket.ts';
import { encodeId } from '../../core/ids.ts';

// ada, whose key the AGENT has, holds the Session and hands it to bob, who has instructions.
const { db, url, askers, secrets, session, initiate } = await askersOf();
const bobsKey = await secretFor(db.pool, 'AGENT', 'bob');
const readers = { OPERATOR: secrets.OPERATOR, ANALYST: secrets.ANALYST, ADMIN: secrets.ADMIN, 'the target': bobsKey };
const sessionUuid = await session('ada');
const sessionId = encodeId('session', sessionUuid);
const { handoffId: uuid } = await initiate(sessionUuid, 'bob', { reason: 'because' });
const handoffId = encodeId('handoff', uuid);
const secret = 'what bob is told';

const fields = [
  'instructions',
  'markdown',
  'contextPrompt { text kept { id } }',
  'contextPrompt(maxTokens: 400) { text dropped { id } }',
];
const ways: Record<string, (key: string) => Promise<string>> = {};
const query = (name: string, source: string) => {
  ways[name] = async (key) => {
    const { data, errors } = await client(url, { key }).post(source);
    expect(errors).toBeUndefined();
    return JSON.stringify(data);
  };
};
for (const field of fields) {
  query(`handoff { ${field} }`, `{ handoff(id: "${handoffId}") { ${field} } }`);
  query(`handoffs { ${field} }`, `{ handoffs(where: { sessionId: "${sessionId}" }) { nodes { ${field} } } }`);
  query(
    `session { ${field} }`,
    `{ session(id: "${sessionId}") { openHandoff { ${field} } lastHandoff { ${field} } handoffs(first: 2) { nodes { ${field} } } } }`,
  );
  query(`node { ${field} }`, `{ node(id: "${handoffId}") { ... on Handoff { ${field} } } }`);
  query(
    `event { ${field} }`,
    `{ sessionEvents(sessionId: "${sessionId}", first: 5) { nodes { handoff { ${field} } } } }`,
  );
}
query('contextItem', `{ contextItem(handoffId: "${handoffId}", itemId: "instructions-1") { content } }`);
for (const path of [`/handoffs/${handoffId}.md`, `/handoffs/${handoffId}.json`, `/sessions/${sessionId}.json`]) {
  ways[path] = async (key) => {
    const { status, body } = await send(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
    expect(status).toBe(200);
    return body;
  };
}

describe.each(Object.entries(ways))("the target's instructions in %s", (_name, read) => {
  it('are hidden from the agent that hands off', async () => {
    expect(await read(secrets.AGENT)).not.toContain(secret);
  });

  it.each(Object.entries(readers))('are shown to %s', async (_reader, key) => {
    expect(await read(key)).toContain(secret);
  });
});

it('no list of kept or dropped prompt parts names the instructions for another agent', async () => {
  for (const field of fields.slice(2))
    expect(await ways[`handoff { ${field} }`]!(secrets.AGENT)).not.toContain('instructions-1');
});

it("initiateHandoff does not return the target's instructions to the source", async () => {
  const input = { sessionId: encodeId('session', await session('ada')), targetAgentId: 'bob' };
  const source = `mutation ($input: InitiateHandoffInput!) { initiateHandoff(input: $input) { ... on InitiateHandoffPayload { handoff { id ${fields.slice(0, 3).join(' ')} } } } }`;
  const { data } = await askers.AGENT.post(source, { input });
  expect(JSON.stringify(data)).toContain('"id":"handoff_');
  expect(JSON.stringify(data)).not.toContain(secret);
});

it('of two subscribers with the same document, only the target receives its instructions', async () => {
  const document = `subscription { event: handoffEvents(where: { sessionId: "${sessionId}" }) { type handoff { ${fields.slice(0, 3).join(' ')} } } }`;
  const open = async (key: string) => {
    const socket = await rawSocket(url);
    await socket.init({ authorization: `Bearer ${key}` });
    socket.subscribe('1', document);
    expect(await socket.result('1')).toMatchObject({ data: { event: { type: 'READY' } } });
    return socket;
  };
  const sockets = await Promise.all([secrets.AGENT, bobsKey].map(open));
  await client(url, { key: bobsKey }).post(
    'mutation ($input: AcceptHandoffInput!) { acceptHandoff(input: $input) { __typename } }',
    { input: { handoffId } },
  );
  const seen = await Promise.all(sockets.map(async (socket) => JSON.stringify(await socket.result('1'))));
  for (const socket of sockets) socket.terminate();
  expect(seen.map((text) => [text.includes('HANDOFF_ACCEPTED'), text.includes(secret)])).toEqual([
    [true, false],
    [true, true],
  ]);
});
