import { tellOver, tellsOnTerminal } from '../../../../cli/output.ts';
import type { Manifest, Progress } from '../../../infra/backup/write.ts';

const everyMs = 200;

/** Runs `work`, and shows on a terminal which table it is at. */
export async function showProgress<T>(work: (progress: Progress) => Promise<T>): Promise<T> {
  if (!tellsOnTerminal()) return work(() => undefined);
  let shownAt = 0;
  try {
    return await work((table, rows) => {
      if (performance.now() < shownAt + everyMs) return;
      shownAt = performance.now();
      tellOver(`${rows} rows, at ${table}`);
    });
  } finally {
    tellOver('');
  }
}

/** `1200 rows in 33 tables` */
export function rowsOf({ tables }: Manifest): string {
  const counts = Object.values(tables).map(({ rows }) => rows);
  return `${counts.reduce((sum, rows) => sum + rows, 0)} rows in ${counts.length} tables`;
}
