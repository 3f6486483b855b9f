/** The lower bound of the Wilson score interval at 95 %: how good a path is at least. 0 without closed Handoffs. */
export function wilson(completed: number, closed: number): number {
  if (closed === 0) return 0;
  const z = 1.96;
  const share = completed / closed;
  const spread = z * Math.sqrt((share * (1 - share)) / closed + (z * z) / (4 * closed * closed));
  return Math.max(0, (share + (z * z) / (2 * closed) - spread) / (1 + (z * z) / closed));
}
