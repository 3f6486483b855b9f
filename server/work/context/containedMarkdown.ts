import { fenceFor, inline, neutralise } from './neutralise.ts';

/**
 * Recorded text for a Markdown page. Keeps emphasis, lists and code. Escapes what could pass for the page itself or
 * reach outside: headings, tables, rules, HTML, images, link definitions.
 */
export function contained(text: string): string[] {
  let fence: string | null = null;
  const lines = neutralise(text)
    .split('\n')
    .map((line) => {
      if (fence !== null) {
        const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
        if (closing !== undefined && closing[0] === fence[0] && closing.length >= fence.length) fence = null;
        return line;
      }
      // Only at the margin: there, no earlier line can give the fence another meaning.
      fence = /^(`{3,}|~{3,})[\w+#. \t-]*$/.exec(line)?.[1] ?? null;
      return fence === null ? escapedLine(line) : line;
    });
  return fence === null ? lines : [...lines, fence];
}

const containers = /^(?:[ \t>]|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))*/;
/** A line of marks only: a rule, the underline of a heading, or an empty list entry. */
const marksOnly = /^[-+*_=>\d.) \t]*$/;
/** Headings of both kinds, rules, and the row that makes a table. */
const structure = /^(?:#{1,6}(?=[ \t]|$)|=+[ \t]*$|[-|: \t]*-[-|: \t]*$)/;

function escapedLine(line: string): string {
  if (marksOnly.test(line) && /[-+*_=]/.test(line)) return `${line.replace(/[-+*_=]/, '\\$&')}  `;
  const lead = containers.exec(line)?.[0] ?? '';
  const rest = line
    .slice(lead.length)
    .replace(/`{3,}|~{3,}/g, (run) => run.replace(/./g, '\\$&'))
    // An entity, not a backslash: a recorded backslash before it would cancel ours, and a bare address would show it.
    .replace(/<(?=[A-Za-z/!?])/g, '&lt;')
    .replace(/!\[/g, '!\\[')
    .replace(/\]:/g, ']\\:')
    .replace(/\]\((?!https?:\/\/)/g, ']\\(');
  if (structure.test(rest)) return `${lead}\\${rest}  `;
  return rest.startsWith('|') ? `${lead}${rest}  ` : lead + rest;
}

export const quoted = (text: string): string =>
  contained(text)
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');

export const entry = (mark: string, text: string): string => {
  const [first = '', ...rest] = contained(neutralise(text).trim() || '(blank)');
  const margin = ' '.repeat(mark.length + 1);
  return [`${mark} ${first}`, ...rest.map((line) => (line === '' ? '' : margin + line))].join('\n');
};

/** Text within a line of the page, with all markup escaped. */
export const plain = (text: string): string =>
  inline(text)
    .replace(/[\\`*[\]>|~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replaceAll('<', '&lt;')
    .replace(/^(?:[#+-]|\d+(?=[.)]))/, (start) => (/^\d/.test(start) ? `${start}\\` : `\\${start}`));

export function code(text: string): string {
  const line = inline(text);
  const ticks = '`'.repeat((line.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0) + 1);
  const padding = line === '' || /^`|`$/.test(line) ? ' ' : '';
  return `${ticks}${padding}${line}${padding}${ticks}`;
}

/** Text as a code block; its fence is longer than any in the text. */
export function codeBlock(text: string): string {
  const lines = neutralise(text).trimEnd();
  const fence = fenceFor([lines]);
  return `${fence}text\n${lines}\n${fence}`;
}

/** Inline code for a table cell, where a bar would end the cell. */
export const cellCode = (text: string): string => code(text).replaceAll('|', '\\|');
