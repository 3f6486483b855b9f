import { createContext, useEffect, type RefObject } from 'react';
import { patternOf, wordsIn } from '../../server/search/words.ts';
import { elementOf, type Target } from './place.ts';

/** The pattern of the words that the reader searches in the log; null without words. */
export const FoundContext = createContext<RegExp | null>(null);

export const foundPattern = (words: string | null): RegExp | null =>
  words === null ? null : patternOf(wordsIn(words));

const name = 'found';

/**
 * Marks the words in what is on the screen, also in messages and calls that are opened later, and shows the first one in the call that was
 * gone to. By the browser's highlights: the page's elements stay as they are. Browsers without them mark nothing.
 */
export function useMarks(region: RefObject<HTMLElement | null>, pattern: RegExp | null, target: Target | null): void {
  useEffect(() => {
    const around = region.current;
    if (around === null || pattern === null || !('highlights' in CSS)) return;
    let toShow = target?.call == null ? null : target;
    let asked = 0;
    const mark = (): void => {
      asked = 0;
      const ranges = rangesIn(around, pattern);
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
  }, [region, pattern, target]);
}

function rangesIn(around: HTMLElement, pattern: RegExp): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(around, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    for (const { 0: word, index } of node.nodeValue!.matchAll(pattern)) {
      const range = new Range();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      ranges.push(range);
    }
  }
  return ranges;
}
