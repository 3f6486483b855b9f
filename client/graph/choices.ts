/** The most pairs that `handoffGraph` returns. */
export const mostPairs = 10_000;

/** A choice of how much is drawn. In layers when it names the most agents, else in a circle. */
export interface Choice {
  /** In the URL; empty for the first. */
  value: string;
  word: string;
  pairs: number;
  agents?: number;
}

/** The greatest numbers in layers; fewer on a phone, where names must stay readable. */
const layers = {
  wide: [
    { agents: 14, pairs: 30 },
    { agents: 24, pairs: 60 },
    { agents: 40, pairs: 120 },
  ],
  narrow: [
    { agents: 7, pairs: 12 },
    { agents: 14, pairs: 30 },
    { agents: 24, pairs: 60 },
  ],
};
const circles = [250, 1_000];

/** The choices for a graph of these numbers, the smallest first. The last one is the whole graph. */
export function choicesOf(
  { pairCount, agentCount }: { pairCount: number; agentCount: number },
  isNarrow: boolean,
): Choice[] {
  const choices: Choice[] = [];
  const all = `All ${pairCount.toLocaleString()} pairs`;
  for (const { agents, pairs } of layers[isNarrow ? 'narrow' : 'wide']) {
    const holdsAll = agents >= agentCount && pairs >= pairCount;
    choices.push({
      value: choices.length === 0 ? '' : holdsAll ? 'all' : String(pairs),
      word: holdsAll ? all : `Up to ${pairs} busiest pairs`,
      pairs,
      agents,
    });
    if (holdsAll) return choices;
  }
  for (const pairs of circles.filter((count) => count < pairCount))
    choices.push({ value: String(pairs), word: `${pairs.toLocaleString()} busiest pairs`, pairs });
  choices.push({
    value: 'all',
    word: pairCount <= mostPairs ? all : `${mostPairs.toLocaleString()} busiest pairs`,
    pairs: Math.min(pairCount, mostPairs),
  });
  return choices;
}

/** The choice in the URL; else the largest that draws no more pairs. */
export function chosenOf(choices: readonly Choice[], value: string): Choice {
  const wanted = value === 'all' ? Infinity : Number(value);
  return (
    choices.find((each) => each.value === value) ?? choices.findLast(({ pairs }) => pairs <= wanted) ?? choices[0]!
  );
}

/** How many pairs to read for what the URL chooses, and at least this many. */
export const pairsToRead = (value: string, least: number): number =>
  value === 'all' ? mostPairs : Math.min(mostPairs, Math.max(least, Number(value)));
