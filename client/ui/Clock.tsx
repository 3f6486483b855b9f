import { startTransition, useEffect, useState, type ReactNode } from 'react';
import { NowContext } from './clock.ts';

const everyMs = 15_000;

/** Lets everything inside that shows an age grow older. A thousand ages do so in slices: nobody feels it. */
export function Clock({ children }: { children: ReactNode }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => startTransition(() => setNow(Date.now())), everyMs);
    return () => clearInterval(timer);
  }, []);
  return <NowContext value={now}>{children}</NowContext>;
}
