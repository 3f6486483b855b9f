import type { ReactNode } from 'react';

/** A table row over all columns, for its end, its empty state or an error. */
export function WholeRow({ columns, children }: { columns: number; children: ReactNode }) {
  return (
    <tbody>
      <tr>
        <td colSpan={columns}>{children}</td>
      </tr>
    </tbody>
  );
}
