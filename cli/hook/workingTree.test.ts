import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { treeDifference, workingTreeIn } from './workingTree.ts';
import { temporaryFolder } from '../../test/temporary.ts';

const root = realpathSync(temporaryFolder("baton tree's"));

it('has at most 64 KB of whole lines, and says how many are missing', async () => {
  const folder = mkdtempSync(join(root, 'large-'));
  execFileSync('git', ['init', '-q'], { cwd: folder });
  for (let n = 0; n < 1_500; n += 1) writeFileSync(join(folder, `${'long'.repeat(20)}-${n}.txt`), '');
  const tree = (await workingTreeIn(folder))!;
  expect(Buffer.byteLength(tree.status) + Buffer.byteLength(tree.diffstat)).toBeLessThanOrEqual(64 * 1024);
  expect(tree.status.split('\n').at(-1)).toMatch(/^\.\.\. and \d+ more lines$/);
  expect(tree.status.split('\n').slice(0, -1)).toSatisfy((lines: string[]) =>
    lines.every((line) => /^\?\? (long){20}-\d+\.txt$/.test(line)),
  );
  expect(tree).toMatchObject({ commit: null, diffstat: '' });
});

it('is null outside of a repository', async () => {
  expect(await workingTreeIn(mkdtempSync(join(root, 'plain-')))).toBeNull();
});

it('differs exactly when branch, commit or a line of the status does', () => {
  const line = fc.constantFrom(' M a', ' M b', '?? c', 'A  d');
  const tree = fc.record({
    branch: fc.constantFrom('main', 'side', null),
    commit: fc.constantFrom('abc', 'def', null),
    status: fc.uniqueArray(line).map((lines) => lines.sort().join('\n')),
  });
  fc.assert(
    fc.property(tree, tree, (one, other) => {
      const said = treeDifference({ ...one, takenAt: 'then' }, { ...other, diffstat: '' });
      expect(said === null).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
  );
});
