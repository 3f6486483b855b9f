import { useCallback, useEffect, useMemo, useRef, useState } from 'react';

export interface Selection {
  ids: ReadonlySet<string>;
  /** Selects the record, or not; with `range` also all rows between it and the last one that was pressed. */
  toggle: (id: string, on: boolean, range: boolean) => void;
  selectAll: (ids: Iterable<string>) => void;
  drop: (ids: Iterable<string>) => void;
  clear: () => void;
}

/** The selected rows of a list. Escape clears them. */
export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(() => new Set());
  const last = useRef<string | null>(null);
  const toggle = useCallback((id: string, on: boolean, range: boolean) => {
    const among = range && last.current !== null ? between(rowsInPlace(), last.current, id) : [id];
    last.current = id;
    setIds((now) => {
      const next = new Set(now);
      for (const each of among) {
        if (on) next.add(each);
        else next.delete(each);
      }
      return next;
    });
  }, []);
  const selectAll = useCallback((all: Iterable<string>) => setIds(new Set(all)), []);
  const drop = useCallback((gone: Iterable<string>) => {
    const left = new Set(gone);
    setIds((now) => new Set([...now].filter((id) => !left.has(id))));
  }, []);
  const clear = useCallback(() => setIds(new Set()), []);
  const isEmpty = ids.size === 0;
  useEffect(() => {
    if (isEmpty) return;
    const press = (event: KeyboardEvent): void => {
      const isOthers =
        event.defaultPrevented ||
        document.querySelector('dialog[open], [role=tooltip]') !== null ||
        (event.target instanceof HTMLElement &&
          event.target.matches('input:not([type=checkbox]), textarea, select, [aria-expanded=true]'));
      if (event.key === 'Escape' && !isOthers) clear();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [isEmpty, clear]);
  return useMemo(() => ({ ids, toggle, selectAll, drop, clear }), [ids, toggle, selectAll, drop, clear]);
}

/** The rows as they stand on the page. */
const rowsInPlace = (): string[] =>
  [...document.querySelectorAll<HTMLElement>('[data-select]')].map((row) => row.dataset['select']!);

/** The ids from one to the other, in either direction; the last alone when the first is gone. */
export function between(rows: readonly string[], from: string, to: string): string[] {
  const [a, b] = [rows.indexOf(from), rows.indexOf(to)];
  return a < 0 || b < 0 ? [to] : rows.slice(Math.min(a, b), Math.max(a, b) + 1);
}
