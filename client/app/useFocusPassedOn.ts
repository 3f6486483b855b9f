import { useLayoutEffect, useRef, type RefObject } from 'react';

/** The page that went away had the focus. */
let hadFocus = false;

/** For the main element of a page: the focus that was inside of the page before, a placeholder or the form to sign in, goes on to it. */
export function useFocusPassedOn(): RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = main.current;
    if (hadFocus) element?.focus({ preventScroll: true });
    hadFocus = false;
    return () => {
      hadFocus = element?.contains(document.activeElement) === true;
    };
  }, []);
  return main;
}
