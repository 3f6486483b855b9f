import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { workspaceId } from '../../server/core/workspace.ts';
import { workspaceIn } from './work.ts';
import { temporaryFolder } from '../../test/temporary.ts';

const root = realpathSync(temporaryFolder('baton-work'));

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

function repository(name: string): string {
  const folder = join(root, name);
  mkdirSync(folder);
  git(folder, 'init', '-b', 'main');
  writeFileSync(join(folder, 'a.txt'), name);
  git(folder, 'add', '.');
  git(folder, 'commit', '-m', 'Begin');
  return folder;
}
const commitOf = (folder: string): string => git(folder, 'rev-parse', 'HEAD');
const at = (folder: string) => ({ id: workspaceId(hostname(), folder), host: hostname(), folder });

it('is the root of the repository around a folder, with branch, commit and remote as git says', () => {
  const folder = repository('one');
  mkdirSync(join(folder, 'deep/er'), { recursive: true });
  git(folder, 'remote', 'add', 'fork', 'https://example.org/fork.git');
  expect(workspaceIn(join(folder, 'deep/er')).repository).toBe('https://example.org/fork.git');
  git(folder, 'remote', 'add', 'origin', 'https://me:secret@example.org/team/one.git');
  const expected = { ...at(folder), repository: 'https://example.org/team/one.git', branch: 'main' };
  expect(workspaceIn(join(folder, 'deep/er'))).toEqual({ ...expected, commit: commitOf(folder) });
  git(folder, 'pack-refs', '--all');
  expect(workspaceIn(folder)).toEqual({ ...expected, commit: commitOf(folder) });
  git(folder, 'checkout', '-b', 'feature/x.y');
  git(folder, 'commit', '--allow-empty', '-m', 'More');
  expect(workspaceIn(folder)).toEqual({ ...expected, branch: 'feature/x.y', commit: commitOf(folder) });
  git(folder, 'checkout', '--detach');
  expect(workspaceIn(folder)).toEqual({ ...expected, branch: null, commit: commitOf(folder) });
});

it('tells worktrees and submodules apart, which share or have repositories of their own', () => {
  const folder = repository('two');
  git(folder, 'remote', 'add', 'origin', 'git@example.org:team/two.git');
  const tree = join(root, 'two tree');
  git(folder, 'worktree', 'add', '-b', 'side', tree);
  git(tree, 'commit', '--allow-empty', '-m', 'Beside');
  const repositoryOfBoth = 'git@example.org:team/two.git';
  expect(workspaceIn(tree)).toEqual({
    ...at(tree),
    repository: repositoryOfBoth,
    branch: 'side',
    commit: commitOf(tree),
  });
  expect(workspaceIn(folder)).toEqual({
    ...at(folder),
    repository: repositoryOfBoth,
    branch: 'main',
    commit: commitOf(folder),
  });
  const part = repository('part');
  git(folder, '-c', 'protocol.file.allow=always', 'submodule', 'add', part, 'part');
  const inside = join(folder, 'part');
  expect(workspaceIn(inside)).toEqual({
    ...at(inside),
    repository: part,
    branch: 'main',
    commit: commitOf(inside),
  });
});

it('is the folder alone without a repository, and without a commit before the first', () => {
  const plain = join(root, 'plain');
  mkdirSync(plain);
  expect(workspaceIn(plain)).toEqual({ ...at(plain), repository: null, branch: null, commit: null });
  git(plain, 'init', '-b', 'main');
  expect(workspaceIn(plain)).toEqual({ ...at(plain), repository: null, branch: 'main', commit: null });
});
