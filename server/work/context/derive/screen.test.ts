import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { screen } from './screen.ts';

const esc = '\u001B';

it.each([
  ['colours', `${esc}[1;31mError${esc}[0m: no such file`, 'Error: no such file'],
  ['progress', 'Downloading 1%\rDownloading 50%\rDownloading 100%\nDone', 'Downloading 100%\nDone'],
  ['progress that is erased', `Fetching 12 of 80${esc}[2K\r${esc}[KDone`, 'Done'],
  ['a shorter line over a longer one', 'abcdef\rxy', 'xycdef'],
  ['lines of Windows', 'one\r\ntwo\r\n', 'one\ntwo\n'],
  ['a spinner of several lines', `a ...\nb ...\n${esc}[2A${esc}[Ka done\n${esc}[Kb done\n`, 'a done\nb done\n'],
  ['a list that is written again', `one\ntwo\n${esc}[2F${esc}[0JDone\n`, 'Done\n'],
  ['a screen that is cleared', `old\nolder\n${esc}[2J${esc}[3J${esc}[Hnew`, 'new'],
  ['a letter that was deleted', 'cat\b \bp', 'cap'],
  ['a link and a title', `${esc}]0;title\u0007see ${esc}]8;;https://a.b${esc}\\here${esc}]8;;${esc}\\`, 'see here'],
  ['a cursor that is hidden', `${esc}[?25lready${esc}[?25h`, 'ready'],
  ['a kept place', `${esc}7one${esc}8two`, 'two'],
  ['a sequence that was cut', `done ${esc}[3`, 'done'],
  ['a character of two units', '👍\r👎', '👎'],
])('shows %s as a terminal does', (_what, text, shown) => {
  expect(screen(text)).toBe(shown);
});

test('a text without controls is as it is', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[ -~\n\täü👍]*$/), (text) => {
      expect(screen(text)).toBe(text);
    }),
  );
});

test('the last of any number of equally long states of a line stays', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-z0-9%]{12}$/), { minLength: 1, maxLength: 20 }),
      fc.nat(4),
      (states, kind) => {
        const before = ['\r', `\r${esc}[K`, `${esc}[2K\r`, `${esc}[1G`, '\b'.repeat(12)][kind]!;
        expect(screen(`head\n${states.join(before)}\nfoot\r\n`)).toBe(`head\n${states.at(-1)!}\nfoot\n`);
      },
    ),
  );
});

test.each([
  '\r',
  'x\r',
  `${esc}[2K`,
  `${esc}[999999C x`,
  `${esc}[999999B`,
  `${esc}]`,
  `${esc}[;;;;`,
  'x\n\u001B[A',
  '\b',
])('takes time that grows with the size of a text of %j', (unit) => {
  const text = `${'y'.repeat(100_000)}${unit.repeat(200_000)}`;
  const start = performance.now();
  screen(text);
  expect(performance.now() - start).toBeLessThan(2_000);
});
