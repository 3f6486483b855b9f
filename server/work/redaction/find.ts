import { gapsOf } from './carriers/divided.ts';
import { findCarried, trigger } from './carriers/find.ts';
import { paged } from './carriers/page.ts';
import { findByRule, nextMatch, type Finding, type Rule, type Search } from './finding.ts';
import { findByLibrary } from './library.ts';
import { findNamed } from './named.ts';
import { findPairs } from './pairs.ts';
import { placeRules } from './placeRules.ts';
import { findPrivateKeys } from './privateKeys.ts';
import { findSeedPhrases } from './seedPhrases.ts';
import { tokenRules } from './tokenRules.ts';
import { aroundGaps, aroundUnseen, blankUnseen, withoutGutters } from './view.ts';

/**
 * A long text is searched in windows, so that no step depends on its length: one pattern took up to 0.5 microseconds a character.
 * They overlap by the longest usual secret (a private key of 8,192 bits) and a `margin` on both sides, in which a window does not
 * know what stands beyond its ends.
 */
const windows = { characters: 40 * 1024, overlap: 10 * 1024, margin: 1024 };
// The rest of a secret that is longer than the overlap.
const restOfRun = /[^\s"'`\\]*/y;

/**
 * Finds every secret in a text, the most certain kind first; findings may overlap and repeat. Invisible characters and line prefixes
 * of tools do not hide a secret. Takes linear time, in steps of a few milliseconds.
 */
export function* findSecrets(text: string): Generator<void, Finding[], void> {
  const findings = yield* findInWindows(text);
  if ((yield* nextMatch(mayCarry, text, 0)) === null) return findings;
  const page = yield* paged(text);
  for (const found of findCarried(page)) {
    if (found === undefined) yield;
    else findings.push(found);
  }
  const view = aroundGaps(page, yield* gapsOf(page, startsToken));
  if (view === null) return findings;
  for (const finding of yield* findInWindows(view.text)) {
    const shown = view.inText(finding);
    if (shown !== null) findings.push(shown);
  }
  return findings;
}

/** A word of a name, the beginning of a private key, or a long word at the end of a line. */
const mayCarry = new RegExp(
  String.raw`${trigger.source}|M[A-J][A-Za-z0-9+/]{22}|b3BlbnNzaC1rZXktdjE|[\w+/=-]{16}[ \t"'\`|+.,\\]{0,8}(?:[\r\n]|\\n)`,
  'gi',
);

const startsToken = (text: string): boolean =>
  tokenRules.some(({ hints = [] }) => hints.some((hint) => hint.length >= shortest && text.startsWith(hint)));

function* findInWindows(text: string): Generator<void, Finding[], void> {
  const findings: Finding[] = [];
  const { characters, overlap, margin } = windows;
  let run = { from: 0, end: 0 };
  for (let start = 0; ; start += characters - overlap) {
    const stop = start + characters >= text.length ? text.length : start + characters;
    for (const found of findVisible(text.slice(start, stop))) {
      if (found === undefined) {
        yield;
        continue;
      }
      const finding = { ...found, from: found.from + start, start: found.start + start, end: found.end + start };
      // The window before knows what precedes it.
      if (start > 0 && found.from < margin && found.end < overlap - margin) continue;
      if (stop < text.length && finding.end > stop - margin) {
        // The next window knows what follows it.
        if (finding.from > stop - overlap + margin) continue;
        if (finding.end === stop) {
          if (stop >= run.end) {
            restOfRun.lastIndex = stop;
            restOfRun.test(text);
            run = { from: stop, end: restOfRun.lastIndex };
          }
          finding.end = run.end;
        }
      }
      findings.push(finding);
    }
    if (stop === text.length) return findings;
  }
}

function* findVisible(text: string): Search {
  const view = aroundUnseen(text);
  yield undefined;
  if (view === null) return yield* findIn(withoutGutters(text));
  // A colour may end a word or stand within one: search both with it blanked and with it removed.
  yield* findIn(withoutGutters(blankUnseen(text)));
  for (const finding of findIn(withoutGutters(view.text))) {
    if (finding === undefined) yield undefined;
    else {
      const shown = view.inText(finding);
      if (shown !== null) yield shown;
    }
  }
}

// Shorter hints occur in nearly every text.
const shortest = 3;
const selectRules = selectorOf([...tokenRules, ...placeRules]);

function* findIn(text: string): Search {
  const isSelected = selectRules(text);
  yield undefined;
  yield* inOneStep(findPrivateKeys, text);
  yield* inOneStep(findSeedPhrases, text);
  yield* findBy(tokenRules.filter(isSelected), text);
  yield* inOneStep(findByLibrary, text);
  yield* findBy(placeRules.filter(isSelected), text);
  yield* inOneStep(findPairs, text);
  yield* findNamed(text);
}

function* inOneStep(find: (text: string) => Finding[], text: string): Search {
  yield* find(text);
  yield undefined;
}

function* findBy(rules: readonly Rule[], text: string): Search {
  for (const rule of rules) {
    yield* findByRule(rule, text);
    yield undefined;
  }
}

/**
 * Selects the rules whose hints occur in a text. One pattern of all hints takes an eighth of the time of searching for
 * each of the 230 hints.
 */
function selectorOf(rules: readonly Rule[]): (text: string) => (rule: Rule) => boolean {
  const hints = [...new Set(rules.flatMap(({ hints = [] }) => hints))];
  const long = hints.filter(({ length }) => length >= shortest).sort((a, b) => b.length - a.length);
  const within = new Map(long.map((hint) => [hint, long.filter((other) => hint.includes(other))]));
  const anyOf = new RegExp(long.map((hint) => hint.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|'), 'g');
  return (text) => {
    const found = new Set(hints.filter((hint) => hint.length < shortest && text.includes(hint)));
    anyOf.lastIndex = 0;
    for (let match = anyOf.exec(text); match !== null; match = anyOf.exec(text)) {
      if (!found.has(match[0])) within.get(match[0])!.forEach((hint) => found.add(hint));
      anyOf.lastIndex = match.index + 1;
    }
    return ({ hints: wanted }) => wanted === undefined || wanted.some((hint) => found.has(hint));
  };
}
