/** A secret in a text. */
export interface Finding {
  /** What it is, in words: `github token`. */
  kind: string;
  /** Where the match begins: before the secret itself when a name or a header tells what it is. */
  from: number;
  start: number;
  end: number;
}

/** A secret that a pattern describes. What group 1 matches stays: the name, the header, the way up to the secret. */
export interface Rule {
  kind: string;
  /** One of these stands in every text that the pattern matches; without any of them the pattern is not tried. */
  hints?: readonly string[];
  /** With the flag `g`. Every repetition is bounded, or begins where nothing of its class stands before it: time stays linear. */
  pattern: RegExp;
  /** What may not stand directly before a match. Here and not in the pattern: a pattern that begins with its letters is ten times as fast. */
  notAfter?: RegExp;
  /** Says that a match is harmless after all. */
  except?: (secret: string) => boolean;
}

export function* findByRule({ kind, pattern, notAfter, except }: Rule, text: string): Generator<Finding> {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const from = match.index;
    if (notAfter?.test(text[from - 1] ?? '') === true && !followsEscape(text, from)) {
      pattern.lastIndex = from + 1;
      continue;
    }
    const start = from + (match[1]?.length ?? 0);
    const end = from + match[0].length;
    if (end === start || text.startsWith('[redacted: ', start)) continue;
    if (except?.(text.slice(start, end)) !== true) yield { kind, from, start, end };
  }
}

/** After an escaped line break, as in JSON, or an escaped character, as in a URL, a word begins: `\nsk-`, `%3Dsk-`. */
const followsEscape = (text: string, at: number): boolean => /\\[nrt]$|%[0-9A-Fa-f]{2}$/.test(text.slice(Math.max(0, at - 3), at));
