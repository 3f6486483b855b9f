import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { editsIn, withoutEdits } from './textEdits.ts';

const block = (name: string[], lines = ['old', '=======', 'new']): string =>
  [...name, '<<<<<<< SEARCH', ...lines, '>>>>>>> REPLACE'].join('\n');
const pathsIn = (text: string): string[] => editsIn(text.split('\n')).map(({ path }) => path);

it.each([
  ['a name above the fence', `${block(['src/a.ts', '```ts'])}\n\`\`\``],
  ['a name with marks', `${block(['**src/a.ts**', '```ts'])}\n\`\`\``],
  ['a name as a heading', `${block(['### `src/a.ts`', '````ts'])}\n\`\`\`\``],
  ['a name in the fence', `${block(['```src/a.ts'])}\n\`\`\``],
  ['a name below the fence', `${block(['```', 'src/a.ts'])}\n\`\`\``],
  ['two blocks in one fence', `${block(['src/a.ts', '```ts'])}\n${block([])}\n\`\`\``],
  ['a block without its end', 'src/a.ts\n```\n<<<<<<< SEARCH\nold\n=======\nnew'],
])('reads %s', (_what, text) => {
  expect(new Set(pathsIn(text))).toEqual(new Set(['src/a.ts']));
  expect(withoutEdits(`Before.\n\n${text}`, () => true)).toBe('Before.\n\n(edit of src/a.ts)');
});

test('a proposal for a file that was not changed stays whole', () => {
  const text = `One:\n\n${block(['a.ts', '```'])}\n\`\`\`\n\nTwo:\n\n${block(['b.ts', '```'])}\n\`\`\`\n\nGood?`;
  expect(withoutEdits(text, (path) => path === 'a.ts')).toBe(
    `One:\n\n(edit of a.ts)\n\nTwo:\n\n${block(['b.ts', '```'])}\n\`\`\`\n\nGood?`,
  );
  expect(withoutEdits(text, () => false)).toBe(text);
});

test('the words around edits stay, and no line of an edit does', () => {
  const words = fc.stringMatching(/^[A-Za-z ]{1,40}[.]$/);
  const edit = fc.record({
    path: fc.stringMatching(/^[a-z]{1,8}\/[a-z]{1,8}\.ts$/),
    old: fc.array(fc.stringMatching(/^old [a-z<>=#` ]{0,20}$/), { maxLength: 4 }),
    fenced: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(words, edit), { maxLength: 6 }), words, (parts, last) => {
      const written = parts.map(([said, { path, old, fenced }]) => {
        const text = block(fenced ? [path, '```ts'] : [path], [...old, '=======', 'new']);
        return [said, '', fenced ? `${text}\n\`\`\`` : text, ''].join('\n');
      });
      const text = [...written, last].join('\n');
      expect(pathsIn(text)).toEqual(parts.map(([, { path }]) => path));
      expect(
        withoutEdits(text, () => true)
          .split(/\n+/)
          .map((line) => line.trim()),
      ).toEqual([...parts.flatMap(([said, { path }]) => [said, `(edit of ${path})`]), last].map((line) => line.trim()));
    }),
  );
});

test('a text of many marks takes time that grows with its size', () => {
  const text = '<<<<<<< SEARCH\n'.repeat(200_000);
  const start = performance.now();
  withoutEdits(text, () => true);
  editsIn('```\n'.repeat(200_000).split('\n'));
  expect(performance.now() - start).toBeLessThan(1_000);
});

test.each([
  [
    'a listing of a file that was written',
    'I do it.\n\nsrc/a.ts\n```ts\nconst a = 1;\n```\nDone.',
    'I do it.\n\n(edit of src/a.ts)\nDone.',
  ],
  ['a heading with marks', '**`src/a.ts`**:\n```\na\n```', '(edit of src/a.ts)'],
  ['a listing without its end', 'So:\nsrc/a.ts\n```\nconst a', 'So:\n(edit of src/a.ts)'],
  ['a listing of another file', 'src/b.ts\n```\nb\n```', 'src/b.ts\n```\nb\n```'],
  ['code below other words', 'Run this:\n```\nnpm test\n```', 'Run this:\n```\nnpm test\n```'],
])('of %s', (_what, text, told) => {
  expect(
    withoutEdits(
      text,
      () => false,
      (path) => path === 'src/a.ts',
    ),
  ).toBe(told);
});
