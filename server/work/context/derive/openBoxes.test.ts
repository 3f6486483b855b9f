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
const list = '# Tasks\n- [x] one\n- [ ] two\n* [ ] three\n1. [X] four';
const both = [{ file: '/work/a.md', open: 2, orMore: false, first: ['two', 'three'] }];

test.each([
  ['a here document', [heredoc('a', 'a.md', list)]],
  ['a tool that writes', [tool('a', { content: list }, 'Write')]],
  ['a patch', [patch('a', ...list.split('\n').map((line) => `+${line}`))]],
  [
    'a patch on a shell line',
    [ran('a', `apply_patch <<'P'\n${patch('a', '+- [ ] two', ' - [ ] three').arguments}\nP`)],
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
])('a task is no more open after %s', (_what, call) => {
  expect(open(heredoc('a', 'a.md', list), call)).toMatchObject([{ open: 1, first: ['three'] }]);
});

test('says nothing of a file after a change that does not show its lines, nor of one that is gone', () => {
  expect(open(heredoc('a', 'a.md', list), ran('b', "sed -i 's/\\[ \\]/[x]/' a.md"))).toEqual([]);
  expect(openBoxesOf(readActions(workOf(heredoc('a', 'a.md', list))), () => false)).toEqual([]);
  expect(open(heredoc('a', 'a.md', '- [x] one\n- []\n[ ] two\ntext'))).toEqual([]);
});

test('a list of which the log has a part may have more', () => {
  const long = Array.from({ length: 100 }, (_, n) => `- [ ] ${n} ${'x'.repeat(60)}`).join('\n');
  expect(open(heredoc('a', 'a.md', long))).toMatchObject([{ orMore: true }]);
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
