/** Bytes of each entry, for each list that a paged field returned, by the field's path. */
export type Pages = Map<string, number[][]>;

export interface FittingPage {
  path: string;
  entries: number;
  /** Entries of the longest list now; null when they were not counted. */
  of: number | null;
}

/** The largest page size that keeps `bytes` within the limit, for the outermost field where one entry fits. Null when no field has one. */
export function fittingPage(bytes: number, limit: number, pages: Pages): FittingPage | null {
  const outermostFirst = [...pages].sort(([a], [b]) => a.split('.').length - b.split('.').length);
  for (const [path, lists] of outermostFirst) {
    const of = Math.max(...lists.map(({ length }) => length));
    const rest = bytes - lists.reduce((total, list) => total + sum(list), 0);
    let [entries, over] = [0, of];
    while (over - entries > 1) {
      const tried = Math.floor((entries + over) / 2);
      // The smaller page may hold the first or the last entries.
      const cut = lists.reduce(
        (total, list) => total + Math.max(sum(list.slice(0, tried)), sum(list.slice(-tried))),
        0,
      );
      if (rest + cut <= limit) entries = tried;
      else over = tried;
    }
    if (entries > 0) return { path, entries, of };
  }
  return null;
}

export const sum = (list: readonly number[]): number => list.reduce((total, bytes) => total + bytes, 0);

/** What to ask for instead of too much. */
export const adviceOf = (fits: FittingPage | null): string =>
  fits === null
    ? 'select fewer fields, or fewer records'
    : `ask for ${fits.entries} entries of '${fits.path}'${fits.of === null ? '' : ` instead of ${fits.of}`}`;
