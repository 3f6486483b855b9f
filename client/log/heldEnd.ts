import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';

const nearPx = 24;
/** Wheels and keys scroll for a while. */
const actMs = 1_000;

/**
 * Keeps a scroll region at its end when its content grows, from the beginning or from when the reader gets there, until the reader scrolls
 * away by any means: also by the browser's search, a screen reader, or the focus. When it is not held there, `onGrown` is called.
 */
export function useHeldEnd(fromTheBeginning: boolean, onGrown: () => void) {
  const region = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const held = useRef(fromTheBeginning);
  const [isHeld, setHeld] = useState(fromTheBeginning);
  /** When the reader last did what may scroll. */
  const acted = useRef(-Infinity);
  /** Where the region was last seen. */
  const last = useRef({ top: 0, height: 0 });

  const grown = useEffectEvent(onGrown);
  const hold = useCallback((now: boolean) => {
    held.current = now;
    setHeld(now);
  }, []);
  const goToEnd = useCallback(() => {
    const around = region.current;
    if (around) around.scrollTop = around.scrollHeight - around.clientHeight;
  }, []);
  const look = useCallback(() => {
    const around = region.current;
    if (around) last.current = { top: around.scrollTop, height: around.scrollHeight };
  }, []);

  useEffect(() => {
    const [around, inside] = [region.current, content.current];
    if (!around || !inside) return;
    const observer = new ResizeObserver(() => {
      if (held.current) goToEnd();
      else grown();
      look();
    });
    observer.observe(inside);
    observer.observe(around);
    return () => observer.disconnect();
  }, [goToEnd, look]);

  const onScroll = useCallback(() => {
    const around = region.current;
    if (!around) return;
    // Growing content scrolls too, but not up while its height stays.
    const wentUp = around.scrollTop < last.current.top - 1 && around.scrollHeight === last.current.height;
    if (around.scrollHeight - around.clientHeight - around.scrollTop < nearPx) hold(true);
    else if (wentUp || performance.now() - acted.current < actMs) hold(false);
    look();
  }, [hold, look]);
  const noteAct = useCallback(() => {
    acted.current = performance.now();
  }, []);
  const letGo = useCallback(() => hold(false), [hold]);
  /** Goes to the end, and stays there. */
  const toEnd = useCallback(() => {
    hold(true);
    goToEnd();
    region.current?.focus({ preventScroll: true });
  }, [hold, goToEnd]);
  return { region, content, isHeld, onScroll, noteAct, letGo, toEnd };
}
