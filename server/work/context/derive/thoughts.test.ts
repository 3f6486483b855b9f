import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutThoughts } from './thoughts.ts';

const names = ['think', 'thinking', 'thought', 'reasoning', 'thinking-content-7bbeb8e1441453ad999a0bbba8a46d4b'];
const words = fc.stringMatching(/^[a-z .\n]{1,80}$/).filter((text) => text.trim() !== '');

test('of a message only what follows or precedes the thoughts stays, of whatever element they are', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.array(fc.tuple(words, words), { minLength: 1, maxLength: 4 }),
      (name, parts) => {
        const text = parts.map(([thought, answer]) => `<${name}>${thought}</${name}>${answer}`).join('');
        expect(withoutThoughts(text)).toBe(
          parts
            .map(([, answer]) => answer)
            .join('')
            .trim(),
        );
      },
    ),
  );
});

test.each([
  ['The tag <b>bold</b> stays.'],
  ['Use <thinkpad> and <thinking about it.'],
  ['<think>Only a thought, and no answer.</think>'],
  ['Before <think>without an end'],
])('%j stays as it is', (text) => {
  expect(withoutThoughts(text)).toBe(text);
});

test('takes away the headings of Aider with what is between them', () => {
  expect(withoutThoughts('--------------\n► **THINKING**\n\nhm\n\n------------\n► **ANSWER**\n\nIt is 3.')).toBe(
    'It is 3.',
  );
});

test('takes time that grows with the text, also for many beginnings without an end', () => {
  const text = '<think>'.repeat(100_000);
  const begun = performance.now();
  expect(withoutThoughts(text)).toBe(text);
  expect(performance.now() - begun).toBeLessThan(2_000);
});

test('the analysis before the summary of a conversation is a thought', () => {
  expect(withoutThoughts('\n<analysis>\nFirst ...\n</analysis>\n\n<summary>\n1. Request\n</summary>')).toBe(
    '<summary>\n1. Request\n</summary>',
  );
  expect(withoutThoughts('<analysis>All is well.</analysis> That is all.')).toContain('All is well.');
});
