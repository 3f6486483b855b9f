import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { bundled } from '../test/bundle.ts';
import { codingTool } from '../test/codingTools.ts';
import { testDatabase } from '../test/database.ts';
import { workplace } from '../test/hooks.ts';
import { startApp } from '../test/server.ts';
import { streamingModel } from '../test/streamingModel.ts';
import { world } from '../test/world.ts';

vi.setConfig({ testTimeout: 300_000 });

const programs = { claude: codingTool('Claude Code'), codex: codingTool('Codex') };

describe('a connected folder', async () => {
  const database = await testDatabase();
  const { url } = await startApp(database);
  const { agent } = world(database.pool);
  beforeAll(async () => {
    await agent('claude-1');
    await agent('codex-1', { type: 'CODEX' });
  });

  const find = `SELECT s.agent_id AS holder, ARRAY(SELECT role || ': ' || content FROM messages WHERE session_id = s.id AND role IN ('USER', 'ASSISTANT') ORDER BY sequence) AS messages,
    ARRAY(SELECT result FROM tool_calls WHERE session_id = s.id ORDER BY index) AS results FROM sessions s WHERE external_id = $1`;

  /** Runs a program to its end in the folder, with a home of its own. */
  async function execute(
    { folder, transcript }: { folder: string; transcript: string },
    program: string,
    args: string[],
    env: Record<string, string>,
  ): Promise<void> {
    const home = join(transcript, '../home');
    mkdirSync(home, { recursive: true });
    const { PATH } = process.env;
    const { error, output } = await new Promise<{ error: Error | null; output: string }>((resolve) => {
      const child = execFile(
        program,
        args,
        { cwd: folder, env: { PATH, HOME: home, XDG_STATE_HOME: join(home, 'state'), ...env } },
        (failure, stdout, stderr) => resolve({ error: failure, output: stdout + stderr }),
      );
      child.stdin!.end();
    });
    if (error !== null) throw new Error(`${program} failed:\n${output}`);
  }

  const connect = async (
    place: { folder: string; transcript: string },
    tool: string,
    env: Record<string, string> = {},
  ): Promise<void> =>
    execute(place, process.execPath, [await bundled('cli/baton.ts'), 'connect', tool, '--url', url], env);

  /** The import goes on when the tool has ended. */
  const eventually = (folder: string, expected: object): Promise<void> =>
    vi.waitFor(
      async () =>
        expect((await database.pool.query(find, [`${hostname()}:${folder}#main`])).rows).toMatchObject([expected]),
      { timeout: 120_000, interval: 200 },
    );

  it.skipIf(programs.claude === null)('of Claude Code records each turn by its hooks', async () => {
    const place = workplace(url);
    const model = await streamingModel([
      { tool: 'Bash', args: { command: 'echo 4$((1+1))', description: 'Adds' } },
      { text: 'The answer is 42.' },
      { text: 'Still 42.' },
    ]);
    const env = {
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'sk-test',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    };
    await connect(place, 'claude-code');
    await execute(place, programs.claude!, ['-p', 'What is the answer?', '--allowedTools', 'Bash'], env);
    await eventually(place.folder, {
      holder: 'claude-1',
      messages: ['USER: What is the answer?', 'ASSISTANT: The answer is 42.'],
      results: ['42'],
    });
    await execute(place, programs.claude!, ['-p', 'Sure?', '--continue'], env);
    await eventually(place.folder, {
      messages: ['USER: What is the answer?', 'ASSISTANT: The answer is 42.', 'USER: Sure?', 'ASSISTANT: Still 42.'],
    });
    expect(readFileSync(join(place.folder, '.mcp.json'), 'utf8')).toContain(`${url}/mcp/claude-1`);
  });

  it.skipIf(programs.codex === null)('of Codex records each turn by its hooks', async () => {
    const place = workplace(url);
    const model = await streamingModel([
      { tool: 'exec_command', args: { cmd: 'echo 4$((1+1))' } },
      { text: 'The answer is 42.' },
      { text: 'Still 42.' },
    ]);
    const codexHome = join(place.transcript, '../codex');
    mkdirSync(codexHome);
    const provider = `[model_providers.scripted]\nname = "scripted"\nbase_url = "${model.url}/v1"\nwire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n`;
    writeFileSync(
      join(codexHome, 'config.toml'),
      `model = "gpt-5"\nmodel_provider = "scripted"\n${provider}[projects."${place.folder}"]\ntrust_level = "trusted"\n`,
    );
    const env = { CODEX_HOME: codexHome, SCRIPTED_KEY: 'x' };
    const common = ['--dangerously-bypass-hook-trust', '--dangerously-bypass-approvals-and-sandbox'];
    await connect(place, 'codex', env);
    await execute(place, programs.codex!, ['exec', ...common, 'What is the answer?'], env);
    await eventually(place.folder, {
      holder: 'codex-1',
      messages: ['USER: What is the answer?', 'ASSISTANT: The answer is 42.'],
      results: [expect.stringContaining('42')],
    });
    await execute(place, programs.codex!, ['exec', 'resume', '--last', ...common, 'Sure?'], env);
    await eventually(place.folder, {
      messages: ['USER: What is the answer?', 'ASSISTANT: The answer is 42.', 'USER: Sure?', 'ASSISTANT: Still 42.'],
    });
  });
});
