import { useSyncExternalStore } from 'react';
import { stored } from '../app/stored.ts';
import { readLooked } from './looked.ts';

export const looked = stored('baton.looked', readLooked);

/** Whether this browser was asked to notify. */
export const notifies = stored('baton.notifies', (text) => text === 'true');

const listeners = new Set<() => void>();
let waiting = '';

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The number of what waits for the viewer, as text; empty for zero. */
export const useWaitingForViewer = (): string => useSyncExternalStore(subscribe, () => waiting);

/** The one place from which the title and the badges have their number. */
export function setWaitingForViewer(text: string): void {
  if (text === waiting) return;
  waiting = text;
  for (const listener of listeners) listener();
  void import('./badge.ts').then(({ showBadge }) => showBadge(waiting));
}
