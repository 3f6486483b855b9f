/**
 * Recorded text as it may stand in a prompt or a page: without what is not seen. Zero-width and tag characters can
 * hide instructions, bidirectional controls can show a text in another order than it has, escape codes can rewrite a
 * terminal. What only styles is taken out; any other run of them becomes one U+FFFD, so that it is seen that
 * something was there. Joiners stay in emoji that they make. A text never grows by it, and what is neutralised already stays as it is.
 */
export function neutralise(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029\u0085\v\f]/g, '\n')
    .replace(ansiStyle, '')
    .replace(/(?<![\uFE00-\uFE0F])[\uFE0E\uFE0F](?![\uFE00-\uFE0F])/g, '')
    .replace(joinsNothing, '')
    .replace(unseen, '\uFFFD')
    .replace(/`{6,}/g, `${'`'.repeat(longestFence - 1)}…`);
}

/** Longer runs of backticks are cut, so that a fence of this length closes only where it is meant to. */
export const longestFence = 6;

const ansiStyle = /\u001B\[[0-9;]*m/g;
// Makes one picture of several: a family, a profession, a flag.
const joiner = '(?<=\\p{Extended_Pictographic}[\\u{1F3FB}-\\u{1F3FF}]?)\\u200D(?=\\p{Extended_Pictographic})';
const joinsNothing = new RegExp(`(?<=[^\\0-\\x7F\\p{Surrogate}])(?!${joiner})[\\u200C\\u200D](?=[^\\0-\\x7F\\p{Surrogate}])|\\u00AD`, 'gu');
const unseen = new RegExp(`(?:(?![\\n\\t]|${joiner})[\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Surrogate}\\uFFF9-\\uFFFB\\u{E0000}-\\u{E0FFF}])+`, 'gu');

/** The same on one line. */
export const inline = (text: string): string => neutralise(text).replace(/\s+/g, ' ').trim();

/** A fence that none of these neutralised texts can close. */
export function fenceFor(texts: readonly string[]): string {
  const runs = texts.flatMap((text) => text.match(/`{3,}/g) ?? []);
  return '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length + 1), 3));
}
