import { useSyncExternalStore } from 'react';

const everyMs = 15_000;

// One timer for everything on the page that shows an age, and none when nothing does.
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, everyMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Milliseconds since 1970, a few seconds old at most where ages are shown. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** Something happened just now: ages are told from here on. */
export function touchClock(): void {
  now = Date.now();
}
