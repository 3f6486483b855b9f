/** An edit that an agent wrote in its message: a SEARCH/REPLACE block with the line that names its file. */
export interface TextEdit {
  path: string;
  /** The first line of it, and the first after it. */
  from: number;
  to: number;
}

const head = /^<{5,9} SEARCH>?\s*$/;
const end = /^>{5,9} REPLACE\s*$/;
const fence = /^\s*(?:```|~~~)/;
const closing = /^\s*(?:`{3,}|~{3,})\s*$/;
/** The file may stand in the fence: "```src/a.ts". */
const inFence = /^\s*(?:```|~~~)\s*(\S*[./]\S*)\s*$/;

/** A name alone on its line, without the marks around it. */
const nameIn = (line: string): string =>
  line
    .trim()
    .replace(/:+$/, '')
    .replace(/^#+/, '')
    .trim()
    .replace(/^[`*]+|[`*]+$/g, '');
const isName = (name: string): boolean => name !== '' && name !== '...' && name.length <= 500;

/** The SEARCH/REPLACE blocks of a text in order; one without a name is of the file before. The last one may lack its end. */
export function editsIn(lines: readonly string[]): TextEdit[] {
  const edits: TextEdit[] = [];
  let path = '';
  for (let at = 0; at < lines.length; at += 1) {
    if (!head.test(lines[at]!)) continue;
    let from = at;
    let named = '';
    const first = edits.at(-1)?.to ?? 0;
    // Aider looks for the name in the three lines above, past fences.
    while (from > first && at - from < 3 && named === '') {
      const above = lines[from - 1]!;
      const name = fence.test(above) ? (inFence.exec(above)?.[1] ?? '') : nameIn(above);
      if (!fence.test(above) && (!isName(name) || end.test(above))) break;
      if (isName(name)) named = name;
      from -= 1;
    }
    if (named !== '' && from > first && from < at && fence.test(lines[from - 1]!)) from -= 1;
    path = named || path;
    let to = at + 1;
    while (to < lines.length && !end.test(lines[to - 1]!)) to += 1;
    if (to < lines.length && closing.test(lines[to]!)) to += 1;
    edits.push({ path, from, to });
    at = to - 1;
  }
  return edits;
}

/** The listings of whole files in a text: a name alone on its line, and a block of code directly below. */
function listingsIn(lines: readonly string[], isWritten: (path: string) => boolean): TextEdit[] {
  const listings: TextEdit[] = [];
  for (let at = 1; at < lines.length; at += 1) {
    if (!fence.test(lines[at]!)) continue;
    const path = nameIn(lines[at - 1]!);
    let to = at + 1;
    while (to < lines.length && !closing.test(lines[to]!)) to += 1;
    if (isName(path) && isWritten(path)) listings.push({ path, from: at - 1, to: Math.min(to + 1, lines.length) });
    at = to;
  }
  return listings;
}

/**
 * A text with the name of the file instead of each such block of which `isTold` says that the file is told elsewhere, and instead of
 * each listing of a file that was written from this text.
 */
export function withoutEdits(
  text: string,
  isTold: (path: string) => boolean,
  isWritten: (path: string) => boolean = () => false,
): string {
  const lines = text.split('\n');
  const blocks = text.includes(' SEARCH') ? editsIn(lines).filter(({ path }) => isTold(path)) : [];
  const found = blocks.length > 0 ? blocks : listingsIn(lines, isWritten);
  const kept: string[] = [];
  let next = 0;
  for (const { path, from, to } of found) {
    const between = lines.slice(next, from);
    const note = `(edit of ${path})`;
    const isRepeated = kept.at(-1) === note && between.every((line) => line.trim() === '');
    if (!isRepeated) kept.push(...between, note);
    next = to;
  }
  return next === 0 ? text : [...kept, ...lines.slice(next)].join('\n').trim();
}
