import { createContext, useContext, useSyncExternalStore, type ReactNode } from 'react';

export interface Notice {
  id: number;
  content: ReactNode;
  /** Something to press stands in it: it stays longer. */
  hasActs: boolean;
}

let shown: readonly Notice[] = [];
let last = 0;
const listeners = new Set<() => void>();

function change(next: readonly Notice[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

/** The number of notices that are shown at once: older ones go. */
const most = 3;

/** Shows a short message at the edge of the page, over any page that follows. */
export function showNotice(content: ReactNode, { hasActs = false }: { hasActs?: boolean } = {}): void {
  last += 1;
  change([...shown, { id: last, content, hasActs }].slice(-most));
}

export const closeNotice = (id: number): void => change(shown.filter((notice) => notice.id !== id));

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useNotices = (): readonly Notice[] => useSyncExternalStore(subscribe, () => shown);

/** Closes the notice around the component. */
export const CloseNoticeContext = createContext<() => void>(() => undefined);
export const useCloseNotice = (): (() => void) => useContext(CloseNoticeContext);
