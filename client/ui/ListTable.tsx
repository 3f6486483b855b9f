import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import type { Columns } from '../density/density.ts';
import { useDensity, useShown } from '../density/store.ts';
import { RequestError } from './ErrorNote.tsx';
import styles from './ListTable.module.css';
import { LoadMore } from './LoadMore.tsx';
import { SkeletonRows } from './Skeleton.tsx';
import type { Listed } from './useLivePages.ts';
import { WholeRow } from './WholeRow.tsx';

/** A column by which the list can be sorted. */
interface Sortable {
  name: string;
  /** Undefined when the list is sorted by another one. */
  sorted: 'ascending' | 'descending' | undefined;
  onSort: () => void;
}

interface ListTableProps {
  label: string;
  /** The names of the columns; a hidden one is for screen readers only. */
  columns: readonly (string | { hidden: string } | Sortable)[];
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
  const hidden = columns.flatMap((column, index) => {
    const name = typeof column === 'string' ? column : 'name' in column ? column.name : '';
    return choice.names.includes(name) && !shown.includes(name) ? [index + 1] : [];
  });
  return (
    <div className={`card ${styles.list}`} data-density={density} tabIndex={0} role="region" aria-label={label}>
      <table className={`${styles.table} ${className}`} data-hidden={hidden.join(' ')}>
        <thead>
          <tr>
            {columns.map((column) =>
              typeof column === 'string' ? (
                <th key={column} scope="col">
                  {column}
                </th>
              ) : 'hidden' in column ? (
                <th key={column.hidden} scope="col">
                  <span className="hidden">{column.hidden}</span>
                </th>
              ) : (
                <th key={column.name} scope="col" aria-sort={column.sorted}>
                  <button type="button" className={styles.sort} onClick={column.onSort}>
                    {column.name}
                    <span aria-hidden="true">
                      {column.sorted === undefined ? '' : column.sorted === 'ascending' ? ' ↑' : ' ↓'}
                    </span>
                  </button>
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

interface TableRowsProps<Node> {
  columns: number;
  /** What the list has: one, and several. */
  noun: readonly [string, string];
  /** The answer; undefined until it is there. */
  list: Listed<Node> | undefined;
  error: CombinedError | undefined;
  fetching: boolean;
  /** The number of placeholder rows. */
  skeletons: number;
  /** Shown instead of an empty list. */
  empty: ReactNode;
  row: (node: Node) => ReactNode;
  onRetry: () => void;
  onMore: () => void;
}

/** What a ListTable has: its rows, and below them the end of the list. */
export function TableRows<Node>({
  columns,
  noun,
  list,
  error,
  fetching,
  skeletons,
  empty,
  row,
  onRetry,
  onMore,
}: TableRowsProps<Node>) {
  const failure = error && (
    <WholeRow columns={columns}>
      <RequestError error={error} onRetry={onRetry} />
    </WholeRow>
  );
  if (!list) {
    return (
      failure ?? (
        <WholeRow columns={columns}>
          <SkeletonRows rows={skeletons} height="3rem" label={`Loading the ${noun[1]}`} />
        </WholeRow>
      )
    );
  }
  const { nodes, pageInfo, totalCount } = list;
  const shown = nodes.length;
  return (
    <>
      {failure}
      {shown > 0 && <tbody>{nodes.map(row)}</tbody>}
      <WholeRow columns={columns}>
        {shown === 0 ? (
          empty
        ) : (
          <LoadMore
            shown={shown}
            total={totalCount ?? undefined}
            hasMore={pageInfo.hasNextPage}
            loading={fetching}
            noun={totalCount === 1 ? noun[0] : noun[1]}
            onMore={onMore}
          />
        )}
      </WholeRow>
    </>
  );
}
