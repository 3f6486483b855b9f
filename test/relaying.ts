import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundled } from './bundle.ts';
import { codingTool } from './codingTools.ts';
import { atEnd } from './database.ts';
import { loopbackOnly, type Wrap } from './loopback.ts';
import { scriptedModel, type Step } from './scriptedModel.ts';
import { temporaryFolder } from './temporary.ts';
import { killCommands } from './watching.ts';

/** The real programs; null where npm cannot install one. */
export const codingPrograms = () => ({ claude: codingTool('Claude Code'), codex: codingTool('Codex') });

export const claudeArgs = ['-p', '--allowedTools', 'Bash', 'mcp__baton__*'];
export const codexArgs = ['exec', '--dangerously-bypass-hook-trust', '--dangerously-bypass-approvals-and-sandbox'];

/** A home of both programs and their connected repositories, cut off from all but the server and the models. */
export async function relayPlace(url: string) {
  const models = { claude: await scripted(), codex: await scripted() };
  const wrap: Wrap = await loopbackOnly(
    [url, models.claude.url, models.codex.url].map((address) => Number(new URL(address).port)),
  );
  const program = await bundled('cli/baton.ts');
  const root = realpathSync(temporaryFolder('baton-relay'));
  atEnd(() => killCommands(root));
  const home = join(root, 'home');
  const codexHome = join(home, '.codex');
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    CODEX_HOME: codexHome,
    SCRIPTED_KEY: 'x',
    ANTHROPIC_BASE_URL: models.claude.url,
    ANTHROPIC_API_KEY: 'sk-test',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  };
  mkdirSync(join(home, '.claude'), { recursive: true });
  writeFileSync(join(home, '.claude/settings.json'), '{"enableAllProjectMcpServers": true}');
  mkdirSync(codexHome);
  const provider = `[model_providers.scripted]\nname = "scripted"\nbase_url = "${models.codex.url}/v1"\nwire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n`;
  writeFileSync(join(codexHome, 'config.toml'), `model = "gpt-5"\nmodel_provider = "scripted"\n${provider}`);

  /** Runs a program to its end, cut off from the network. */
  async function execute(folder: string, name: string, args: string[]): Promise<string> {
    const [file, words] = wrap(name, args);
    return new Promise((resolve, reject) => {
      const child = execFile(file, words, { cwd: folder, env }, (error, stdout, stderr) =>
        error === null ? resolve(stdout + stderr) : reject(new Error(`${error.message}\n${stdout}\n${stderr}`)),
      );
      child.stdin!.end();
    });
  }

  /** A small repository, connected with Baton for both tools. */
  async function repository(name: string): Promise<string> {
    const folder = mkdtempSync(join(root, `${name}-`));
    writeFileSync(join(folder, 'README.md'), `# ${name}\n`);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
        cwd: folder,
        stdio: 'ignore',
      });
    git('init', '-b', 'main');
    git('add', '.');
    git('commit', '-m', 'Begin');
    for (const [tool, other] of [
      ['claude-code', 'codex-1'],
      ['codex', 'claude-1'],
    ] as const)
      await execute(folder, process.execPath, [program, 'connect', tool, '--with', other, '--url', url]);
    // The usual waits are too short for a busy machine.
    const change = (path: string, from: RegExp, to: string) =>
      writeFileSync(join(folder, path), readFileSync(join(folder, path), 'utf8').replaceAll(from, to));
    change('.codex/config.toml', /^\[mcp_servers\.baton\]\n/gm, '$&startup_timeout_sec = 240\n');
    for (const path of ['.codex/config.toml', '.claude/settings.local.json']) {
      change(path, / hook (claude-code|codex) /g, '$&--wait 60000 ');
      change(path, /(timeout"?\s*[:=]) \d+/g, '$1 120');
    }
    appendFileSync(join(codexHome, 'config.toml'), `[projects."${folder}"]\ntrust_level = "trusted"\n`);
    return folder;
  }

  return { models, wrap, program, root, home, env, execute, repository };
}

type Call = NonNullable<Step['calls']>[number];

/** A call of a tool of Baton, as Codex makes it. */
export const mcp = (id: string, name: string, given: object): Call => ({
  id,
  name: name.replaceAll('-', '_'),
  arguments: given,
  namespace: 'mcp__baton',
});
export const mcpOfClaude = (id: string, name: string, given: object): Call => ({
  id,
  name: `mcp__baton__${name}`,
  arguments: given,
});
export const shell = (id: string, cmd: string): Call => ({ id, name: 'exec_command', arguments: { cmd } });
export const bash = (id: string, command: string): Call => ({
  id,
  name: 'Bash',
  arguments: { command, description: 'Writes' },
});

/** A model to whose script each case appends. */
async function scripted() {
  const steps: Step[] = [];
  const model = await scriptedModel(steps);
  return {
    ...model,
    say(...more: Step[]): void {
      // What it was asked beyond its script.
      while (steps.length < model.answers.length) steps.push({ text: 'Done.' });
      steps.push(...more);
    },
  };
}
