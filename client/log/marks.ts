import { createContext, useEffect, type RefObject } from 'react';
import { finderOf, wordsIn, type Finder } from '../../server/work/search/words.ts';
import { elementOf, type Target } from './place.ts';

/** Finds the words that the reader searches in the log; null without words. */
export const FoundContext = createContext<Finder | null>(null);

export const finderOfSearch = (words: string | null): Finder | null =>
  words === null ? null : finderOf(wordsIn(words));

const name = 'found';

/**
 * Marks the words in what is on the screen, also in messages and calls that are opened later, and shows the first one in the call that was
 * gone to. By the browser's highlights: the page's elements stay as they are. Browsers without them mark nothing.
 */
export function useMarks(region: RefObject<HTMLElement | null>, find: Finder | null, target: Target | null): void {
  useEffect(() => {
    const around = region.current;
    if (around === null || find === null || !('highlights' in CSS)) return;
    let toShow = target?.call == null ? null : target;
    let asked = 0;
    const mark = (): void => {
      asked = 0;
      const ranges = rangesIn(around, find);
      CSS.highlights.set(name, new Highlight(...ranges));
      if (toShow === null) return;
      const element = document.getElementById(elementOf(toShow));
      // Beyond the line of the call itself: there it is seen anyway.
      const first = ranges.find(
        ({ startContainer }) =>
          element?.contains(startContainer) === true && startContainer.parentElement?.closest('summary') === null,
      );
      if (first === undefined) return;
      toShow = null;
      const [place, frame] = [first.getBoundingClientRect(), around.getBoundingClientRect()];
      if (place.top < frame.top || place.bottom > frame.bottom)
        around.scrollBy({ top: place.top - frame.top - frame.height / 2 });
    };
    const observer = new MutationObserver(() => {
      if (asked === 0) asked = requestAnimationFrame(mark);
    });
    observer.observe(around, { childList: true, subtree: true, characterData: true });
    mark();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(asked);
      CSS.highlights.delete(name);
    };
  }, [region, find, target]);
}

function rangesIn(around: HTMLElement, find: Finder): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(around, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    for (const { start, end } of find(node.nodeValue!)) {
      const range = new Range();
      range.setStart(node, start);
      range.setEnd(node, end);
      ranges.push(range);
    }
  }
  return ranges;
}
