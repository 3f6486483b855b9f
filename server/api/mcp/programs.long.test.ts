import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { codingTool } from '../../../test/codingTools.ts';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { scriptedModel, type Step } from '../../../test/scriptedModel.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { temporaryFolder } from '../../../test/temporary.ts';

// The real command lines of Claude Code and Codex, with a model that a script plays: without a network and without a key.
const folder = temporaryFolder('baton-test');
const database = await testDatabase();
const { url } = await startApp(database);
const { agent, session } = world(database.pool);
const { post } = client(url);

interface Program {
  name: 'Claude Code' | 'Codex';
  agentId: string;
  /** Arguments and environment, after the settings of MCP are in `home`. */
  start(home: string, model: string): { args: string[]; env: Record<string, string> };
  call(id: string, name: string, given: object): NonNullable<Step['calls']>[number];
  shown(name: string): string;
}

const programs: Program[] = [
  {
    name: 'Claude Code',
    agentId: 'claude-9',
    start(home, model) {
      writeFileSync(
        join(home, 'mcp.json'),
        JSON.stringify({ mcpServers: { baton: { type: 'http', url: `${url}/mcp/claude-9` } } }),
      );
      return {
        args: ['-p', 'Do your work', '--mcp-config', join(home, 'mcp.json'), '--allowedTools', 'mcp__baton__*'],
        env: {
          ANTHROPIC_BASE_URL: model,
          ANTHROPIC_API_KEY: 'fake',
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          DISABLE_TELEMETRY: '1',
          DISABLE_AUTOUPDATER: '1',
          // By default the first request waits for the tools for 5 s at most.
          MCP_CONNECTION_NONBLOCKING: 'false',
          MCP_CONNECT_TIMEOUT_MS: '240000',
        },
      };
    },
    call: (id, name, given) => ({ id, name: `mcp__baton__${name}`, arguments: given }),
    shown: (name) => `"mcp__baton__${name}"`,
  },
  {
    name: 'Codex',
    agentId: 'codex-9',
    start(home, model) {
      mkdirSync(join(home, '.codex'));
      const settings = `model = "scripted"\nmodel_provider = "local"\napproval_policy = "never"\n[model_providers.local]\nname = "local"\nbase_url = "${model}/v1"\nwire_api = "responses"\nenv_key = "LOCAL_KEY"\n`;
      writeFileSync(
        join(home, '.codex/config.toml'),
        `${settings}[mcp_servers.baton]\nurl = "${url}/mcp/codex-9"\nstartup_timeout_sec = 240\n`,
      );
      return { args: ['exec', '--skip-git-repo-check', 'Do your work'], env: { LOCAL_KEY: 'fake' } };
    },
    // It shows its model names without '-'.
    call: (id, name, given) => ({ id, name: name.replaceAll('-', '_'), arguments: given, namespace: 'mcp__baton' }),
    shown: (name) => `"${name.replaceAll('-', '_')}"`,
  },
];

const installed = programs.map((program) => ({ ...program, path: codingTool(program.name) }));

async function run({ path, start }: (typeof installed)[number], model: string): Promise<string> {
  const home = mkdtempSync(join(folder, 'home-'));
  const { args, env } = start(home, model);
  return new Promise((resolve, reject) => {
    const child = execFile(
      path!,
      args,
      { cwd: home, env: { PATH: process.env['PATH'], HOME: home, ...env }, timeout: 240_000 },
      (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stdout}\n${stderr}`)),
    );
    child.stdin!.end();
  });
}

it.for(installed)(
  '$name lists the tools, reads its inbox, notes, corrects a wrong target, and hands off',
  { timeout: 300_000 },
  async (program, { skip }) => {
    if (program.path === null) return skip();
    const reviewer = `reviewer-of-${program.agentId}`;
    await agent(reviewer);
    await agent(program.agentId, { collaborators: [reviewer] });
    const id = encodeId('session', await session(program.agentId, { title: 'Real work' }));
    const { url: model, received } = await scriptedModel([
      { calls: [program.call('call_1', 'baton_inbox', {})] },
      { calls: [program.call('call_2', 'baton_note', { text: 'Noted by the real program.' })] },
      { calls: [program.call('call_3', 'baton_handoff', { target: `${reviewer}x`, reason: 'Please review' })] },
      { calls: [program.call('call_4', `transfer_to_${reviewer}`, { reason: 'Please review' })] },
      { text: 'Handed off.' },
    ]);
    expect(await run(program, model)).toContain('Handed off.');

    const asked = received.filter(({ body }) => ((body.tools as object[] | undefined) ?? []).length > 0);
    const offered = JSON.stringify(asked[0]!.body.tools);
    for (const name of [
      'baton_inbox',
      'baton_accept',
      'baton_reject',
      'baton_read',
      'baton_note',
      'baton_ask',
      'baton_handoff',
      `transfer_to_${reviewer}`,
    ])
      expect(offered).toContain(program.shown(name));
    const told = JSON.stringify(asked.at(-1)!.body);
    for (const words of [`You hold ${id}`, `Recorded in ${id}: text.`, 'did you mean', `Handed off to '${reviewer}'`])
      expect(told).toContain(words);

    const { data } = await post(
      `{ session(id: "${id}") { agent { id } lastHandoff { status reason triggeringToolCalls { callId } } messages { nodes { role content } } } }`,
    );
    expect(data).toMatchObject({
      session: {
        agent: { id: reviewer },
        lastHandoff: {
          status: 'INITIATED',
          reason: 'Please review',
          triggeringToolCalls: [{ callId: expect.stringMatching(/call/) as string }],
        },
      },
    });
    expect(JSON.stringify(data)).toContain('Noted by the real program.');
  },
);
