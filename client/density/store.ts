import { useMemo } from 'react';
import { stored } from '../app/stored.ts';
import { type Columns, isShown, readDensity } from './density.ts';

export const density = stored('baton.density', readDensity);

/** "compact", for `data-density`; undefined otherwise. */
export const useDensity = (): 'compact' | undefined => (density.use().compact ? 'compact' : undefined);

/** The columns of the list that are shown; the same array until the choice changes. */
export function useShown(columns: Columns): readonly string[] {
  const now = density.use();
  return useMemo(() => columns.names.filter((name) => isShown(now, columns, name)), [now, columns]);
}
