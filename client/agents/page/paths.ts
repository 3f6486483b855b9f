import type { HandoffStatus } from '../../gql/graphql.ts';

interface Path {
  byStatus: readonly { status: HandoffStatus; count: number }[];
}

const open: readonly HandoffStatus[] = ['INITIATED', 'ACCEPTED'];
const mostEach = 3;

export const closedOf = ({ byStatus }: Path): number =>
  byStatus.reduce((sum, { status, count }) => sum + (open.includes(status) ? 0 : count), 0);

/** The paths with the highest and the lowest success, as far as their numbers prove it; a path is in one of both. Without those that nobody closed. */
export function bestAndWorst<P extends Path>(paths: readonly P[]): { best: P[]; worst: P[] } {
  const completed = ({ byStatus }: Path): number => byStatus.find(({ status }) => status === 'COMPLETED')?.count ?? 0;
  const closed = paths.filter((path) => closedOf(path) > 0);
  const least = (path: P): number => wilson(completed(path), closedOf(path));
  const most = (path: P): number => 1 - wilson(closedOf(path) - completed(path), closedOf(path));
  const best = closed
    .filter((path) => completed(path) > 0)
    .toSorted((a, b) => least(b) - least(a))
    .slice(0, mostEach);
  const worst = closed
    .filter((path) => completed(path) < closedOf(path) && !best.includes(path))
    .toSorted((a, b) => most(a) - most(b))
    .slice(0, mostEach);
  return { best, worst };
}

/** The lower bound of the Wilson score interval at 95 %: how good a path is at least. 0 without closed Handoffs. */
function wilson(completed: number, closed: number): number {
  if (closed === 0) return 0;
  const z = 1.96;
  const share = completed / closed;
  const spread = z * Math.sqrt((share * (1 - share)) / closed + (z * z) / (4 * closed * closed));
  return Math.max(0, (share + (z * z) / (2 * closed) - spread) / (1 + (z * z) / closed));
}
