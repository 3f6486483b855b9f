/** How a person wants lists in this browser. */
export interface Density {
  compact: boolean;
  /** What was chosen, by list and column; columns without a choice are shown unless their list has them off. */
  chosen: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
}

export interface Columns {
  /** The name under which the choice is kept. */
  list: string;
  /** The columns that may be hidden. */
  names: readonly string[];
  /** Those that are hidden until they are chosen. */
  off?: readonly string[];
}

/** What a browser has stored; nothing of another form. */
export function readDensity(text: string | null): Density {
  try {
    const { compact, chosen } = (JSON.parse(text ?? '{}') ?? {}) as Partial<Record<keyof Density, unknown>>;
    const lists = isObject(chosen)
      ? Object.entries(chosen).filter((entry): entry is [string, Record<string, boolean>] => isChoice(entry[1]))
      : [];
    return { compact: compact === true, chosen: Object.fromEntries(lists) };
  } catch {
    return { compact: false, chosen: {} };
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isChoice = (value: unknown): value is Record<string, boolean> =>
  isObject(value) && Object.values(value).every((each) => typeof each === 'boolean');

export const isShown = ({ chosen }: Density, { list, off = [] }: Columns, name: string): boolean =>
  chosen[list]?.[name] ?? !off.includes(name);

export const withColumn = (density: Density, { list }: Columns, name: string, shown: boolean): Density => ({
  ...density,
  chosen: { ...density.chosen, [list]: { ...density.chosen[list], [name]: shown } },
});
