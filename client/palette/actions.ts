import { useEffect, useSyncExternalStore } from 'react';
import type { IconName } from '../ui/Icon.tsx';

/** Something that the page can do now. */
export interface PageAction {
  word: string;
  icon: IconName;
  run: () => void;
}

const offered = new Map<object, readonly PageAction[]>();
const listeners = new Set<() => void>();
let all: readonly PageAction[] = [];

function changed(): void {
  all = [...offered.values()].flat();
  for (const listener of listeners) listener();
}

/** Offers what a part of the page can do to the palette, while the part is shown. */
export function usePageActions(actions: readonly PageAction[]): void {
  useEffect(() => {
    const part = {};
    offered.set(part, actions);
    changed();
    return () => {
      offered.delete(part);
      changed();
    };
  });
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useOfferedActions = (): readonly PageAction[] => useSyncExternalStore(subscribe, () => all);
