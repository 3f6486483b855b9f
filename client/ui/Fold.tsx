import { useState, type ReactNode } from 'react';
import styles from './Fold.module.css';

export interface FoldProps {
  text: string;
  /** The characters and lines shown while folded. */
  characters?: number;
  lines?: number;
  /** For code, JSON and tool output. */
  mono?: boolean;
  /** Shows all of it at first, and once this becomes true. */
  isOpen?: boolean;
  /** Draws the text, or its beginning; without it, the text appears as it is. */
  draw?: (text: string) => ReactNode;
}

/** Recorded text, never rendered as markup unless `draw` does so. A long text shows its beginning, and only that part is in the page. */
export function Fold({ text, characters = 1_200, lines = 14, mono = false, isOpen = false, draw }: FoldProps) {
  const [open, setOpen] = useState(isOpen);
  const [wasOpen, setWasOpen] = useState(isOpen);
  if (isOpen !== wasOpen) {
    setWasOpen(isOpen);
    if (isOpen) setOpen(true);
  }
  const end = foldAt(text, characters, lines);
  const folds = end < text.length;
  const shown = open || !folds ? text : text.slice(0, end);
  return (
    <div className={styles.fold}>
      <div className={`${styles.text} ${mono ? styles.mono : ''}`} data-folded={folds && !open}>
        {draw ? draw(shown) : shown}
      </div>
      {folds && (
        <button type="button" className={styles.more} aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Show less' : `Show all of it (${text.length.toLocaleString()} characters)`}
        </button>
      )}
    </div>
  );
}

/** The length at which to cut; the full length when the rest would be too short for a button. */
function foldAt(text: string, characters: number, lines: number): number {
  let end = Math.min(text.length, characters);
  let from = -1;
  for (let line = 0; line < lines; line += 1) {
    from = text.indexOf('\n', from + 1);
    if (from === -1 || from >= end) break;
    if (line === lines - 1) end = from;
  }
  return text.length - end < 120 && text.indexOf('\n', end + 1) === -1 ? text.length : end;
}
