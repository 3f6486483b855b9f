import { useEffect, useEffectEvent } from 'react';
import { isTyping } from '../ui/typing.ts';

/** Acts by single keys. Not while one types or a dialog is open; a key that is held acts once, unless it `repeats`. */
export function useKeys(acts: Record<string, (() => void) | undefined>, { repeats = false } = {}): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if ((event.repeat && !repeats) || document.querySelector('dialog[open]') !== null) return;
    const act = Object.hasOwn(acts, event.key) ? acts[event.key] : undefined;
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}
