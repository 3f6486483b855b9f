import { fenceFor, inline, neutralise } from './neutralise.ts';

/**
 * Recorded text inside of a Markdown page. It keeps what makes it readable (emphasis, lists, code) and loses what
 * would make it look like the page itself or reach out of it: headings, tables, rules, HTML, images, link definitions.
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
      // Only at the margin, where nothing that came before can make it anything else than the start of a code block.
      fence = /^(`{3,}|~{3,})[\w+#. \t-]*$/.exec(line)?.[1] ?? null;
      return fence === null ? escapedLine(line) : line;
    });
  return fence === null ? lines : [...lines, fence];
}

const containers = /^(?:[ \t>]|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))*/;
/** A line of nothing but marks: a rule, the line below a heading, an empty entry that makes a heading of the line before it. */
const marksOnly = /^[-+*_=>\d.) \t]*$/;
/** Headings of both kinds, rules, the row that makes a table. */
const structure = /^(?:#{1,6}(?=[ \t]|$)|=+[ \t]*$|[-|: \t]*-[-|: \t]*$)/;

function escapedLine(line: string): string {
  if (marksOnly.test(line) && /[-+*_=]/.test(line)) return `${line.replace(/[-+*_=]/, '\\$&')}  `;
  const lead = containers.exec(line)?.[0] ?? '';
  const rest = line
    .slice(lead.length)
    .replace(/`{3,}|~{3,}/g, (run) => run.replace(/./g, '\\$&'))
    // Not a backslash: one that was recorded before it would take it away, and a bare address would keep it.
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

/** One entry of a list, however many lines it has. */
export const entry = (mark: string, text: string): string => {
  const [first = '', ...rest] = contained(neutralise(text).trim() || '(blank)');
  const margin = ' '.repeat(mark.length + 1);
  return [`${mark} ${first}`, ...rest.map((line) => (line === '' ? '' : margin + line))].join('\n');
};

/** Text in a line of the page: nothing in it is markup. */
export const plain = (text: string): string =>
  inline(text)
    .replace(/[\\`*[\]>|~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replaceAll('<', '&lt;')
    .replace(/^(?:[#+-]|\d+(?=[.)]))/, (start) => (/^\d/.test(start) ? `${start}\\` : `\\${start}`));

/** Text as code in a line of the page. */
export function code(text: string): string {
  const line = inline(text);
  const ticks = '`'.repeat((line.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0) + 1);
  const padding = line === '' || /^`|`$/.test(line) ? ' ' : '';
  return `${ticks}${padding}${line}${padding}${ticks}`;
}

/** Text of several lines as code: the fence is longer than any in it. */
export function codeBlock(text: string): string {
  const lines = neutralise(text).trimEnd();
  const fence = fenceFor([lines]);
  return `${fence}text\n${lines}\n${fence}`;
}

/** A line of code in a cell of a table, where a bar would end it. */
export const cellCode = (text: string): string => code(text).replaceAll('|', '\\|');
