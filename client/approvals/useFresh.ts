import { useEffect, useState } from 'react';

/** A second press may be meant for what was there before. */
const freshMs = 1_000;

/** What came into sight by itself less than a second ago: no press decides it yet. */
export function useFresh(): [fresh: string | null, show: (what: string | null) => void] {
  const [fresh, show] = useState<string | null>(null);
  useEffect(() => {
    if (fresh === null) return;
    const timer = setTimeout(() => show(null), freshMs);
    return () => clearTimeout(timer);
  }, [fresh]);
  return [fresh, show];
}
