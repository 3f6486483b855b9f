import { startTransition, useEffect, useState, type ReactNode } from 'react';
import { NowContext } from './clock.ts';

const everyMs = 15_000;

/** Updates all ages inside. A thousand ages are updated in slices, so that the page stays responsive. */
export function Clock({ children }: { children: ReactNode }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => startTransition(() => setNow(Date.now())), everyMs);
    return () => clearInterval(timer);
  }, []);
  return <NowContext value={now}>{children}</NowContext>;
}
