import { useEffect, useRef } from 'react';

/** Moves the focus to the page when a change of `state` removed the element that had it. Undefined: nothing is shown yet. */
export function useFocusKept(state: string | undefined): void {
  const last = useRef(state);
  useEffect(() => {
    const changed = last.current !== undefined && last.current !== state;
    last.current = state;
    if (changed && document.activeElement === document.body)
      document.getElementById('main')?.focus({ preventScroll: true });
  }, [state]);
}
