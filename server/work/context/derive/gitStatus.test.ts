import { expect, test } from 'vitest';
import { edited, ran, workOf } from '../../../../test/recordedLogs.ts';
import { readActions } from './actions.ts';
import { seenTreeOf } from './gitStatus.ts';

const seen = (...calls: Parameters<typeof workOf>): string | null =>
  seenTreeOf(readActions(workOf(...calls)), 0)?.status ?? null;
const long = `On branch main
Your branch is ahead of 'origin/main' by 1 commit.

Changes to be committed:
  (use "git restore --staged <file>..." to unstage)
\tnew file:   a.ts

Changes not staged for commit:
  (use "git add <file>..." to update what will be committed)
\tmodified:   src/b.ts
\tdeleted:    c.md

Untracked files:
  (use "git add <file>..." to include in what will be committed)
\tdocs/

no changes added to commit`;
const clean = 'On branch main\nnothing to commit, working tree clean';
const short = ' M src/b.ts\n?? docs/';

test.each([
  ['git status', long, 'A  a.ts\nM src/b.ts\nD c.md\n?? docs/'],
  ['git status', clean, ''],
  ['git status --short', short, 'M src/b.ts\n?? docs/'],
  ['git status -sb', `## main...origin/main\n${short}`, 'M src/b.ts\n?? docs/'],
  ['git status --porcelain', '', ''],
])('%j tells the working tree', (line, result, status) => {
  expect(seen(ran('a', line, { result }))).toBe(status);
});

test.each([
  ['with other output beside it', [ran('a', 'git status && git diff', { result: long })]],
  ['of another folder', [ran('a', 'cd ../other && git status', { result: long })]],
  ['of a part', [ran('a', 'git status src', { result: long })]],
  ['that failed', [ran('a', 'git status', { error: 'Exit code 128\nfatal: not a git repository' })]],
  ['before a file changed', [ran('a', 'git status', { result: long }), edited('b', 'a.ts')]],
  ['before a commit', [ran('a', 'git status', { result: long }), ran('b', 'git add -A && git commit -m x')]],
  ['before a stash', [ran('a', 'git status', { result: long }), ran('b', 'git stash')]],
])('a status %s says nothing', (_what, calls) => {
  expect(seen(...calls)).toBe(null);
});

test('looking and pushing leave it as it is, and the newest one counts', () => {
  expect(seen(ran('a', 'git status', { result: long }), ran('b', 'git log -3'), ran('c', 'git push'))).toContain(
    'a.ts',
  );
  expect(seen(ran('a', 'git status', { result: long }), ran('b', 'git status', { result: clean }))).toBe('');
});

test('a status from before another agent worked or a person spoke says nothing', () => {
  const actions = readActions(workOf({ ...ran('a', 'git status', { result: long }), sequence: 4 }));
  expect([seenTreeOf(actions, 5), seenTreeOf(actions, 4)?.callId]).toEqual([null, 'a']);
});
