import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundled } from '../../../test/bundle.ts';
import { testDatabase } from '../../../test/database.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { npmTool } from '../../../test/npmTool.ts';
import { otherNode } from '../../../test/otherNode.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { temporaryFolder } from '../../../test/temporary.ts';

// The Inspector needs Node 22.19.
const node = otherNode('24');
const inspector = join(npmTool('@modelcontextprotocol/inspector', '2.12.0'), 'clients/launcher/build/index.js');
const home = temporaryFolder('baton-test');

const database = await testDatabase();
const { url } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } });
const { agent, session, reassign } = world(database.pool);
await agent('bob');
await agent('ada', { collaborators: ['bob'] });
const key = await secretFor(database.pool, 'AGENT', 'ada');
const { PATH } = process.env;

/** The Inspector's command line, over HTTP or as the client of `baton mcp`. */
async function inspect<Result>(over: 'HTTP' | 'stdio', ...args: string[]): Promise<Result> {
  const server =
    over === 'HTTP'
      ? [`${url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`]
      : ['-e', `BATON_KEY=${key}`, process.execPath, await bundled('cli/baton.ts'), 'mcp', '--url', url];
  const { stdout } = await promisify(execFile)(node, [inspector, '--cli', ...server, ...args], {
    env: { PATH, HOME: home },
    timeout: 60_000,
  });
  return JSON.parse(stdout) as Result;
}

it.each(['HTTP', 'stdio'] as const)(
  'the Inspector lists and calls the tools, and reads a resource and the prompt, over %s',
  async (over) => {
    const { tools } = await inspect<{ tools: { name: string }[] }>(over, '--method', 'tools/list');
    expect(tools.map(({ name }) => name)).toEqual([
      'baton_inbox',
      'baton_accept',
      'baton_reject',
      'baton_read',
      'baton_note',
      'baton_ask',
      'baton_handoff',
      'transfer_to_bob',
    ]);
    const id = await session('bob', { title: over });
    const handoff = encodeId('handoff', (await reassign(id, { agentId: 'ada', reason: 'Inspect it' })).handoffId!);
    expect(await inspect(over, '--method', 'resources/read', '--uri', `baton://handoffs/${handoff}`)).toMatchObject({
      contents: [{ text: expect.stringContaining('Inspect it') as string }],
    });
    expect(
      await inspect(
        over,
        '--method',
        'prompts/get',
        '--prompt-name',
        'take_over',
        '--prompt-args',
        `handoff=${handoff}`,
      ),
    ).toMatchObject({ messages: [{ content: { text: expect.stringContaining('Inspect it') as string } }] });
    const call = (tool: string, ...given: string[]): Promise<object> =>
      inspect(
        over,
        ...['--method', 'tools/call', '--tool-name', tool],
        ...given.flatMap((each) => ['--tool-arg', each]),
      );
    // Over stdio the client works in a folder, and this Session is of none: nothing is guessed.
    const named = (argument: string): string[] => (over === 'stdio' ? [argument] : []);
    expect(await call('baton_accept', ...named(`handoff=${handoff}`))).toMatchObject({
      structuredContent: { handoff, session: encodeId('session', id) },
    });
    expect(
      await call('transfer_to_bob', `reason=Looked at over ${over}`, ...named(`session=${encodeId('session', id)}`)),
    ).toMatchObject({ structuredContent: { target: 'bob' } });
  },
  300_000,
);
