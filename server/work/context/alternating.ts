/** Alternates between two lists, then appends the rest of the longer one. */
export function alternating<T>(a: readonly T[], b: readonly T[]): T[] {
  const length = Math.max(a.length, b.length);
  return Array.from({ length }, (_, index) => [a[index], b[index]])
    .flat()
    .filter((item) => item !== undefined);
}
