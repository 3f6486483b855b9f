export const cjk = /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]/gu;

/** A part of a text, in UTF-16 code units. */
export interface Mark {
  start: number;
  end: number;
}

const accents = /[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f\u0670]+/g;
const letters: Record<string, string> = {
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ς: 'σ',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
};
const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** In lower case and without accents, as the function search_folded of the database says it. */
const folded = (text: string): string =>
  isAscii(text)
    ? text.toLowerCase()
    : text
        .toLowerCase()
        .normalize('NFKD')
        .replace(accents, '')
        .replace(/[øđłħŧıςßæœ]/g, (letter) => letters[letter]!);

/** The words of a query in lower case and without accents, as the function search_text of the database cuts them. */
export const wordsIn = (query: string): string[] =>
  folded(query)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(cjk, ' $& ')
    .split(' ')
    .filter((word) => word !== '');

/** Where a text has any of the words, in order. */
export type Finder = (text: string) => Mark[];

/** Finds each of the words as a word or as a part of a name such as `refreshToken`, the last one also as the beginning of one. Null without words. */
export function finderOf(words: readonly string[]): Finder | null {
  const last = words.at(-1);
  if (last === undefined) return null;
  const whole = new Set(words);
  const isPrefix = !isCjk(last);
  const isFound = (text: string): boolean => {
    const word = folded(text);
    return whole.has(word) || (isPrefix && word.startsWith(last));
  };
  return (text) =>
    [...text.matchAll(runs)].flatMap(({ 0: run, index }) => {
      if (isFound(run)) return [{ start: index, end: index + run.length }];
      const marks: Mark[] = [];
      let start = index;
      const parts = run.split(borders);
      for (const part of parts) {
        if (parts.length > 1 && isFound(part)) marks.push({ start, end: start + part.length });
        start += part.length;
      }
      return marks;
    });
}

const isCjk = (word: string): boolean => word.replace(cjk, '') === '';
const runs =
  /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|(?:(?![\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])[\p{L}\p{N}\p{M}])+/gu;
/** The parts of a name, as the function search_parts of the database cuts them. */
const borders = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
