import { useCallback, useEffect, useEffectEvent, useRef } from 'react';

const nearPx = 24;
/** Wheels and keys scroll for a while. */
const actMs = 1_000;

/**
 * Keeps a scroll region at its end when its content grows, from the beginning or from when the reader gets there, until the reader scrolls
 * away. When it is not held there, `onGrown` is called.
 */
export function useHeldEnd(fromTheBeginning: boolean, onGrown: () => void) {
  const region = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const held = useRef(fromTheBeginning);
  /** When the reader last did what may scroll. */
  const acted = useRef(-Infinity);

  const grown = useEffectEvent(onGrown);

  useEffect(() => {
    const [around, inside] = [region.current, content.current];
    if (!around || !inside) return;
    const observer = new ResizeObserver(() => {
      if (held.current) around.scrollTop = around.scrollHeight - around.clientHeight;
      else grown();
    });
    observer.observe(inside);
    observer.observe(around);
    return () => observer.disconnect();
  }, []);

  const onScroll = useCallback(() => {
    const around = region.current;
    if (!around) return;
    if (around.scrollHeight - around.clientHeight - around.scrollTop < nearPx) held.current = true;
    // Growing content scrolls too.
    else if (performance.now() - acted.current < actMs) held.current = false;
  }, []);
  const noteAct = useCallback(() => {
    acted.current = performance.now();
  }, []);
  const letGo = useCallback(() => {
    held.current = false;
  }, []);
  return { region, content, onScroll, noteAct, letGo };
}
