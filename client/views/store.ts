import { useSyncExternalStore } from 'react';
import { type List, readViews, type SavedView } from './saved.ts';

const keyOf = (list: List): string => `baton.views.${list}`;

const listeners = new Set<() => void>();
// The text decides whether the views are the same: React compares what a snapshot returns.
const known = new Map<List, { text: string | null; views: SavedView[] }>();
/** Without storage the views last until the page is closed. */
const unstored = new Map<List, string>();

function stored(list: List): string | null {
  try {
    return unstored.get(list) ?? localStorage.getItem(keyOf(list));
  } catch {
    return unstored.get(list) ?? null;
  }
}

export function savedViews(list: List): SavedView[] {
  const text = stored(list);
  const before = known.get(list);
  if (before !== undefined && before.text === text) return before.views;
  const views = readViews(list, text);
  known.set(list, { text, views });
  return views;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Another tab has changed them.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

/** The saved views of a list in this browser, by name, and what replaces them. */
export function useSavedViews(list: List): [readonly SavedView[], (views: readonly SavedView[]) => void] {
  return [useSyncExternalStore(subscribe, () => savedViews(list)), (views) => storeViews(list, views)];
}

function storeViews(list: List, views: readonly SavedView[]): void {
  const text = JSON.stringify(views);
  try {
    localStorage.setItem(keyOf(list), text);
    unstored.delete(list);
  } catch {
    unstored.set(list, text);
  }
  for (const listener of listeners) listener();
}
