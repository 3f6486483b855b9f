/** A secret in a text. */
export interface Finding {
  /** Kind in words: `github token`. */
  kind: string;
  /** Start of the match, which may be a name or a header before the secret. */
  from: number;
  start: number;
  end: number;
}

/** Yields what it finds, and undefined where it may rest. */
export type Search = Generator<Finding | undefined, void, void>;

/** Matches that a search looks at before it may rest. */
export const matchesOfStep = 200;

/** Characters in which a search looks for its next match before it may rest. */
const charactersOfStep = 64 * 1024;

/**
 * The next match of a pattern with the flag `g` at or after a place, and where it begins; null after the last. No step depends on the
 * length of the text: matches are found when they, and 200 characters before them, fit into `longest`.
 */
export function* nextMatch(
  pattern: RegExp,
  text: string,
  at: number,
  longest = 1_024,
): Generator<undefined, { match: RegExpExecArray; index: number } | null, void> {
  for (let from = at; from < text.length; from += charactersOfStep) {
    const before = Math.max(0, from - 200);
    // Other searches use the pattern while this one rests.
    pattern.lastIndex = from - before;
    const match = pattern.exec(text.slice(before, from + charactersOfStep + longest));
    if (match !== null && match.index + before < from + charactersOfStep) return { match, index: match.index + before };
    yield undefined;
  }
  return null;
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

export function* findByRule({ kind, pattern, notAfter, except }: Rule, text: string): Search {
  for (let at = 0, matches = 1; ; matches += 1) {
    // Other searches use the pattern while this one rests.
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) return;
    const from = match.index;
    at = pattern.lastIndex;
    if (notAfter?.test(text[from - 1] ?? '') === true && !followsEscape(text, from)) at = from + 1;
    else {
      const start = from + (match[1]?.length ?? 0);
      const end = from + match[0].length;
      if (end > start && !text.startsWith('[redacted: ', start) && except?.(text.slice(start, end)) !== true)
        yield { kind, from, start, end };
    }
    if (matches % matchesOfStep === 0) yield undefined;
  }
}

/** A word begins after an escaped line break, as in JSON, and after an escaped character, as in a URL: `\nsk-`, `%3Dsk-`. */
const followsEscape = (text: string, at: number): boolean =>
  /\\[nrt]$|%[0-9A-Fa-f]{2}$/.test(text.slice(Math.max(0, at - 3), at));
