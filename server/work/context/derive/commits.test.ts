import { expect, test } from 'vitest';
import { ran, workOf } from '../../../../test/recordedLogs.ts';
import { readActions } from './actions.ts';
import { commitsOf, maxCommits } from './commits.ts';

const lines = (told: string, ...calls: Parameters<typeof workOf>): string[] =>
  commitsOf(readActions(workOf(...calls)), told).map(({ line }) => line);
const commit = (n: number, branch = 'main') =>
  ran(`c${n}`, 'git add -A && git commit -m x', {
    result: `[${branch} ${(0x1a2b300 + n).toString(16)}] Mend part ${n}\n 1 file changed, 2 insertions(+)`,
  });

test('tells each commit with its subject, unless a message names it', () => {
  expect(lines('', commit(1), commit(2, 'main (root-commit)'), commit(3, 'detached HEAD'))).toEqual([
    'commit 1a2b301: Mend part 1',
    'commit 1a2b302: Mend part 2',
    'commit 1a2b303: Mend part 3',
  ]);
  expect(lines('Done in `1a2b301`.', commit(1), commit(2))).toEqual(['commit 1a2b302: Mend part 2']);
});

test('tells no commit of other programs, and the newest ones', () => {
  expect(lines('', ran('a', 'cat log.txt', { result: '[main 1a2b301] Mend it' }))).toEqual([]);
  const many = lines('', ...Array.from({ length: 30 }, (_, n) => commit(n)));
  expect(many).toHaveLength(maxCommits);
  expect(many.at(-1)).toBe('commit 1a2b31d: Mend part 29');
});
