/** A secret in a text. */
export interface Finding {
  /** Kind in words: `github token`. */
  kind: string;
  /** Start of the match, which may be a name or a header before the secret. */
  from: number;
  start: number;
  end: number;
}

/** Describes a secret by a pattern. The text of group 1 is kept: a name, a header, the path to the secret. */
export interface Rule {
  kind: string;
  /** Every match contains one of these; the pattern is skipped for texts without any. */
  hints?: readonly string[];
  /** Has the flag `g`. Every repetition is bounded, or cannot start within a run of its own class, so that time stays linear. */
  pattern: RegExp;
  /** Must not match directly before a match. Not a lookbehind in the pattern: patterns that begin with literal letters are ten times as fast. */
  notAfter?: RegExp;
  /** Returns true for a harmless match. */
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

/** A word begins after an escaped line break, as in JSON, and after an escaped character, as in a URL: `\nsk-`, `%3Dsk-`. */
const followsEscape = (text: string, at: number): boolean =>
  /\\[nrt]$|%[0-9A-Fa-f]{2}$/.test(text.slice(Math.max(0, at - 3), at));
