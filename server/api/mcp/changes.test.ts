import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { send } from '../../../test/graphql.ts';
import { adminKey } from '../../../test/keyring.ts';
import { connect } from '../../../test/mcp.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { archiveAgent } from '../../work/agents/archiveAgent.ts';
import { updateAgent } from '../../work/agents/updateAgent.ts';
import { createKey } from '../../work/keys/createKey.ts';
import { revokeKey } from '../../work/keys/revokeKey.ts';
import { createHandoffTool } from '../../work/tools/changeTool.ts';

const database = await testDatabase();
const { pool } = database;
const variables = { BATON_ADMIN_KEY: adminKey };
const { url } = await startApp(database, { variables, recheckMs: 100, pace: { pollMs: 50 } });
const { agent, run } = world(pool);
for (const id of ['ada', 'bob', 'eve', 'zoe']) await agent(id);
const collaborate = (...collaborators: string[]) => run(updateAgent, { id: 'ada', collaborators });
const tools = (...names: string[]): string[] => [
  'baton_inbox',
  'baton_accept',
  'baton_reject',
  'baton_read',
  'baton_note',
  'baton_ask',
  'baton_handoff',
  ...names,
];

it('announces changed collaborations, tools and targets, whichever server changed them', async () => {
  await collaborate('bob');
  const model = await connect(url, '/ada', { key: adminKey });
  let told = 0;
  let wake = (): void => undefined;
  const toldMoreThan = async (count: number): Promise<void> => {
    while (told <= count) await new Promise<void>((resolve) => (wake = resolve));
  };
  model.client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    told += 1;
    wake();
  });
  await model.client.ping();
  // That of the opening.
  await toldMoreThan(0);
  expect(await model.tools()).toEqual(tools('transfer_to_bob'));

  // By another server, which no hint connects with this one.
  const other = await startApp(database, { variables });
  await send(`${other.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${adminKey}` },
    body: JSON.stringify({
      query: 'mutation { updateAgent(input: { id: "ada", collaborators: ["bob", "eve"] }) { __typename } }',
    }),
  });
  await toldMoreThan(1);
  expect(await model.tools()).toEqual(tools('transfer_to_bob', 'transfer_to_eve'));

  await run(archiveAgent, { id: 'eve' });
  await toldMoreThan(2);
  expect(await model.tools()).toEqual(tools('transfer_to_bob'));

  // What concerns others is not told; what follows is.
  await run(updateAgent, { id: 'zoe', name: 'Zoe' });
  await run(createHandoffTool, {
    name: 'escalate',
    targetAgentId: 'zoe',
    agentIds: ['ada'],
    description: 'For the angry.',
    instructions: null,
    variables: [],
  });
  await toldMoreThan(3);
  expect([told, await model.tools()]).toEqual([4, tools('escalate', 'transfer_to_bob')]);
});

it('a stream ends with its key, and when the server stops', async () => {
  const { secret, keyId } = await run(createKey, { role: 'AGENT', agentId: 'bob', name: 'b', expiresAt: null });
  const streamOf = async (to: string, key: string) =>
    fetch(`${to}/mcp/bob`, { headers: { accept: 'text/event-stream', authorization: `Bearer ${key}` } });
  const ended = await streamOf(url, secret);
  expect(ended).toMatchObject({ status: 200 });
  expect(ended.headers.get('content-type')).toBe('text/event-stream');
  await run(revokeKey, { keyId });
  expect(await ended.text()).toContain('notifications/tools/list_changed');

  const second = await startApp(database, { variables });
  const stopped = await streamOf(second.url, adminKey);
  await second.stop();
  expect(await stopped.text()).toContain('notifications/tools/list_changed');
});

it('a stream that its client left is closed', async () => {
  const { url: own, streams } = await startApp(database, {
    variables: { ...variables, BATON_HEARTBEAT_SECONDS: '0.1' },
  });
  const left = new AbortController();
  const response = await fetch(`${own}/mcp/bob`, {
    signal: left.signal,
    headers: { accept: 'text/event-stream', authorization: `Bearer ${adminKey}` },
  });
  await response.body!.getReader().read();
  expect(streams.size).toBe(1);
  left.abort();
  await expect.poll(() => streams.size).toBe(0);
});

it('refuses a stream for another agent than that of the key, and for one that does not exist', async () => {
  const { secret } = await run(createKey, { role: 'AGENT', agentId: 'bob', name: 'b', expiresAt: null });
  for (const [path, key, status] of [
    ['/ada', secret, 403],
    ['/nobody', adminKey, 404],
    ['/ada', 'baton_no', 401],
  ] as const) {
    expect([
      path,
      (await send(`${url}/mcp${path}`, { headers: { accept: 'text/event-stream', authorization: `Bearer ${key}` } }))
        .status,
    ]).toEqual([path, status]);
  }
});
