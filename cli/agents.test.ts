import { execFile, spawn } from 'node:child_process';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, vi } from 'vitest';
import { bundled } from '../test/bundle.ts';
import { atEnd, testDatabase } from '../test/database.ts';
import { client } from '../test/graphql.ts';
import { hashAllTables } from '../test/hash.ts';
import { adminKey } from '../test/keyring.ts';
import { startApp } from '../test/server.ts';
import { temporaryFolder } from '../test/temporary.ts';

// Every case starts a process.
vi.setConfig({ testTimeout: 120_000 });

const database = await testDatabase();
const { url } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } });
const { post } = client(url, { key: adminKey });

/** A folder with these files. */
async function folderOf(files: Record<string, string | Buffer>): Promise<string> {
  const folder = temporaryFolder('baton-agents');
  for (const [path, content] of Object.entries(files)) await write(join(folder, path), content);
  return folder;
}

async function write(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

const environment = (): NodeJS.ProcessEnv => {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, BATON_URL: url, BATON_KEY: adminKey };
};

async function load(cwd: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const program = await bundled('cli/baton.ts');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, 'agents', 'import', ...args],
      { cwd, env: environment() },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

async function show(id: string): Promise<{ instructions: string | null; definition: { path: string } | null } | null> {
  const { data } = await post<{ agent: { instructions: string | null; definition: { path: string } | null } | null }>(
    'query ($id: ID!) { agent(id: $id) { instructions definition { path } } }',
    { id },
  );
  return data.agent;
}

describe('baton agents import', () => {
  it('reads the folders of Claude Code and VS Code in a repository, and nothing else there', async () => {
    const folder = await folderOf({
      '.claude/agents/coder.md': '---\nname: repo-coder\n---\nYou code.',
      '.github/agents/repo-planner.agent.md': '---\ndescription: Plans\n---\nYou plan.',
      'README.md': '# Not an agent',
      'docs/notes.md': '# Neither',
    });
    const { code, stdout, stderr } = await load(folder, '.', '--type', 'CLAUDE');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual([
      'created   repo-coder    .claude/agents/coder.md',
      'created   repo-planner  .github/agents/repo-planner.agent.md',
      '2 agents: 2 created, 0 updated, 0 unchanged',
      '',
    ]);
    expect(await load(folder, '.', '--type', 'CLAUDE')).toMatchObject({
      code: 0,
      stdout: '2 agents: 0 created, 0 updated, 2 unchanged\n',
    });
  });

  it('reads every .md file of another folder except README.md, and files by name', async () => {
    const folder = await folderOf({
      'team/a.md': '# Team A',
      'team/deep/b.md': '# Team B',
      'team/README.md': '# Team',
      'team/c.txt': '# C',
      'other.md': '# Other One',
      'node_modules/x/d.md': '# D',
    });
    const { code, stdout } = await load(folder, 'team', 'other.md', '--type', 'CLAUDE', '--json');
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as { agents: { id: string }[] }).agents.map(({ id }) => id)).toEqual([
      'other-one',
      'team-a',
      'team-b',
    ]);
  });

  it('prints problems with path and line, and exits 1 without an import when one is an error', async () => {
    const folder = await folderOf({
      'a.md': '# Wrong A\n\n## Collaborations\n- nobody-such-1',
      'b.md': '---\nname: [b]\n---\n',
    });
    const before = await hashAllTables(database.pool);
    const { code, stdout, stderr } = await load(folder, '.', '--type', 'CLAUDE');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain("b.md:2: ERROR: 'name' is a list: give a text\n");
    expect(stderr).toContain("a.md:4: WARNING: Agent 'nobody-such-1' does not exist; the collaboration was left out: ");
    expect(stderr).toMatch(/Nothing was imported: 1 error\n$/);
    expect(await hashAllTables(database.pool)).toEqual(before);
  });

  it('writes nothing in a dry run', async () => {
    const folder = await folderOf({ 'a.md': '# Dry A' });
    const before = await hashAllTables(database.pool);
    expect(await load(folder, '.', '--type', 'CLAUDE', '--dry-run')).toMatchObject({
      code: 0,
      stdout: 'created   dry-a  a.md\ndry run: 1 agent: 1 created, 0 updated, 0 unchanged\n',
    });
    expect(await hashAllTables(database.pool)).toEqual(before);
  });

  it.each<[string, Record<string, string | Buffer>, string[], number, RegExp]>([
    ['no path', {}, [], 2, /^npm run agents -- import <files or folders>/],
    ['a path that does not exist', {}, ['nowhere'], 1, /nowhere does not exist: check the path/],
    ['a folder without definitions', { 'README.md': '# R' }, ['.'], 1, /holds no \.md file: check the path/],
    [
      'a file that is not UTF-8',
      { 'a.md': Buffer.from([0x23, 0x20, 0xff]) },
      ['.'],
      1,
      /a\.md is not UTF-8: save it as UTF-8/,
    ],
    [
      'a file over 1 MB',
      { 'a.md': 'x'.repeat(1024 * 1024 + 1) },
      ['.'],
      1,
      /a\.md has 1048577 bytes; the limit is 1048576: shorten it/,
    ],
    [
      'a type that is not allowed',
      { 'a.md': '# A' },
      ['.', '--type', 'claude'],
      1,
      /defaultType is 'claude', which is not an agent type/,
    ],
    [
      'a server that does not answer',
      { 'a.md': '# A' },
      ['.', '--url', 'http://127.0.0.1:1'],
      75,
      /Nothing answers at http:\/\/127\.0\.0\.1:1/,
    ],
  ])('refuses %s', async (_what, files, args, expected, message) => {
    const { code, stdout, stderr } = await load(await folderOf(files), ...args);
    expect([code, stdout]).toEqual([expected, '']);
    expect(stderr).toMatch(message);
  });
});

describe('baton agents import --watch', () => {
  it('imports what changes, whatever is half-written, renamed or deleted meanwhile', async () => {
    const folder = await folderOf({ 'first.md': '# Watched First' });
    const child = spawn(
      process.execPath,
      [await bundled('cli/baton.ts'), 'agents', 'import', '.', '--type', 'CLAUDE', '--watch'],
      { cwd: folder, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] },
    );
    atEnd(() => void child.kill('SIGKILL'));
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', (line) => lines.push(line));
    const says = (text: RegExp): Promise<void> =>
      vi.waitFor(() => expect(lines.join('\n')).toMatch(text), { timeout: 30_000, interval: 50 });

    await says(/1 agent: 1 created/);
    // Front matter without its end is what a program leaves that writes in steps.
    await write(join(folder, 'second.md'), '---\nname: Watched Second\n');
    await says(/second\.md:1: ERROR: The front matter has no end/);
    expect(await show('watched-second')).toBeNull();
    await write(join(folder, 'second.md'), '---\nname: Watched Second\n---\nThe whole text.');
    await says(/2 agents: 1 created, 0 updated, 1 unchanged/);
    expect(await show('watched-second')).toMatchObject({ instructions: 'The whole text.' });

    await rename(join(folder, 'second.md'), join(folder, 'renamed.md'));
    await says(/updated +watched-second +renamed\.md/);
    expect(await show('watched-second')).toEqual({
      instructions: 'The whole text.',
      definition: { path: 'renamed.md' },
    });

    lines.length = 0;
    await rm(join(folder, 'first.md'));
    await says(/1 agent: 0 created, 0 updated, 1 unchanged/);
    expect(await show('watched-first')).toMatchObject({ definition: { path: 'first.md' } });

    lines.length = 0;
    await write(join(folder, '.renamed.md.swp'), 'of an editor');
    await write(join(folder, '._renamed.md'), '# Of a desktop');
    await write(join(folder, 'renamed.md~'), '# Backup');
    await write(join(folder, 'new/third.md'), '# Watched Third');
    await says(/created +watched-third +new\/third\.md/);
    expect(child.exitCode).toBeNull();
  });
});
