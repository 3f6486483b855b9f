export const cjk = /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]/gu;

/** The words of a query in lower case, as the function search_text of the database cuts them. */
export const wordsIn = (query: string): string[] =>
  query
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(cjk, ' $& ')
    .split(' ')
    .filter((word) => word !== '');

/** Finds each of the words in a text, the last one also as the beginning of a word; null without words. */
export function patternOf(words: readonly string[]): RegExp | null {
  const last = words.at(-1);
  if (last === undefined) return null;
  const whole = [...new Set(words.slice(0, -1))].map((word) => (isCjk(word) ? word : `${begin}${word}${end}`));
  return new RegExp([...whole, isCjk(last) ? last : `${begin}${last}[\\p{L}\\p{N}]*`].join('|'), 'giu');
}

const isCjk = (word: string): boolean => word.replace(cjk, '') === '';
const begin = '(?<![\\p{L}\\p{N}])';
const end = '(?![\\p{L}\\p{N}])';
