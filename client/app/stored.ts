import { useSyncExternalStore } from 'react';

export interface Stored<Value> {
  get(): Value;
  set(value: Value): void;
  use(): Value;
}

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Another tab has changed it.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

/** A value that this browser keeps for all tabs, as JSON. Without storage it lasts until the page is closed. `read` gets null before the first value. */
export function stored<Value>(key: string, read: (text: string | null) => Value): Stored<Value> {
  /** Null until something could not be stored. */
  let unstored: string | null = null;
  // The text decides whether the value is the same: React compares what a snapshot returns.
  let known: { text: string | null; value: Value } | undefined;

  function text(): string | null {
    try {
      return unstored ?? localStorage.getItem(key);
    } catch {
      return unstored;
    }
  }

  function get(): Value {
    const now = text();
    if (known === undefined || known.text !== now) known = { text: now, value: read(now) };
    return known.value;
  }

  return {
    get,
    set(value) {
      const next = JSON.stringify(value);
      try {
        localStorage.setItem(key, next);
        unstored = null;
      } catch {
        unstored = next;
      }
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}
