/** A line for each `BATON_` variable that no setting reads, with the nearest known name. Values are not shown: they may be secret. */
export function unknownSettings(names: readonly string[], known: readonly string[]): string[] {
  return names
    .filter((name) => name.startsWith('BATON_') && !known.includes(name))
    .map((name) => `${name} is not a setting and has no effect: the nearest setting is ${nearest(name, known)}`);
}

function nearest(name: string, known: readonly string[]): string {
  const [first] = known
    .filter((each) => each.startsWith('BATON_'))
    .sort((a, b) => distance(name, a) - distance(name, b));
  return first!;
}

/** Characters to insert, delete or replace to get from one to the other (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [line, character] of [...from].entries()) {
    const next = [line + 1];
    for (let at = 1; at <= to.length; at += 1)
      next[at] = Math.min(row[at]! + 1, next[at - 1]! + 1, row[at - 1]! + (to[at - 1] === character ? 0 : 1));
    row = next;
  }
  return row[to.length]!;
}
