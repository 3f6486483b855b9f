import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { usePageActions, type PageAction } from '../palette/actions.ts';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { countOf } from './outcome.ts';
import styles from './SelectionBar.module.css';

export interface BarAct {
  word: string;
  icon: IconName;
  danger?: boolean;
  run: () => void;
}

interface SelectionBarProps {
  count: number;
  /** "session": one of what is selected. */
  noun: string;
  acts: readonly BarAct[];
  /** The number of rows on the page. */
  shown: number;
  onAll: () => void;
  onClear: () => void;
  /** Its dialogs. */
  children: ReactNode;
}

/** What can be done with the selected rows, at the lower edge of the page. */
export function SelectionBar({ count, noun, acts, shown, onAll, onClear, children }: SelectionBarProps) {
  const bar = useRef<HTMLElement>(null);
  // The bar stands below the list: from its first row the palette is nearer.
  usePageActions(acts.map(({ word, icon, run }): PageAction => ({ word: ofSelection(word, count, noun), icon, run })));
  // Escape takes the bar away with its focus.
  useLayoutEffect(() => {
    const element = bar.current;
    return () => {
      if (element?.contains(document.activeElement)) document.getElementById('main')?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <>
      <section ref={bar} tabIndex={-1} className={styles.bar} aria-label={`Selected ${noun}s`} data-selection-bar>
        <span role="status" className={styles.count}>
          {countOf(count, noun)} selected
        </span>
        <div className={styles.acts}>
          {acts.map(({ word, icon, danger, run }) => (
            <button key={word} type="button" className={`button small ${danger ? 'danger' : ''}`} onClick={run}>
              <Icon name={icon} size={14} /> {word}
            </button>
          ))}
        </div>
        <div className={styles.acts}>
          {count < shown && (
            <button
              type="button"
              className="button quiet small"
              onClick={() => {
                // This button disappears.
                bar.current?.focus({ preventScroll: true });
                onAll();
              }}
            >
              Select all {shown.toLocaleString()} shown
            </button>
          )}
          <button
            type="button"
            className="button quiet small"
            onClick={() => {
              // The bar disappears: the focus goes back to the first row that was selected.
              document.querySelector<HTMLElement>('[data-select]:checked')?.focus({ preventScroll: true });
              onClear();
            }}
          >
            Clear
          </button>
        </div>
      </section>
      {children}
    </>
  );
}

/** "Pause …" of two sessions: "Pause the 2 selected sessions …". */
const ofSelection = (word: string, count: number, noun: string): string =>
  word.replace(/^(\S+)/, `$1 the ${count === 1 ? `selected ${noun}` : `${count} selected ${noun}s`}`);
