/** Pseudo-random numbers, equal for equal seeds (mulberry32). */
export interface Random {
  /** 0 to `below` - 1. */
  below(below: number): number;
  pick<T>(list: readonly T[]): T;
}

export function random(...seeds: number[]): Random {
  let state = seeds.reduce((mixed, seed) => Math.imul(mixed ^ seed, 0x9e3779b1) + 0x7f4a7c15, 0x6d2b79f5) >>> 0;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  };
  return { below, pick: (list) => list[below(list.length)]! };
}
