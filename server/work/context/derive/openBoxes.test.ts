import fc from 'fast-check';
import { expect, test } from 'vitest';
import { edited, ran, workOf } from '../../../../test/recordedLogs.ts';
import { readActions } from './actions.ts';
import { openBoxesOf } from './openBoxes.ts';

const open = (...calls: Parameters<typeof workOf>) => openBoxesOf(readActions(workOf(...calls)), () => true);
const heredoc = (callId: string, file: string, text: string, mark = '>') =>
  ran(callId, `cat <<'EOF' ${mark} ${file}\n${text}\nEOF`);
const tool = (callId: string, given: object, name = 'Edit') => ({
  ...edited(callId, '/work/a.md'),
  name,
  arguments: { file_path: '/work/a.md', ...given },
});
const patch = (callId: string, ...lines: string[]) => ({
  ...edited(callId, 'a.md'),
  name: 'apply_patch',
  arguments: ['*** Begin Patch', '*** Update File: a.md', '@@', ...lines, '*** End Patch'].join('\n'),
});
const added = (callId: string, ...lines: string[]) => ({
  ...edited(callId, 'a.md'),
  name: 'apply_patch',
  arguments: ['*** Begin Patch', '*** Add File: a.md', ...lines.map((line) => `+${line}`), '*** End Patch'].join('\n'),
});
const list = '# Tasks\n- [x] one\n- [ ] two\n* [ ] three\n1. [X] four';
const both = [{ file: '/work/a.md', open: 2, orMore: false, first: ['two', 'three'] }];

test.each([
  ['a here document', [heredoc('a', 'a.md', list)]],
  ['a tool that writes', [tool('a', { content: list }, 'Write')]],
  ['a patch', [added('a', ...list.split('\n'))]],
  ['a patch on a shell line', [ran('a', `apply_patch <<'P'\n${added('a', ...list.split('\n')).arguments}\nP`)]],
  [
    'a list that it added to',
    [heredoc('a', 'a.md', '- [x] one'), patch('b', ' - [x] one', '+- [ ] two', '+- [ ] three')],
  ],
  ['two texts, one after the other', [heredoc('a', 'a.md', '- [ ] two'), heredoc('b', 'a.md', '- [ ] three', '>>')]],
])('finds what is open in the text of %s', (_what, calls) => {
  expect(open(...calls)).toEqual(both);
});

test.each([
  ['an edit', tool('b', { old_string: '- [ ] two', new_string: '- [x] two' })],
  ['an edit that takes it away', tool('b', { old_string: '- [ ] two\n', new_string: '' })],
  ['a patch', patch('b', '-- [ ] two', '+- [x] two', ' * [ ] three')],
  ['a text that takes the place of all of it', heredoc('b', 'a.md', '- [ ] three')],
  ['an edit of the mark', tool('b', { old_string: '[ ] two', new_string: '[x] two' })],
  [
    'several edits',
    tool(
      'b',
      {
        edits: [
          { old_string: 'two', new_string: 'two' },
          { old_string: '[ ] two', new_string: '[x] two' },
        ],
      },
      'MultiEdit',
    ),
  ],
  ['a substitution', ran('b', "sed -i 's/- \\[ \\] two/- [x] two/' a.md")],
  ['a substitution at a text', ran('b', "sed -i '/two/s/\\[ \\]/[x]/' a.md")],
  ['a substitution of a line', ran('b', "sed -i '3s/\\[ \\]/[x]/' a.md")],
  ['an extended one', ran('b', "sed -i.bak -E 's|- \\[ \\] (two.*)|- [x] \\1|; s/nothing/else/' a.md")],
  ['perl', ran('b', "perl -pi -e 's/\\[ \\] two/[x] two/' a.md")],
  ['a look at it', ran('b', 'cat a.md', { result: list.replace('[ ] two', '[x] two') })],
  ['a look with numbers', ran('b', 'nl -ba a.md', { result: '     1\t- [x] two\n     2\t- [ ] three' })],
])('a task is no more open after %s', (_what, call) => {
  expect(open(heredoc('a', 'a.md', list), call)).toMatchObject([{ open: 1, first: ['three'] }]);
});

test('says nothing of a file after a change that does not show its lines, nor of one that is gone', () => {
  const [written, other] = [heredoc('a', 'a.md', list), ran('b', 'python3 tick.py > a.md')];
  expect(open(written, other)).toEqual([]);
  expect(open(written, ran('b', "sed -i '/two/d' a.md"))).toEqual([]);
  expect(open(written, other, ran('c', "grep -n '\\[ \\]' a.md", { result: '9:- [ ] three' }))).toMatchObject([
    { open: 1, orMore: true, first: ['three'] },
  ]);
  expect(openBoxesOf(readActions(workOf(heredoc('a', 'a.md', list))), () => false)).toEqual([]);
  expect(open(heredoc('a', 'a.md', '- [x] one\n- []\n[ ] two\ntext'))).toEqual([]);
});

test('a substitution ticks nothing that it does not match', () => {
  for (const script of ["'s/- [ ] two/- [x] two/'", "'/four/s/\\[ \\]/[x]/'", "'1s/\\[ \\]/[x]/'", "'s/two/2/'"])
    expect(open(heredoc('a', 'a.md', list), ran('b', `sed -i ${script} a.md`)), script).toEqual(both);
  expect(open(heredoc('a', 'a.md', '- [x] two'), ran('b', "sed -i 's/\\[x\\]/[ ]/g' a.md"))).toMatchObject([
    { open: 1 },
  ]);
  expect(
    open(heredoc('a', 'a.md', list), tool('b', { old_string: '- [ ]', new_string: '- [x]', replace_all: true })),
  ).toMatchObject([{ open: 1, first: ['three'] }]);
});

test('tells of a list of others how much of it was done before the agent wrote over it', () => {
  const seen = ran('a', 'cat a.md', { result: '- [x] old\r\n- [x] older\r\n- [ ] oldest\r\n' });
  const part = ran('a', "sed -n '1,80p' a.md", { result: '- [x] old\n- [x] two' });
  expect(open(seen, heredoc('b', 'a.md', list))).toEqual([{ ...both[0], doneBefore: 2 }]);
  expect(open(part, heredoc('b', 'a.md', list))).toEqual([{ ...both[0], doneBefore: 1 }]);
  expect(open(heredoc('a', 'a.md', '- [x] old'), heredoc('b', 'a.md', list))).toEqual(both);
});

test('says nothing of a list that the agent only saw, or changed elsewhere', () => {
  expect(open(ran('a', 'cat a.md', { result: list }), ran('b', "sed -i 's/a/b/' a.md"))).toEqual([]);
});

test('a list of which the log has a part may have more', () => {
  expect(open(patch('a', '+- [ ] two', ' - [ ] three'))).toMatchObject([{ open: 2, orMore: true }]);
  const long = Array.from({ length: 100 }, (_, n) => `- [ ] ${n} ${'x'.repeat(60)}`).join('\n');
  expect(open(heredoc('a', 'a.md', long))).toMatchObject([{ orMore: true }]);
});

test('follows ticks in any way', () => {
  const names = ['one', 'two', 'three', 'four'];
  const ways = [
    (name: string) => tool('w', { old_string: `- [ ] ${name}`, new_string: `- [x] ${name}` }),
    (name: string) => tool('w', { old_string: `[ ] ${name}`, new_string: `[x] ${name}` }),
    (name: string) => patch('w', `-- [ ] ${name}`, `+- [x] ${name}`),
    (name: string) => ran('w', `sed -i 's/\\[ \\] ${name}/[x] ${name}/' a.md`),
    (name: string) => ran('w', `sed -i '/${name}/s/\\[ \\]/[x]/' a.md`),
    (name: string) => ran('w', `sed -i '${names.indexOf(name) + 1}s/\\[ \\]/[x]/' a.md`),
  ];
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...ways)), { maxLength: 6 }), (ticks) => {
      const ticked = new Set(ticks.map(([name]) => name));
      const calls = ticks
        .filter(([name], at) => ticks.findIndex(([other]) => other === name) === at)
        .map(([name, way]) => way(name));
      const left = names.filter((name) => !ticked.has(name));
      const told = open(heredoc('a', 'a.md', names.map((name) => `- [ ] ${name}`).join('\n')), ...calls);
      expect(told[0]?.first ?? []).toEqual(left);
    }),
  );
});

test('counts what was written last, whatever was written before', () => {
  const text = fc.array(fc.tuple(fc.constantFrom('one', 'two', 'three', 'four'), fc.boolean()), { maxLength: 6 });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), (texts) => {
      const calls = texts.map((lines, n) =>
        heredoc(`c${n}`, 'a.md', lines.map(([name, isOpen]) => `- [${isOpen ? ' ' : 'x'}] ${name}`).join('\n')),
      );
      const last = new Map(texts.at(-1));
      expect(open(...calls)[0]?.open ?? 0).toBe([...last.values()].filter(Boolean).length);
    }),
  );
});
