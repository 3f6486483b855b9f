import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import type { Columns } from '../density/density.ts';
import { useDensity, useShown } from '../density/store.ts';
import { RequestError } from './ErrorNote.tsx';
import styles from './ListTable.module.css';
import { LoadMore } from './LoadMore.tsx';
import { SkeletonRows } from './Skeleton.tsx';
import { WholeRow } from './WholeRow.tsx';

interface ListTableProps {
  label: string;
  /** The names of the columns; a hidden one is for screen readers only. */
  columns: readonly (string | { hidden: string })[];
  /** The widths of the columns, and their places on a phone. */
  className: string | undefined;
  /** The columns that a person may hide, by their names. */
  choice?: Columns;
  /** Its pages. */
  children: ReactNode;
}

const fixed: Columns = { list: '', names: [] };

/** A list as a table: rows of columns, or on a phone rows of lines. */
export function ListTable({ label, columns, className, choice = fixed, children }: ListTableProps) {
  const density = useDensity();
  const shown = useShown(choice);
  // Hidden by their place, so that no row has to know of it.
  const hidden = columns.flatMap((name, index) =>
    typeof name === 'string' && choice.names.includes(name) && !shown.includes(name) ? [index + 1] : [],
  );
  return (
    <div className={`card ${styles.list}`} data-density={density} tabIndex={0} role="region" aria-label={label}>
      <table className={`${styles.table} ${className}`} data-hidden={hidden.join(' ')}>
        <thead>
          <tr>
            {columns.map((name) =>
              typeof name === 'string' ? (
                <th key={name} scope="col">
                  {name}
                </th>
              ) : (
                <th key={name.hidden} scope="col">
                  <span className="hidden">{name.hidden}</span>
                </th>
              ),
            )}
          </tr>
        </thead>
        {children}
      </table>
    </div>
  );
}

interface Page<Node> {
  nodes: Node[];
  pageInfo: { hasNextPage: boolean; endCursor?: string | null };
  totalCount?: number | null;
}

interface TablePageProps<Node> {
  columns: number;
  /** What the list has: one, and several. */
  noun: readonly [string, string];
  /** The answer; undefined until it is there. */
  page: Page<Node> | undefined;
  error: CombinedError | undefined;
  fetching: boolean;
  /** The placeholder rows of a first page. */
  skeletons: number;
  /** The number of rows above this page. */
  before: number;
  /** The total that the first page counted. */
  total: number | undefined;
  /** Shown instead of an empty list. */
  empty: ReactNode;
  row: (node: Node) => ReactNode;
  /** The next page when it is open, with the rows above it and the total; null shows the end of the list. */
  next: ((shown: number, total: number | undefined) => ReactNode) | null;
  onRetry: () => void;
  onMore: () => void;
}

/** One page of a ListTable: its rows, and below them the next page or the end of the list. */
export function TablePage<Node>({
  columns,
  noun,
  page,
  error,
  fetching,
  skeletons,
  before,
  total,
  empty,
  row,
  next,
  onRetry,
  onMore,
}: TablePageProps<Node>) {
  const failure = error && (
    <WholeRow columns={columns}>
      <RequestError error={error} onRetry={onRetry} />
    </WholeRow>
  );
  if (!page) {
    return (
      failure ?? (
        <WholeRow columns={columns}>
          <SkeletonRows rows={before === 0 ? skeletons : 2} height="3rem" label={`Loading the ${noun[1]}`} />
        </WholeRow>
      )
    );
  }
  const { nodes, pageInfo } = page;
  const all = page.totalCount ?? total;
  const shown = before + nodes.length;
  return (
    <>
      {failure}
      {shown > 0 && <tbody>{nodes.map(row)}</tbody>}
      {next?.(shown, all) ?? (
        <WholeRow columns={columns}>
          {shown === 0 ? (
            empty
          ) : (
            <LoadMore
              shown={shown}
              total={all}
              hasMore={pageInfo.hasNextPage}
              loading={fetching}
              noun={all === 1 ? noun[0] : noun[1]}
              onMore={onMore}
            />
          )}
        </WholeRow>
      )}
    </>
  );
}
