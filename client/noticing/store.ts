import { useSyncExternalStore } from 'react';
import { stored } from '../app/stored.ts';
import { readLooked } from './looked.ts';

export const looked = stored('baton.looked', readLooked);

/** Whether this browser was asked to notify. */
export const notifies = stored('baton.notifies', (text) => text === 'true');

const listeners = new Set<() => void>();
let unread = '';

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The number of unread handoffs, as text; empty for zero. */
export const useUnread = (): string => useSyncExternalStore(subscribe, () => unread);

export function setUnread(text: string): void {
  unread = text;
  for (const listener of listeners) listener();
}
