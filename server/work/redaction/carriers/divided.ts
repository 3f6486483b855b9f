// Words that a terminal, a mail, a table or a programmer divided over lines.

/** The last word of a line, and what closes it. */
const ending = /(?<![\w.~+/=:-])(?<word>[\w.~+/=:-]{16,})(?:[ ]{0,7}(?<quote>["'`]))?[ \t]*[+.,\\|│┃]?[ \t]*$/;
/** A line of one word, alone or in the last cell of a row without others. */
const alone =
  /^[ \t#*]*(?:[|│┃][ \t]*)*(?<quote>["'`])?(?<word>[\w.~+/=-]{2,})[ ]{0,7}["'`]?[ \t]*[+.,;\\|│┃"'`)]*(?:[ \t]+https?:.*)?$/;
const isPlain = /^(?:[A-Z]?[a-z]+|[A-Z]+|[\w.-]+:|-+|=+)$|^[a-z]+(?:[._/-][A-Z]?[a-z]+)+$/;
const isSetting = /^[A-Z][A-Z_]+=/;

const longest = { line: 400, run: 4_096 };

interface Gap {
  index: number;
  length: number;
}

/** The gaps between the parts of words that go on in the next line. Of a longer run it returns those of its beginning. */
export function* gapsOf(page: string, startsToken: (text: string) => boolean): Generator<undefined, Gap[], void> {
  const gaps: Gap[] = [];
  let [runStart, lines] = [-1, 0];
  for (let at = page.indexOf('\n'), from = 0; at >= 0;) {
    lines += 1;
    if (lines % linesOfStep === 0) yield undefined;
    const next = page.indexOf('\n', at + 1);
    const gap = gapAt(page, from, at, next < 0 ? page.length : next, startsToken);
    if (gap === null) runStart = -1;
    else {
      if (runStart < 0) runStart = from;
      if (at - runStart < longest.run) gaps.push(gap);
    }
    [from, at] = [at + 1, next];
  }
  return gaps;
}

const linesOfStep = 200;

function gapAt(page: string, from: number, at: number, to: number, startsToken: (text: string) => boolean): Gap | null {
  if (to - at > longest.line || to - at < 5 || at - from < 16) return null;
  // Most lines have several words.
  const second = alone.exec(page.slice(at + 1, to));
  if (second === null) return null;
  const first = ending.exec(page.slice(Math.max(from, at - longest.line), at));
  if (first === null || first.groups!['quote'] !== second.groups!['quote']) return null;
  const [before, after] = [first.groups!['word']!, second.groups!['word']!];
  if (
    isPlain.test(before) ||
    isPlain.test(after) ||
    !/\d|[a-z][A-Z]/.test(before) ||
    isSetting.test(after) ||
    startsToken(after)
  )
    return null;
  if (after.length > Math.max(before.length, at - from)) return null;
  const index = at - first[0].length + before.length;
  return { index, length: at + 1 + second[0].indexOf(after) - index };
}
