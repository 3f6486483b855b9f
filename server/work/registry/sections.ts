import { Lexer, type Token, type Tokens } from 'marked';

/** A line of a list of collaborations. */
export interface Entry {
  name: string;
  when: string | null;
  line: number;
}

export interface Sections {
  /** Null: the text has no section or line `Collaborations`. */
  collaborations: Entry[] | null;
  /** Lines of lists of other agents in prose, which grant nothing. */
  prose: number[];
  /** The first heading of level 1; null without one. */
  title: string | null;
  /** The first paragraph before the first section that is no list of labels; null without one. */
  intro: string | null;
  /** Lines such as `**Role**: reviewer` before the first section, by lower-case name. */
  labels: Map<string, { text: string; line: number }>;
}

/** Whether a heading, the label of a line or a name in the front matter is one for collaborations, in any spelling: signs, spaces and capitals aside. */
export const isForCollaborations = (name: string): boolean =>
  /^(?:collaborations?(?:with)?|collaborators?|collaborat(?:es?|ing)with|hands?offto|handsoff)$/.test(
    name.replace(/[\P{L}]+/gu, '').toLowerCase(),
  );
const proseHeading = /^Integration with other agents\s*:?$/i;
const label = /^\s*(?:[-*+]\s+)?(?:\*\*|__)?([A-Za-z][A-Za-z _-]{0,30})(?:(?:\*\*|__)\s*:|:\s*(?:\*\*|__)|:)\s*(.*)$/;

/** Reads the parts of a text that matter. Blocks of code are never read. */
export function readSections(text: string, firstLine: number): Sections {
  const found: Sections = { collaborations: null, prose: [], title: null, intro: null, labels: new Map() };
  const add = (entries: Entry[]): void => void (found.collaborations = [...(found.collaborations ?? []), ...entries]);
  let section: { level: number; lists: number; paragraphs: Entry[] } | null = null;
  const endSection = (): void => {
    // A list says more than the sentences around it.
    if (section !== null) add(section.lists > 0 ? [] : section.paragraphs);
    section = null;
  };
  let sections = 0;
  let expectsProse = false;
  let line = firstLine;
  for (const token of blocksOf(text)) {
    const at = line;
    line += newlines(token.raw);
    if (token.type === 'space') continue;
    if (token.type === 'heading') {
      const { depth, text: words } = token as Tokens.Heading;
      const plain = unmarked(words);
      if (depth === 1 && found.title === null) found.title = plain;
      if (depth > 1) sections += 1;
      if (section !== null && depth > (section as { level: number }).level) continue;
      endSection();
      if (isForCollaborations(plain)) section = { level: depth, lists: 0, paragraphs: [] };
      expectsProse = proseHeading.test(plain);
      continue;
    }
    const rows = rowsOf(token, at);
    if (token.type === 'paragraph' || token.type === 'text') {
      const plain = unmarked(token.raw.trim());
      if (isForCollaborations(plain) && section === null) {
        section = { level: 7, lists: 0, paragraphs: [] };
        continue;
      }
      if (proseHeading.test(plain)) {
        expectsProse = true;
        continue;
      }
    }
    if (section !== null) {
      const isList = token.type === 'list' || token.type === 'table';
      if (isList) {
        section.lists += 1;
        add(
          rows.flatMap((row) =>
            row.cells === undefined ? entriesOf([row.text], row.line) : [entryOfCells(row.cells, row.line)],
          ),
        );
      } else if (token.type === 'paragraph' && !/:\s*$/.test(token.raw)) {
        section.paragraphs.push(...entriesOf(splitList(token.raw), at));
      }
      // A line `Collaborations:` introduces only what follows it.
      if (section.level === 7) endSection();
      continue;
    }
    if (expectsProse && token.type === 'list') found.prose.push(at);
    if (token.type !== 'paragraph' && token.type !== 'list') continue;
    if (
      token.type === 'paragraph' &&
      sections === 0 &&
      found.intro === null &&
      !rows.some(({ text: row }) => label.test(row))
    )
      found.intro = token.raw.trim();
    for (const row of rows) {
      const [, name = '', value = ''] = label.exec(row.text) ?? [];
      if (isForCollaborations(name) && value.trim() !== '') add(entriesOf(splitList(value), row.line));
      else if (name !== '' && sections === 0 && !found.labels.has(name.toLowerCase()))
        found.labels.set(name.toLowerCase(), { text: unmarked(value), line: row.line });
    }
  }
  endSection();
  return found;
}

/**
 * Whether quotations and lists could nest deeper than in any text that people read. The lexer is recursive, and V8 ends the
 * process when the stack overflows while a regular expression is compiled: catching RangeError is not enough.
 */
export const isDeep = (text: string): boolean =>
  /^(?![-*_ \t]*$)(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){30}/m.test(text);

function blocksOf(text: string): Token[] {
  const tokens: Token[] = [];
  // Without `lex` no inline text is parsed.
  new Lexer().blockTokens(text, tokens);
  return tokens;
}

interface Row {
  text: string;
  line: number;
  cells?: string[];
}

/** The items of a list, the rows of a table, or the lines of a paragraph. */
function rowsOf(token: Token, at: number): Row[] {
  if (token.type === 'list') {
    let line = at;
    return (token as Tokens.List).items.map((item) => {
      const row = { text: textOfItem(item), line };
      line += newlines(item.raw);
      return row;
    });
  }
  if (token.type === 'table') {
    return (token as Tokens.Table).rows.map((row, index) => ({
      text: '',
      line: at + 2 + index,
      cells: row.map((cell) => cell.text),
    }));
  }
  return token.type === 'paragraph' ? token.raw.split('\n').map((text, index) => ({ text, line: at + index })) : [];
}

/** The text of an item without the lists below it. */
const textOfItem = ({ tokens, text }: Tokens.ListItem): string =>
  tokens.find(({ type }) => type === 'text' || type === 'paragraph')?.raw ?? text.split('\n')[0]!;

const newlines = (text: string): number => text.split('\n').length - 1;

/** Splits "A (b, c), D" at the commas and semicolons outside parentheses. */
export function splitList(text: string): string[] {
  const parts = [''];
  let open = 0;
  for (const character of text) {
    if (character === '(') open += 1;
    if (character === ')') open = Math.max(0, open - 1);
    if (open === 0 && /[,;]/.test(character)) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

export const entriesOf = (texts: readonly string[], line: number): Entry[] =>
  texts.map((text) => entryOf(text, line)).filter(({ name }) => name !== '' && !/^(?:none|n\/a|-)$/i.test(name));

/** Longest entry that is taken apart. */
const maxEntry = 2_000;

/** Reads "Name (what for)", "**Name**: what for", "Name - what for", or a name. */
function entryOf(text: string, line: number): Entry {
  const plain = text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/^[-*+] /, '');
  if (plain.length > maxEntry) return { name: plain, when: null, line };
  const marked = /^(?:\*\*(.+?)\*\*|__(.+?)__|`([^`]+)`|\[([^\]]+)\](?:\([^)]*\))?)(.*)$/.exec(plain);
  if (marked !== null)
    return { name: unmarked(marked[1] ?? marked[2] ?? marked[3] ?? marked[4]!), when: reasonOf(marked[5]!), line };
  const end = plain.search(/ ?\(|:(?: |$)| [-–—→]+ | -> /);
  return end < 0
    ? { name: unmarked(plain), when: null, line }
    : { name: unmarked(plain.slice(0, end)), when: reasonOf(plain.slice(end)), line };
}

const entryOfCells = ([name = '', ...when]: string[], line: number): Entry => ({
  name: unmarked(name),
  when: reasonOf(when.join(' ')),
  line,
});

function reasonOf(text: string): string | null {
  const plain = text.replace(/^(?:[\s:–—→-]|->)+/, '').trim();
  const inner = /^\((.*)\)\.?$/.exec(plain)?.[1] ?? plain;
  return unmarked(inner) || null;
}

/** Removes marks of emphasis, code and links, a leading '@' and a final colon or full stop. */
function unmarked(text: string): string {
  return text
    .slice(0, maxEntry)
    .replace(/\[([^\]]{1,200})\]\([^)]{0,500}\)/g, '$1')
    .replace(/\*\*|__|`/g, '')
    .replace(/^[\s@*_]+|[\s:.*_]+$/g, '');
}
