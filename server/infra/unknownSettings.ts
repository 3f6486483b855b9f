import { closest } from 'fastest-levenshtein';

/** A line for each `BATON_` variable that no setting reads, with the nearest known name. Values are not shown: they may be secret. */
export function unknownSettings(names: readonly string[], known: readonly string[]): string[] {
  const settings = known.filter((name) => name.startsWith('BATON_'));
  return names
    .filter((name) => name.startsWith('BATON_') && !known.includes(name))
    .map((name) => `${name} is not a setting and has no effect: the nearest setting is ${closest(name, settings)}`);
}
