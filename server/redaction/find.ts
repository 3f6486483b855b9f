import { findByRule, type Finding } from './finding.ts';
import { findByLibrary } from './library.ts';
import { findNamed } from './named.ts';
import { findPairs } from './pairs.ts';
import { placeRules } from './placeRules.ts';
import { findPrivateKeys } from './privateKeys.ts';
import { tokenRules } from './tokenRules.ts';

/** Every secret in a text, the surest kind first; findings may overlap. */
export function findSecrets(text: string): Finding[] {
  return [
    ...findPrivateKeys(text),
    ...tokenRules.flatMap((rule) => [...findByRule(rule, text)]),
    ...findByLibrary(text),
    ...placeRules.flatMap((rule) => [...findByRule(rule, text)]),
    ...findPairs(text),
    ...findNamed(text),
  ];
}
