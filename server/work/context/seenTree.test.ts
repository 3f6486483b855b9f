import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seenTreeText } from './seenTree.ts';

const seen = (status: string | null, fields = {}) => ({ status, callId: status === null ? null : 'c', ...fields });

test.each([
  [
    'the files that the log changed stand apart from those of others',
    seen(' M src/a.ts\n M b.ts\nA  c.ts\n?? d/'),
    ['src/a.ts', 'd/e.ts', 'f.ts'],
    'By git status (call c); nothing in the log changed it since.\nNot committed, of the files changed here: not staged src/a.ts; untracked d/\nNot committed, changed by nothing in this log: not staged b.ts; staged c.ts',
  ],
  [
    'one state of all changed files stands for their names',
    seen(' M src/a.ts\n M b.ts', { uncommitted: true }),
    ['b.ts', '/work/src/a.ts'],
    'By git status (call c); nothing in the log changed it since. The log has no commit.\nNot committed, of the files changed here: all, not staged',
  ],
  [
    'many files of others stand by their first folders',
    seen([...Array.from({ length: 20 }, (_, n) => ` M lib/${n}.ts`), ' M x.ts', ' M y/z.ts', 'and 7 more'].join('\n')),
    [],
    'By git status (call c); nothing in the log changed it since.\nNot committed, changed by nothing in this log: not staged lib/ (20), x.ts, y/z.ts; and 7 more',
  ],
  [
    'a list that is cut in the log does not stand for all',
    seen(' M src/a.ts\nand 9 or more'),
    ['src/a.ts', 'src/b.ts'],
    'By git status (call c); nothing in the log changed it since.\nNot committed, of the files changed here, of a list that is cut in the log: not staged src/a.ts\nNot committed, changed by nothing in this log: and 9 or more',
  ],
  [
    'what came since follows',
    seen('', { since: ['changed a.ts', 'committed 1234abc'], branch: 'ahead 2' }),
    ['a.ts'],
    'By git status (call c); the branch is ahead 2. Nothing was changed since the commit.\nSince then: changed a.ts; committed 1234abc',
  ],
  [
    'states by their letters',
    seen('MM a\nUU b\n D c\nR  d -> e'),
    [],
    /staged, and changed since a; in conflict b; not staged c \(removed\); staged e$/,
  ],
  ['no status, and no commit', seen(null, { uncommitted: true }), ['a.ts'], 'The log has no commit.'],
  ['no status, and nothing changed', seen(null, { uncommitted: true }), [], ''],
  [
    'no status, and a commit',
    seen(null, { since: ['committed 1234abc'] }),
    [],
    'The log committed 1234abc, and changed nothing since.',
  ],
  [
    'a commit, and later edits',
    seen(null, { since: ['committed 1', 'changed a.ts'] }),
    [],
    'The log committed 1. Since then: changed a.ts.',
  ],
])('%s', (_what, tree, files, text) => {
  expect(seenTreeText(tree, files)).toEqual(typeof text === 'string' ? text : expect.stringMatching(text));
});

test('each file of few is named once, whoever changed it', () => {
  const name = fc.stringMatching(/^[a-z]{3}\/[a-z]{4}$/);
  const line = fc.tuple(fc.constantFrom(' M', 'M ', 'A ', '??', 'UU', 'MM'), name);
  fc.assert(
    fc.property(
      fc.uniqueArray(line, { maxLength: 8, selector: ([, file]) => file }),
      fc.infiniteStream(fc.boolean()),
      (lines, mine) => {
        const files = lines.flatMap(([, file]) => (mine.next().value === true ? [file] : []));
        const text = seenTreeText(seen(lines.map(([letters, file]) => `${letters} ${file}`).join('\n')), [
          ...files,
          'other',
        ]);
        for (const [, file] of lines) expect(text.split(file).length).toBe(2);
      },
    ),
  );
});
