/**
 * Recorded text without invisible characters, for a prompt or a page. Zero-width and tag characters can hide
 * instructions, bidirectional controls can reorder text, escape codes can rewrite a terminal. Characters that only
 * style are removed; any other run becomes one U+FFFD, as a visible mark. Emoji keep their joiners. Never makes a text
 * longer, and is idempotent.
 */
export const neutralise = (text: string): string => (suspicious.test(text) ? cleaned(text) : text);

// Without a match nothing is changed. Half of the time of a large prompt went into looking for what was not there.
const suspicious = /[^\t\n -~\u00A1-\u00AC\u00AE-\u02FF\u2010-\u2027\u2030-\u205E\u2190-\u25FF]|`{6}/;

function cleaned(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029\u0085\v\f]/g, '\n')
    .replace(ansiStyle, '')
    .replace(/(?<![\uFE00-\uFE0F])[\uFE0E\uFE0F](?![\uFE00-\uFE0F])/g, '')
    .replace(joinsNothing, '')
    .replace(unseen, '\uFFFD')
    .replace(/`{6,}/g, `${'`'.repeat(longestFence - 1)}…`);
}

/** Longer runs of backticks are cut, so that recorded text cannot close a fence of this length. */
export const longestFence = 6;

const ansiStyle = /\u001B\[[0-9;]*m/g;
// A joiner that combines several emoji into one.
const joiner = '(?<=\\p{Extended_Pictographic}[\\u{1F3FB}-\\u{1F3FF}]?)\\u200D(?=\\p{Extended_Pictographic})';
const joinsNothing = new RegExp(
  `(?<=[^\\0-\\x7F\\p{Surrogate}])(?!${joiner})[\\u200C\\u200D](?=[^\\0-\\x7F\\p{Surrogate}])|\\u00AD`,
  'gu',
);
const unseen = new RegExp(
  `(?:(?![\\n\\t]|${joiner})[\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Surrogate}\\uFFF9-\\uFFFB\\u{E0000}-\\u{E0FFF}])+`,
  'gu',
);

export const inline = (text: string): string => neutralise(text).replace(/\s+/g, ' ').trim();

/** A recorded text as a quotation within a line of ours, without line breaks, quotation marks and invisible characters. */
export function quoted(text: string, most: number): string {
  const line = inline(text).replace(/["“”]/g, "'");
  return `"${line.length > most ? `${line.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…` : line}"`;
}

/** Returns a fence that none of these neutralised texts can close. */
export function fenceFor(texts: readonly string[]): string {
  const runs = texts.flatMap((text) => text.match(/`{3,}/g) ?? []);
  return '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length + 1), 3));
}
