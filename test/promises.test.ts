import { existsSync, readFileSync } from 'node:fs';
import { lexer, type Token, type Tokens } from 'marked';
import { describe, expect, it } from 'vitest';

/**
 * A promise of these documents ends with a note, `[^name]`. Its definition names the tests that show it:
 * [^name]: `folder/file.test.ts` › "title of a test or a group", "another title"; `folder/other.test.ts` › "title"
 */
const documents = ['docs/failures.md', 'docs/operations.md', 'docs/protection.md'];
/** Measurements, what was tried by hand, and what is not promised. */
const exempt = new Set(['Under attack', 'What Baton does not protect from', 'Containers']);
/** Sections of `docs/operations.md` whose tables are promises; those of the others all are. */
const promised = new Set(['Limits']);
/** A paragraph with one of these words says what happens under a fault. */
const fault =
  /\b(SIGTERM|SIGKILL|kill(s|ed)?|crash(es|ed)?|dies|full disk|(is|are|may be) away|loses?|lost|missing|fails|revoked|does not start|UNAVAILABLE|CURSOR_EXPIRED)\b/i;

interface Passage {
  heading: string;
  kind: 'row' | 'prose';
  text: string;
}

const definition = /^\[\^([\w-]+)\]: (.+)$/gm;
const references = (text: string): string[] => [...text.matchAll(/\[\^([\w-]+)\](?!:)/g)].map(([, name]) => name!);

function passagesOf(text: string): Passage[] {
  let heading = '';
  const passages: Passage[] = [];
  const add = (token: Token): void => {
    if (token.type === 'heading') heading = (token as Tokens.Heading).text;
    if (token.type === 'paragraph') passages.push({ heading, kind: 'prose', text: token.raw });
    if (token.type === 'list')
      for (const { raw } of (token as Tokens.List).items) passages.push({ heading, kind: 'prose', text: raw });
    if (token.type === 'table')
      for (const row of (token as Tokens.Table).rows)
        passages.push({ heading, kind: 'row', text: row.map((cell) => cell.text).join(' | ') });
  };
  lexer(text.replaceAll(definition, '')).forEach(add);
  return passages;
}

/** What a note names: `[file, title]` of each test. */
const testsOf = (note: string): [string, string][] =>
  note.split('; `').flatMap((part) => {
    const [, file, titles] = /^`?([\w./-]+)` › "(.+)"$/.exec(part) ?? [];
    return file === undefined ? [[part, '']] : titles!.split('", "').map((title): [string, string] => [file, title]);
  });

const sources = new Map<string, string>();
function isThere([file, title]: [string, string]): boolean {
  if (!/\.test\.ts$/.test(file) || !existsSync(file)) return false;
  const source = sources.get(file) ?? readFileSync(file, 'utf8').replaceAll('\\', '');
  sources.set(file, source);
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote},`));
}

describe.each(documents)('%s', (file) => {
  const text = readFileSync(file, 'utf8');
  const notes = [...text.matchAll(definition)].map(([, name, note]) => ({ name: name!, note: note! }));
  const passages = passagesOf(text);

  it('names a test for each row of a table of promises', () => {
    const rows = passages.filter(
      ({ kind, heading }) =>
        kind === 'row' && (file === 'docs/operations.md' ? promised.has(heading) : !exempt.has(heading)),
    );
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.filter(({ text }) => references(text).length === 0)).toEqual([]);
  });

  it('names a test for each paragraph about a fault', () => {
    const about = passages.filter(
      ({ kind, heading, text }) => kind === 'prose' && !exempt.has(heading) && fault.test(text),
    );
    expect(about.filter(({ text }) => references(text).length === 0)).toEqual([]);
  });

  it('has each note once, and uses it', () => {
    const used = new Set(passages.flatMap(({ text }) => references(text)));
    expect(notes.map(({ name }) => name).sort()).toEqual([...used].sort());
  });

  it('names tests that exist', () => {
    expect(notes.flatMap(({ note }) => testsOf(note)).filter((named) => !isThere(named))).toEqual([]);
  });
});
