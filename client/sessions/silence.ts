import { useEffect, useEffectEvent, useRef } from 'react';
import { useNow } from '../ui/clock.ts';

const silenceMs = 5 * 60_000;

/** Calls back every five minutes: a session becomes silent, and works again, without an event that the page hears of. */
export function useSilence(reread: () => void, everyMs = silenceMs): void {
  const latest = useEffectEvent(reread);
  const turn = Math.floor(useNow() / everyMs);
  const last = useRef(turn);
  useEffect(() => {
    if (turn !== last.current) latest();
    last.current = turn;
  }, [turn]);
}
