import type { ReactNode } from 'react';

/** What is no row of a table stands across all of its columns: its end, its emptiness, an error. */
export function WholeRow({ columns, children }: { columns: number; children: ReactNode }) {
  return (
    <tbody>
      <tr>
        <td colSpan={columns}>{children}</td>
      </tr>
    </tbody>
  );
}
