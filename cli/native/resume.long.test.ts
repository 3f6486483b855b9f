import { execFile } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { bundled } from '../../test/bundle.ts';
import { codingTool } from '../../test/codingTools.ts';
import { testDatabase } from '../../test/database.ts';
import { workplace } from '../../test/hooks.ts';
import { startApp } from '../../test/server.ts';
import { streamingModel, type Said } from '../../test/streamingModel.ts';
import { world } from '../../test/world.ts';
import { encodeId } from '../../server/core/ids.ts';
import { acceptHandoff } from '../../server/work/handoffs/changeHandoff.ts';
import { exportTranscript } from './exportTranscript.ts';

// The real command lines, with a model that a script plays.
const programs = { claude: codingTool('Claude Code'), codex: codingTool('Codex') };

const database = await testDatabase();
const { url } = await startApp(database);
const { agent, reassign, run } = world(database.pool);
beforeAll(async () => {
  await agent('claude-1');
  await agent('codex-1', { type: 'CODEX' });
});

const find = `SELECT s.id, s.agent_id AS holder,
  ARRAY(SELECT coalesce(a.agent_id, '-') || ' ' || m.role || ': ' || content FROM messages m LEFT JOIN agent_sessions a ON a.id = m.agent_session_id WHERE m.session_id = s.id AND role IN ('USER', 'ASSISTANT') ORDER BY sequence) AS messages,
  ARRAY(SELECT name || ' ' || coalesce(result, error, 'open') FROM tool_calls WHERE session_id = s.id ORDER BY index) AS calls FROM sessions s WHERE external_id = $1`;

interface Found {
  id: string;
  holder: string;
  messages: string[];
  calls: string[];
}

it.skipIf(programs.claude === null || programs.codex === null)(
  'Claude Code goes on with a session of Codex, and Codex with that: the model has the history, and the log has each line once',
  async () => {
    const place = workplace(url);
    const folder = realpathSync(place.folder);
    const home = join(place.transcript, '../home');
    const codexHome = join(home, '.codex');
    mkdirSync(codexHome, { recursive: true });
    const locations = {
      HOME: home,
      XDG_STATE_HOME: join(home, 'state'),
      CODEX_HOME: codexHome,
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
    };

    async function execute(program: string, args: string[], env: Record<string, string> = {}): Promise<void> {
      const { PATH } = process.env;
      const failure = await new Promise<string | null>((resolve) => {
        const child = execFile(
          program,
          args,
          { cwd: folder, env: { PATH, ...locations, ...env } },
          (error, stdout, stderr) => resolve(error === null ? null : stdout + stderr),
        );
        child.stdin!.end();
      });
      if (failure !== null) throw new Error(`${program} ${args.join(' ')} failed:\n${failure}`);
    }

    /** Runs Claude Code once. Returns what its model was sent first. */
    async function claude(script: Said[], ...args: string[]): Promise<string> {
      const model = await streamingModel(script);
      await execute(programs.claude!, ['-p', ...args, '--allowedTools', 'Bash'], {
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: 'sk-test',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
      });
      return model.requests.find((body) => /"tools":\[\{/.test(body))!;
    }

    async function codex(script: Said[], ...args: string[]): Promise<string> {
      const model = await streamingModel(script);
      const provider = `[model_providers.scripted]\nname = "scripted"\nbase_url = "${model.url}/v1"\nwire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n`;
      writeFileSync(
        join(codexHome, 'config.toml'),
        `model = "gpt-5"\nmodel_provider = "scripted"\n${provider}[projects."${folder}"]\ntrust_level = "trusted"\n`,
      );
      const [verb, ...rest] = args;
      const common = ['--dangerously-bypass-hook-trust', '--dangerously-bypass-approvals-and-sandbox'];
      await execute(
        programs.codex!,
        verb === 'resume' ? ['exec', 'resume', ...common, ...rest] : ['exec', ...common, ...args],
        { SCRIPTED_KEY: 'x' },
      );
      return model.requests.find((body) => /"tools":\[\{/.test(body))!;
    }

    const found = async (): Promise<Found | undefined> =>
      (await database.pool.query<Found>(find, [`${hostname()}:${folder}#main`])).rows[0];
    /** The hooks import in the background. */
    const recorded = (messages: string[], calls: string[]): Promise<void> =>
      vi.waitFor(async () => expect(await found()).toMatchObject({ messages, calls }), {
        timeout: 60_000,
        interval: 200,
      });

    async function exportTo(as: 'claude-code' | 'codex', agentId: string): Promise<string> {
      const { id } = (await found())!;
      const { handoffId } = await reassign(id, { agentId });
      await run(acceptHandoff, { handoffId: handoffId! });
      return (
        await exportTranscript({
          url,
          key: undefined,
          sessionId: encodeId('session', id),
          as,
          folder,
          out: null,
          maxTokens: null,
          env: locations,
        })
      ).id;
    }

    const baton = await bundled('cli/baton.ts');
    for (const tool of ['claude-code', 'codex'])
      await execute(process.execPath, [baton, 'connect', tool, '--url', url]);

    await codex(
      [{ tool: 'exec_command', args: { cmd: 'echo root-$((40+2))' } }, { text: 'Codex counted.' }],
      'Count the roots.',
    );
    const first = ['codex-1 USER: Count the roots.', 'codex-1 ASSISTANT: Codex counted.'];
    const counted = expect.stringMatching(/^exec_command [^]*root-42/) as string;
    await recorded(first, [counted]);

    const asked = await claude(
      [{ tool: 'Bash', args: { command: 'echo leaf-$((40+3))', description: 'Counts' } }, { text: 'Claude counted.' }],
      'Count the leaves.',
      '--resume',
      await exportTo('claude-code', 'claude-1'),
    );
    for (const words of [
      'Count the roots.',
      'Codex counted.',
      'root-42',
      'recorded by the agent codex-1',
      'Handoff: Routed to claude-1',
      'Count the leaves.',
    ])
      expect([words, asked.includes(words)]).toEqual([words, true]);
    const second = [...first, 'claude-1 USER: Count the leaves.', 'claude-1 ASSISTANT: Claude counted.'];
    await recorded(second, [counted, 'Bash leaf-43']);

    const askedAgain = await codex(
      [{ text: 'Both are counted.' }],
      'resume',
      await exportTo('codex', 'codex-1'),
      'Sum up.',
    );
    for (const words of [
      'Count the roots.',
      'root-42',
      'Count the leaves.',
      'Claude counted.',
      'leaf-43',
      'recorded by the agent claude-1',
      'Sum up.',
    ])
      expect([words, askedAgain.includes(words)]).toEqual([words, true]);
    // Its own call is a call again.
    expect(askedAgain).toMatch(/"type":"function_call",[^{}]*"name":"exec_command"/);
    await recorded(
      [...second, 'codex-1 USER: Sum up.', 'codex-1 ASSISTANT: Both are counted.'],
      [counted, 'Bash leaf-43'],
    );
  },
  600_000,
);
