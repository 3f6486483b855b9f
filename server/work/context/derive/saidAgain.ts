/** Lines of the newest words that are compared, by the words in them. */
const linesPerWord = 8;
const leastWords = 4;
const sharedWords = 0.7;

const codeSpan = /`([^`\n]{1,200})`/g;
/** `src/a.ts:12` and `src/a.ts` name the same. */
const withoutPlace = (name: string): string => name.replace(/:\d[\d,:-]*$/, '');
/** Letters without spaces between words count in pairs; a short word tells little. */
const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{2,}|\p{N}[\p{L}\p{N}]*|\p{L}[\p{L}\p{N}]{3,}/gu;
const withNumber = /(?<![\p{L}\p{N}-])[\p{L}-]*\p{N}[\p{L}\p{N}-]*/gu;
const dense = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const heading = /^\s*(?:#{1,6} |\*\*[^*]+\*\*:?\s*$)/;
/** What it lists stands below it. */
const leads = /[:：]\**\s*$/;

/** Stands for lines that are left out. */
const leftOutMark = '[…]';

interface Line {
  words: Set<string>;
  /** What another line has to have too: names in code, and words with a digit. */
  names: Set<string>;
}

const nothing: Line = { words: new Set(), names: new Set() };

function lineOf(text: string): Line {
  if (text.trim() === '') return nothing;
  const names = new Set([...text.matchAll(codeSpan)].map(([, name]) => withoutPlace(name!)));
  const words = new Set<string>();
  const plain = text.includes('`') ? text.replace(codeSpan, ' ') : text;
  for (const found of plain.match(withNumber) ?? []) names.add(found.toLowerCase());
  for (const found of plain.toLowerCase().match(word) ?? [])
    if (!dense.test(found)) words.add(found);
    else for (let at = 0; at + 2 <= found.length; at += 1) words.add(found.slice(at, at + 2));
  return { words, names };
}

/** `config get` and `get` name the same. */
const isAmong = (name: string, names: ReadonlySet<string>): boolean =>
  names.has(name) || [...names].some((other) => other.endsWith(` ${name}`) || name.endsWith(` ${other}`));

/** Later words, by which older ones are known to be said again. */
export class LaterWords {
  readonly #lines: Line[] = [];
  readonly #byWord = new Map<string, number[]>();
  readonly #known = new Map<string, Line>();

  /**
   * A text without its lines that a later one says again: with most of their words, and all that they name in code. A title without a line below it
   * goes with them. The text then counts as later than the next one.
   */
  without(text: string): string {
    const lines = text.split('\n');
    const read = lines.map((line) => this.#read(line));
    const kept: string[] = [];
    let below = { kept: false, leftOut: false };
    for (let at = lines.length - 1; at >= 0; at -= 1) {
      const line = lines[at]!;
      const isHeading = heading.test(line);
      const isTitle = isHeading || leads.test(line);
      const isLeftOut = isTitle ? below.leftOut && !below.kept : this.#saysAgain(read[at]!);
      if (!isLeftOut) kept.push(line);
      else if (kept.at(-1) !== leftOutMark) kept.push(leftOutMark);
      if (isHeading) below = { kept: false, leftOut: false };
      else if (isLeftOut) below.leftOut = true;
      else if (line.trim() !== '') below.kept = true;
    }
    for (const line of read) this.#add(line);
    if (!kept.includes(leftOutMark)) return text;
    if (kept.every((line) => line.trim() === '' || line === leftOutMark)) return '';
    return kept
      .toReversed()
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }

  /** What is said again is there more than once. */
  #read(line: string): Line {
    const known = this.#known.get(line) ?? lineOf(line);
    this.#known.set(line, known);
    return known;
  }

  #saysAgain({ words, names }: Line): boolean {
    if (words.size + names.size < leastWords) return false;
    const shared = new Map<number, number>();
    for (const each of words) for (const at of this.#byWord.get(each) ?? []) shared.set(at, (shared.get(at) ?? 0) + 1);
    return [...shared].some(
      ([at, count]) =>
        count >= words.size * sharedWords && [...names].every((name) => isAmong(name, this.#lines[at]!.names)),
    );
  }

  #add(line: Line): void {
    if (line.words.size + line.names.size < leastWords) return;
    const at = this.#lines.push(line) - 1;
    for (const each of line.words) {
      const known = this.#byWord.get(each);
      if (known === undefined) this.#byWord.set(each, [at]);
      else if (known.length < linesPerWord) known.push(at);
    }
  }
}
