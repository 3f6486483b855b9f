import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitShell } from './shell.ts';

const shown = (line: string): string[] =>
  splitShell(line).map(({ words, joiner }) => `${words.join('|')}${joiner === '' ? '' : ` ${joiner}`}`);

test.each([
  ['npm test', ['npm|test']],
  ['cd app && npm test 2>&1 | tail -5; echo done', ['cd|app &&', 'npm|test |', 'tail|-5 ;', 'echo|done']],
  [`echo "a && b" 'c; d' e\\ f`, ['echo|a && b|c; d|e f']],
  ['a || b & c\nd', ['a ||', 'b &', 'c ;', 'd']],
  ['npm test > out.txt 2>/dev/null </dev/null &>> all.log', ['npm|test']],
  ['a &&\n  b # not this\n# nor this\nc', ['a &&', 'b ;', 'c']],
  ['a \\\n  b', ['a|b']],
  ['(cd x; make)', ['cd|x ;', 'make ;']],
  ['echo $(git log | head) `date; date`', ['echo|$()|date; date']],
])('splits %j', (line, commands) => {
  expect(shown(line)).toEqual(commands);
});

test('keeps words as written, and separates the files of redirections', () => {
  expect(splitShell(`npm test -- -t "two words" >> 'log file.txt' 2>&1`)).toEqual([
    {
      words: ['npm', 'test', '--', '-t', 'two words'],
      text: 'npm test -- -t "two words"',
      writes: ['log file.txt'],
      appends: ['log file.txt'],
      input: '',
      joiner: '',
    },
  ]);
});

test('reads a here document as input, not as commands', () => {
  const [cat, test] = splitShell(`cat <<'EOF' > notes.md\nnpm test && rm -rf "\nEOF\nnpm test`);
  expect(cat).toMatchObject({ words: ['cat'], writes: ['notes.md'], input: 'npm test && rm -rf "\n' });
  expect(test?.words).toEqual(['npm', 'test']);
});

test('accepts any commit message in a substitution', () => {
  expect(
    shown(`git add a && git commit -m "$(cat <<'EOF'\nfix: it's (half) "done\n\nnpm test && more\nEOF\n)" && git push`),
  ).toEqual(['git|add|a &&', 'git|commit|-m| &&', 'git|push']);
});

test('splits any line, and gives text to every command with words', () => {
  const pieces = fc.array(
    fc.constantFrom(
      'a',
      ' ',
      '\n',
      "'",
      '"',
      '\\',
      '$(',
      ')',
      '(',
      '<<',
      'EOF',
      '>',
      '<',
      '&',
      '|',
      ';',
      '`',
      '#',
      '2',
      '-',
      '\u{1F600}',
    ),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(pieces, (parts) => {
      const line = parts.join('');
      for (const { words, text } of splitShell(line)) expect(words.length === 0 || text.length > 0).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test.each(['$(', '"$(', '<<A ', '<<A\n', "'", '"', '`', '(', '((', '$(<<A\n', '>', 'a;', '\\', '#\n', 'a<<A\nb\n'])(
  'splits a long line of %j in time proportional to its length',
  (piece) => {
    const took = (times: number): number => {
      const line = piece.repeat(times);
      const from = process.cpuUsage();
      splitShell(line);
      const { user, system } = process.cpuUsage(from);
      return (user + system) / 1_000;
    };
    took(10_000);
    const [one, four] = [
      Math.min(took(10_000), took(10_000), took(10_000)),
      Math.min(took(40_000), took(40_000), took(40_000)),
    ];
    expect(four).toBeLessThan(one * 8 + 50);
  },
);
