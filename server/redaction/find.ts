import { findByRule, type Finding, type Rule } from './finding.ts';
import { triedBy } from './hints.ts';
import { findByLibrary } from './library.ts';
import { findNamed } from './named.ts';
import { findPairs } from './pairs.ts';
import { placeRules } from './placeRules.ts';
import { findPrivateKeys } from './privateKeys.ts';
import { findSeedPhrases } from './seedPhrases.ts';
import { tokenRules } from './tokenRules.ts';
import { aroundUnseen, blankUnseen, withoutGutters } from './view.ts';

/** Every secret in a text, the surest kind first; findings may overlap. What nobody sees, and what tools put before lines, is looked through. */
export function findSecrets(text: string): Finding[] {
  const view = aroundUnseen(text);
  if (view === null) return findIn(withoutGutters(text));
  // A colour may end a word, or be in the middle of one.
  const within = findIn(withoutGutters(view.text)).flatMap((finding) => view.inText(finding) ?? []);
  return [...findIn(withoutGutters(blankUnseen(text))), ...within];
}

const tried = triedBy([...tokenRules, ...placeRules]);

function findIn(text: string): Finding[] {
  const isTried = tried(text);
  const findBy = (rules: readonly Rule[]): Finding[] => rules.filter(isTried).flatMap((rule) => [...findByRule(rule, text)]);
  return [...findPrivateKeys(text), ...findSeedPhrases(text), ...findBy(tokenRules), ...findByLibrary(text), ...findBy(placeRules), ...findPairs(text), ...findNamed(text)];
}
