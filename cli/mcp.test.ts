import { spawn } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, it, vi } from 'vitest';
import { bundled } from '../test/bundle.ts';
import { atEnd, testDatabase } from '../test/database.ts';
import { adminKey, secretFor } from '../test/keyring.ts';
import { connect, modelOf, type Model } from '../test/mcp.ts';
import { startApp } from '../test/server.ts';
import { world } from '../test/world.ts';
import { encodeId } from '../server/core/ids.ts';
import { updateAgent } from '../server/work/agents/updateAgent.ts';

// Every case starts a process.
vi.setConfig({ testTimeout: 120_000 });

const program = await bundled('cli/baton.ts');
const database = await testDatabase();
const variables = { BATON_ADMIN_KEY: adminKey };
const freePort = async (): Promise<string> => {
  const listening = createServer();
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  await new Promise((resolve) => listening.close(resolve));
  return String(port);
};
const port = await freePort();
const first = await startApp(database, { variables: { ...variables, PORT: port }, pace: { pollMs: 50 } });
const { url } = first;
const { agent, session, run } = world(database.pool);
await agent('bob');
await agent('ada', { collaborators: ['bob'] });
const key = await secretFor(database.pool, 'AGENT', 'ada');
const { PATH = '', HOME = '', TMPDIR = '/tmp' } = process.env;
const env = { PATH, HOME, TMPDIR, BATON_KEY: key };

async function overStdio(...args: string[]): Promise<Model> {
  const client = new Client({ name: 'a model', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp', '--url', url, ...args],
      env,
      stderr: 'ignore',
    }),
  );
  atEnd(() => client.close());
  return modelOf(client);
}

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}
async function baton(
  args: string[],
  { input = '', environment = env }: { input?: string; environment?: Record<string, string> } = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [program, 'mcp', ...args], { env: environment });
  child.stdin.end(input);
  const [code, stdout, stderr] = await Promise.all([
    new Promise<number | null>((resolve) => child.once('close', resolve)),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr };
}

it('gives the same tools as HTTP, their answers, and the news of changed tools', async () => {
  const [model, direct] = [await overStdio(), await connect(url, '', { key })];
  expect((await model.client.listTools()).tools).toEqual((await direct.client.listTools()).tools);
  const id = encodeId('session', await session('ada'));
  expect(await model.call('baton_inbox')).toEqual(await direct.call('baton_inbox'));
  expect(await model.call('baton_note', { text: 'Over stdio' })).toMatchObject({
    data: { code: 'SESSION_ELSEWHERE', sessions: [{ id, workspace: null }] },
  });
  expect(await model.call('baton_note', { session: id, text: 'Over stdio' })).toMatchObject({ isError: false });
  expect((await direct.call('baton_read')).data.messages).toMatchObject([{ content: 'Over stdio' }]);
  expect(
    (await Promise.all(Array.from({ length: 10 }, () => model.call('baton_inbox')))).filter(({ isError }) => isError),
  ).toEqual([]);

  const changed = new Promise<void>((resolve) => {
    // The first may be that of the opening.
    model.client.setNotificationHandler(ToolListChangedNotificationSchema, async () => {
      if (!(await model.tools()).includes('transfer_to_bob')) resolve();
    });
  });
  await run(updateAgent, { id: 'ada', collaborators: [] });
  await changed;
  await run(updateAgent, { id: 'ada', collaborators: ['bob'] });
});

it('answers with an error while the server is away, and goes on when it is back', async () => {
  const model = await overStdio('--agent', 'ada');
  await first.stop();
  await expect(model.tools()).rejects.toThrow(`Nothing answers at ${url} (`);
  await startApp(database, { variables: { ...variables, PORT: port } });
  expect(await model.tools()).toContain('transfer_to_bob');
});

it('answers all that was sent before its input ended, and exits with 0', async () => {
  const messages = [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
  ];
  const { code, stdout, stderr } = await baton(['--url', url], {
    input: messages.map((message) => `${JSON.stringify(message)}\n`).join(''),
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: number }).id)
      .sort(),
  ).toEqual([1, 2]);
});

it('says in one line why it cannot start', async () => {
  const free = await freePort();
  expect(await baton(['--url', `http://127.0.0.1:${free}`])).toEqual({
    code: 75,
    stdout: '',
    stderr: `Nothing answers at http://127.0.0.1:${free} (ECONNREFUSED): start Baton there, or give its address with --url\n`,
  });
  expect(await baton(['--url', url, '--agent', 'bob'])).toEqual({
    code: 1,
    stdout: '',
    stderr: "Your key is bound to agent 'ada': use /mcp or /mcp/ada\n",
  });
  expect(await baton(['--url', url, '--agent', 'nobody'], { environment: { ...env, BATON_KEY: adminKey } })).toEqual({
    code: 1,
    stdout: '',
    stderr: "There is no agent 'nobody': check the address\n",
  });
  expect(await baton(['--url', url], { environment: { ...env, BATON_KEY: 'baton_wrong' } })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^[^\n]+\n$/) as string,
  });
  expect(await baton(['ada'])).toMatchObject({ code: 2, stdout: '' });
});
