import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { bundled } from '../test/bundle.ts';
import { testDatabase } from '../test/database.ts';
import { startApp } from '../test/server.ts';
import { world } from '../test/world.ts';
import { temporaryFolder } from '../test/temporary.ts';

// Every case starts processes.
vi.setConfig({ testTimeout: 120_000 });

const root = temporaryFolder('baton-connect');

const home = join(root, 'home');

async function connect(
  cwd: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { PATH } = process.env;
  const program = await bundled('cli/baton.ts');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, 'connect', ...args],
      { cwd, env: { PATH, HOME: home, BATON_URL: 'http://127.0.0.1:1', ...env } },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

function project(): string {
  const folder = mkdtempSync(join(root, 'project-'));
  mkdirSync(join(folder, '.claude'));
  writeFileSync(join(folder, '.claude/settings.json'), '{\n  "model": "opus"\n}\n');
  return folder;
}

it('connects Claude Code with --agent and --url, shows the difference, and removes exactly that', async () => {
  const folder = project();
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
  const local = '.claude/settings.local.json';
  const printed = await connect(folder, [
    'claude-code',
    '--agent',
    'claude-7',
    '--url',
    'http://127.0.0.1:1/',
    '--print',
  ]);
  expect(printed).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(
      /^\+ .*"url": "http:\/\/127.0.0.1:1\/mcp\/claude-7\?workspace=ws_[0-9a-f]{20}"/m,
    ) as string,
  });
  expect([existsSync(join(folder, '.mcp.json')), existsSync(join(folder, local))]).toEqual([false, false]);

  const made = await connect(folder, ['claude-code', '--agent', 'claude-7', '--url', 'http://127.0.0.1:1/'], {
    BATON_KEY: 'baton_secret_of_test',
  });
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('Set BATON_KEY') as string });
  expect(made.stderr).toMatch(/To undo this: .*connect (-- )?claude-code --remove/);
  expect(`${made.stdout}${read('.mcp.json')}${read(local)}`).not.toContain('baton_secret_of_test');
  const { hooks, env } = JSON.parse(read(local)) as {
    hooks: Record<string, { hooks: { command: string }[] }[]>;
    env: object;
  };
  expect(env).toEqual({ MCP_CONNECTION_NONBLOCKING: 'false', MCP_CONNECT_TIMEOUT_MS: '10000' });
  for (const path of ['.mcp.json', local]) expect(read(path)).toMatch(/\}\n$/);
  expect(Object.keys(hooks)).toEqual([
    'SessionStart',
    'UserPromptSubmit',
    'PreToolUse',
    'PreCompact',
    'Stop',
    'SessionEnd',
  ]);
  expect(hooks['Stop']![0]!.hooks[0]!.command).toMatch(
    / hook claude-code --agent claude-7 --url http:\/\/127.0.0.1:1$/,
  );

  const removed = await connect(folder, ['claude-code', '--remove']);
  expect(removed).toMatchObject({ code: 0, stderr: '' });
  expect(['.mcp.json', local].map((path) => existsSync(join(folder, path)))).toEqual([false, false]);
  expect(read('.claude/settings.json')).toBe('{\n  "model": "opus"\n}\n');
});

it.each(['plain', "a 'quoted' [name]", '#1 ! done?', '-x \\ "two"', 'ünïcode\u3000'])(
  'leaves nothing of this machine to a commit, in a repository and a folder named %s',
  async (name) => {
    const repository = join(mkdtempSync(join(root, 'repository-')), name);
    const folder = join(repository, name);
    mkdirSync(folder, { recursive: true });
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'core.quotePath=false', ...args], { cwd: folder, encoding: 'utf8' });
    execFileSync('git', ['init', '-q'], { cwd: repository });
    const shown = (): string[] => git('status', '--porcelain=v1', '-uall', '-z').split('\0').filter(Boolean);
    for (const tool of ['claude-code', 'codex', 'claude-code'])
      expect(await connect(folder, [tool, '--url', 'http://127.0.0.1:4123'])).toMatchObject({ code: 0 });
    expect(shown()).toEqual([]);
    expect(existsSync(join(folder, '.mcp.json'))).toBe(true);
    const excluded = readFileSync(join(repository, '.git/info/exclude'), 'utf8');
    expect(excluded.match(/\.toml$/gm)).toHaveLength(1);
    await connect(folder, ['codex', '--remove']);
    await connect(folder, ['claude-code', '--remove']);
    expect(readFileSync(join(repository, '.git/info/exclude'), 'utf8')).not.toMatch(/\.claude|\.codex|mcp/);
  },
);

it('says which settings git has in commits already', async () => {
  const folder = project();
  const git = (...args: string[]): Buffer => execFileSync('git', args, { cwd: folder });
  mkdirSync(join(folder, '.codex'));
  writeFileSync(join(folder, '.codex/config.toml'), 'model = "o3"\n');
  git('init', '-q');
  git('add', '.');
  expect((await connect(folder, ['codex'])).stderr).toContain('.codex/config.toml names this machine, and git has it');
});

it('takes out of the shared settings the hooks that earlier versions wrote there', async () => {
  const folder = project();
  const shared = join(folder, '.claude/settings.json');
  const own = '{\n  // mine\n  "model": "opus",\n}\n';
  writeFileSync(
    shared,
    own.replace(
      ',\n}',
      ',\n  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "baton hook claude-code --agent a"}]}]}\n}',
    ),
  );
  expect(await connect(folder, ['claude-code'])).toMatchObject({ code: 0 });
  expect(readFileSync(shared, 'utf8')).not.toContain('baton hook');
  expect(readFileSync(shared, 'utf8')).toContain('// mine\n  "model": "opus"');
  expect(readFileSync(join(folder, '.claude/settings.local.json'), 'utf8')).toContain(' hook claude-code ');
  expect((await connect(folder, ['claude-code'])).stdout.match(/no change/g)).toHaveLength(3);
});

it('writes into the settings of the user with --global', async () => {
  const folder = project();
  expect(await connect(folder, ['codex', '--global'])).toMatchObject({ code: 0 });
  expect(readFileSync(join(home, '.codex/config.toml'), 'utf8')).toContain('url = "http://127.0.0.1:1/mcp/codex-1"');
  expect(await connect(folder, ['codex', '--global'])).toMatchObject({
    code: 0,
    stdout: `${join(home, '.codex/config.toml')}: no change\n`,
  });
  await connect(folder, ['codex', '--global', '--remove']);
  expect(existsSync(join(home, '.codex'))).toBe(false);
});

it('registers the agent when Baton has none of this id', async () => {
  const { url } = await startApp(await testDatabase());
  const [first, second] = [
    await connect(project(), ['codex', '--agent', 'new-one', '--url', url]),
    await connect(project(), ['codex', '--agent', 'new-one', '--url', url]),
  ];
  expect([first.code, first.stderr.match(/Agent .*/)?.[0], second.code, second.stderr.match(/Agent .*/)]).toEqual([
    0,
    'Agent new-one was registered.',
    0,
    null,
  ]);
});

it('lets two agents hand off to each other with --with, and says what it set', async () => {
  const database = await testDatabase();
  const { url } = await startApp(database);
  const folder = project();
  const first = await connect(folder, ['claude-code', '--agent', 'one', '--with', 'two', '--url', url]);
  expect(first.stderr).toContain('Agent two is not registered: connect its program with --with one.');
  await world(database.pool).agent('three');
  await connect(folder, ['claude-code', '--agent', 'one', '--with', 'three', '--url', url]);
  const second = await connect(folder, ['codex', '--agent', 'two', '--with', 'one', '--url', url]);
  expect(second.stderr).toMatch(/Agent two may hand off to one now\.\nAgent one may hand off to two now\./);
  const again = await connect(folder, ['codex', '--agent', 'two', '--with', 'one', '--url', url]);
  expect(again.stderr).toMatch(/Agent two may hand off to one\.\nAgent one may hand off to two\./);
  const { rows } = await database.pool.query<{ pair: string }>(
    `SELECT agent_id || ' ' || collaborator_id AS pair FROM agent_collaborators ORDER BY 1`,
  );
  expect(rows.map(({ pair }) => pair)).toEqual(['one three', 'one two', 'three one', 'two one']);
});

it.each([
  ['--global', { HOME: '/proc/nowhere' }],
  ['--global', { HOME: '/proc/nowhere', XDG_STATE_HOME: join(root, 'elsewhere') }],
  ['--global', { HOME: '/dev/null', XDG_STATE_HOME: join(root, 'elsewhere') }],
  ['--agent=claude-1', { HOME: '/proc/nowhere' }],
])('says in one line which folder it cannot make with %s and %j', async (option, env) => {
  for (const tool of ['claude-code', 'codex']) {
    const { code, stderr } = await connect(project(), [tool, option], env);
    expect([code, stderr.trimEnd().split('\n')]).toEqual([1, [expect.stringMatching(/\/(proc|dev)\//)]]);
  }
});

it('finds the settings of the user in CLAUDE_CONFIG_DIR and CODEX_HOME, also with spaces and quotes', async () => {
  const folder = join(mkdtempSync(join(root, 'config-')), `it's "mine" here`);
  mkdirSync(folder);
  const env = { CLAUDE_CONFIG_DIR: folder, CODEX_HOME: folder };
  for (const tool of ['claude-code', 'codex'])
    expect(await connect(project(), [tool, '--global'], env)).toMatchObject({ code: 0 });
  expect(readdirSync(folder).sort()).toEqual(['.claude.json', 'config.toml', 'settings.json']);
});

it('refuses settings that it cannot parse with exit code 1 and writes no file', async () => {
  const folder = project();
  writeFileSync(join(folder, '.claude/settings.local.json'), '{');
  const { code, stderr } = await connect(folder, ['claude-code']);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/settings\.local\.json is not JSON .*Nothing was changed/)]);
  expect(existsSync(join(folder, '.mcp.json'))).toBe(false);
});

it.each([
  [[]],
  [['cursor']],
  [['codex', 'claude-code']],
  [['codex', '--agent', 'No Slug']],
  [['codex', '--with', 'No Slug']],
  [['codex', '--with', 'codex-1']],
])('refuses %j with exit code 2', async (args) => {
  expect(await connect(root, args)).toMatchObject({ code: 2, stdout: '' });
});
