/** One measurement of one contestant. The benchmark defines the unit. */
export type Contestant = () => Promise<number>;

export interface Measured {
  median: number;
  /** The minimum and maximum over the rounds. */
  least: number;
  most: number;
}

/** One contestant's values in the order of the rounds. */
export interface Rounds extends Measured {
  values: number[];
}

/** Measures contestants in turn (A B A B), so that a slow phase of the machine affects all. A first round only warms up. */
export async function alternate<Name extends string>(
  rounds: number,
  contestants: Record<Name, Contestant>,
): Promise<Record<Name, Rounds>> {
  const names = Object.keys(contestants) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const value = await contestants[name]();
      if (round > 0) values[name].push(value);
    }
  }
  return Object.fromEntries(names.map((name) => [name, { ...measured(values[name]), values: values[name] }])) as Record<
    Name,
    Rounds
  >;
}

/** The median of the ratios of adjacent measurements. */
export const ratioOf = (ours: Pick<Rounds, 'values'>, theirs: Pick<Rounds, 'values'>): Measured =>
  measured(ours.values.map((value, round) => value / theirs.values[round]!));

export function measured(values: readonly number[]): Measured {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
  return { median, least: sorted[0]!, most: sorted.at(-1)! };
}
