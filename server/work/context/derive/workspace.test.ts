import { expect, test } from 'vitest';
import { ran, workOf } from '../../../../test/recordedLogs.ts';
import type { RecordedLog } from './log.ts';
import { workspaceOf } from './workspace.ts';

const after = (command: string, result: string) =>
  workspaceOf({
    ...workOf(ran('a', command, { result })),
    workspaces: [{ turn: 1, folder: '/work', branch: 'old', commit: '0000000' }],
  });

test('returns null fields for an empty log', () => {
  expect(workspaceOf({ messages: [], calls: [], workspaces: [] })).toEqual({
    folder: null,
    branch: null,
    commit: null,
  });
});

test('replaces each field by that of a later turn', () => {
  const workspaces: RecordedLog['workspaces'] = [
    { turn: 1, folder: '/a', branch: 'main', commit: 'abc1234' },
    { turn: 2, folder: '/b', branch: null, commit: null },
    { turn: 3, folder: null, branch: 'topic', commit: null },
  ];
  expect(workspaceOf({ messages: [], calls: [], workspaces })).toEqual({
    folder: '/b',
    branch: 'topic',
    commit: 'abc1234',
  });
});

test('has the sandbox of the newest turn, which another program may not have', () => {
  const codex = { turn: 1, folder: '/a', branch: null, commit: null, sandbox: 'read-only' };
  const other = { turn: 2, folder: '/a', branch: null, commit: null, sandbox: null };
  const sandboxAfter = (...workspaces: RecordedLog['workspaces'][number][]) =>
    workspaceOf({ messages: [], calls: [], workspaces }).sandbox ?? null;
  expect(sandboxAfter(codex)).toBe('read-only');
  expect(sandboxAfter(codex, other)).toBeNull();
});

test.each([
  ['git commit -m x', '[main abc1234] x\n 1 file changed', { branch: 'main', commit: 'abc1234' }],
  ['git add . && git commit -m x', '[topic/a (root-commit) abc1234] x', { branch: 'topic/a', commit: 'abc1234' }],
  ['git -C /work commit -m x', '[detached HEAD abc1234] x', { branch: 'old', commit: 'abc1234' }],
  ['git commit -m a; git commit -m b', '[main abc1234] a\n[main def5678] b', { branch: 'main', commit: 'def5678' }],
  ['git pull', 'Updating abc1234..def5678\nFast-forward', { branch: 'old', commit: 'def5678' }],
  ['git checkout -b new', "Switched to a new branch 'new'", { branch: 'new', commit: '0000000' }],
  ['git switch main', "Switched to branch 'main'", { branch: 'main', commit: null }],
  ['git checkout abc1234', 'HEAD is now at abc1234 x', { branch: null, commit: 'abc1234' }],
  ['git status', 'On branch main\nnothing to commit', { branch: 'main', commit: '0000000' }],
  ['git status -sb', '## main...origin/main [ahead 1]\n M a', { branch: 'main', commit: '0000000' }],
  ['git branch --show-current', 'main\n', { branch: 'main', commit: '0000000' }],
  [
    'git rev-parse HEAD',
    'abc1234abc1234abc1234abc1234abc1234abc12\n',
    { branch: 'old', commit: 'abc1234abc1234abc1234abc1234abc1234abc12' },
  ],
  ['git log --oneline -3', 'def5678 (HEAD -> main) two\nabc1234 one', { branch: 'main', commit: 'def5678' }],
  [
    'git log -1',
    'commit def5678def5678def5678def5678def5678def56\nAuthor: A',
    { branch: 'old', commit: 'def5678def5678def5678def5678def5678def56' },
  ],
  ['git log --oneline other', 'def5678 two', { branch: 'old', commit: '0000000' }],
  ['git log --all --oneline', 'def5678 two', { branch: 'old', commit: '0000000' }],
  ['cat notes', 'On branch fake\n[fake abc1234] x', { branch: 'old', commit: '0000000' }],
])('%s sets branch and commit', (command, output, says) => {
  expect(after(command, output)).toEqual({ folder: '/work', ...says });
});

test('ignores a git command that failed', () => {
  const call = ran('a', 'git checkout -b new', { error: "Exit code 128\nfatal: a branch named 'new' already exists" });
  expect(
    workspaceOf({ ...workOf(call), workspaces: [{ turn: 1, folder: null, branch: 'old', commit: null }] }).branch,
  ).toBe('old');
});

test('takes the first folder of a command when no turn has one', () => {
  expect(
    workspaceOf({ ...workOf(ran('a', 'ls', { result: '', name: 'exec_command', folder: '/srv/app' })), workspaces: [] })
      .folder,
  ).toBe('/srv/app');
});
