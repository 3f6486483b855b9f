import { useCallback, useEffect, useRef } from 'react';

const nearPx = 24;

/**
 * Keeps a scroll region at its end when content is added below, as long as the reader is there. When content is added above,
 * the visible part stays in place. Scrolling or touching stops it.
 */
export function useHeldEnd() {
  const region = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  // The distance from the end to keep; null when the reader has scrolled.
  const held = useRef<number | null>(0);

  useEffect(() => {
    const [around, inside] = [region.current, content.current];
    if (!around || !inside) return;
    const observer = new ResizeObserver(() => {
      if (held.current !== null) around.scrollTop = around.scrollHeight - around.clientHeight - held.current;
    });
    observer.observe(inside);
    observer.observe(around);
    return () => observer.disconnect();
  }, []);

  const onScroll = useCallback(() => {
    const around = region.current;
    if (!around) return;
    const distance = around.scrollHeight - around.clientHeight - around.scrollTop;
    if (distance < nearPx) held.current = 0;
    else if (held.current === 0 || (held.current !== null && Math.abs(held.current - distance) > nearPx)) held.current = null;
  }, []);
  const holdForOlder = useCallback(() => {
    const around = region.current;
    if (around) held.current = around.scrollHeight - around.clientHeight - around.scrollTop;
  }, []);
  const letGo = useCallback(() => {
    held.current = null;
  }, []);
  return { region, content, onScroll, holdForOlder, letGo };
}
