import { expect, test } from 'vitest';
import { edited, ran, workOf } from '../../../../test/recordedLogs.ts';
import { readActions } from './actions.ts';
import { seenTreeOf } from './gitStatus.ts';

const of = (calls: Parameters<typeof workOf>, fields = {}) =>
  seenTreeOf(readActions(workOf(...calls)), { spoke: 0, whole: true, isRepository: false, ...fields });
const seen = (...calls: Parameters<typeof workOf>): string | null => of(calls)?.status ?? null;
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
  ['git status', long, 'A  a.ts\n M src/b.ts\n D c.md\n?? docs/'],
  ['git status', clean, ''],
  ['git status --short', short, ' M src/b.ts\n?? docs/'],
  ['git status -sb', `## main...origin/main\n${short}`, ' M src/b.ts\n?? docs/'],
  ['git status --porcelain', '', ''],
])('%j tells the working tree', (line, result, status) => {
  expect(seen(ran('a', line, { result }))).toBe(status);
});

test.each([
  [
    'git status && git diff',
    `${long}\n\ndiff --git a/x b/x\n   modified:   y.ts`,
    'A  a.ts\n M src/b.ts\n D c.md\n?? docs/',
  ],
  ['git add a.ts && git status --short', 'M src/b.ts\n?? docs/', ' M src/b.ts\n?? docs/'],
  ['git status -s; git log --oneline -2', `${short}\n1234abc Begin\nM5 is no file`, short],
  ['git status -s; git log --oneline -2', '1234abc Begin', ''],
  ['git status -s', ` M a.ts\n M b\n…\nc.ts\n M d.ts`, ' M a.ts\n M b\n M d.ts\nand more'],
  [
    'git status -s',
    Array.from({ length: 104 }, (_, n) => ` M ${n}`).join('\n'),
    expect.stringMatching(/^ M 99\nand 4 more$/m),
  ],
])('%j: what other looks wrote is no part of it', (line, result, status) => {
  expect(seen(ran('a', line, { result }))).toEqual(status);
});

test.each([
  ['of another folder', ran('a', 'cd ../other && git status', { result: long })],
  ['of a part', ran('a', 'git status src', { result: long })],
  ['that failed', ran('a', 'git status', { error: 'Exit code 128\nfatal: not a git repository' })],
  ['behind another program', ran('a', 'npm test; git status', { result: long })],
  ['that another program wrote', ran('a', 'git status -s', { result: 'nothing here' })],
])('a status %s says nothing', (_what, call) => {
  expect(seen(call)).toBe(null);
});

test('a status tells how the branch stands to the one that it follows', () => {
  expect(of([ran('a', 'git status', { result: long })])?.branch).toBe("ahead of 'origin/main' by 1 commit");
  expect(of([ran('a', 'git status -sb', { result: `## main...origin/main [ahead 2]\n${short}` })])?.branch).toBe(
    'ahead 2',
  );
});

const status = ran('a', 'git status', { result: long });
test.each([
  ['looks and pushes', [ran('b', 'git log -3'), ran('c', 'git push')], undefined],
  [
    'edits',
    [edited('b', 'x.ts'), edited('c', '/work/y.ts'), edited('d', '/tmp/z.ts'), edited('e', 'x.ts')],
    ['changed x.ts, y.ts'],
  ],
  [
    'a commit between edits',
    [
      edited('b', 'x.ts'),
      ran('c', 'git add x.ts && git commit -m x', { result: '[main 1234abc] x' }),
      edited('d', 'y.ts'),
    ],
    ['changed x.ts', 'git add x.ts', 'committed 1234abc: x', 'changed y.ts'],
  ],
  ['a commit that says nothing', [ran('b', 'git commit -qam x')], ['committed once']],
  [
    'a commit that failed',
    [ran('b', 'git commit -m x', { error: 'Exit code 1\nhook' })],
    ['git commit -m x (failed or did not end)'],
  ],
  ['a stash', [ran('b', 'git stash')], ['git stash']],
])('what came since the newest status is told in its order: %s', (_what, calls, since) => {
  expect(of([status, ...calls])).toMatchObject({ status: seen(status) });
  expect(of([status, ...calls])?.since).toEqual(since);
});

test('without a status the newest commit is told, with what came after it', () => {
  const commit = ran('b', 'git commit -m x', { result: '[main 1234abc] x' });
  expect(of([edited('a', 'x.ts'), commit, edited('c', 'y.ts')])).toEqual({
    status: null,
    callId: null,
    since: ['committed 1234abc: x', 'changed y.ts'],
  });
});

test('that nothing was committed is said only of a repository whose whole log is known', () => {
  const work = [edited('a', 'x.ts')];
  expect(of(work)).toBe(null);
  expect(of(work, { isRepository: true })?.uncommitted).toBe(true);
  expect(of([...work, ran('b', 'git diff')])?.uncommitted).toBe(true);
  expect(of(work, { isRepository: true, whole: false })).toBe(null);
  expect(of([status], { whole: false })?.uncommitted).toBe(undefined);
  expect(of([status, ran('b', 'git commit -qam x')])?.uncommitted).toBe(undefined);
});

test('a status from before another agent worked or a person spoke says so', () => {
  const calls = [{ ...status, sequence: 4 }];
  expect([of(calls, { spoke: 5 })?.older, of(calls, { spoke: 4 })?.older]).toEqual([true, undefined]);
});
