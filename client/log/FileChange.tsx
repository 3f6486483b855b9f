import { useState } from 'react';
import type { FileChanges, LineKind } from './changes.ts';
import styles from './FileChange.module.css';

const fewLines = 40;
/** More lines than a page can hold. */
const mostLines = 4_000;

const signs: Record<LineKind, string> = { ADDED: '+', REMOVED: '−', SAME: ' ', PLACE: ' ' };
const words: Record<FileChanges['kind'], string> = { WRITTEN: 'written', CHANGED: 'changed', DELETED: 'deleted' };

/** The changed lines of a file, with a sign for readers who see no colours. */
export function FileChange({ change: { path, kind, lines } }: { change: FileChanges }) {
  const [open, setOpen] = useState(false);
  const [plus, minus] = (['ADDED', 'REMOVED'] as const).map(
    (each) => lines.filter((line) => line.kind === each).length,
  );
  const shown = open || lines.length <= fewLines + 5 ? lines.slice(0, mostLines) : lines.slice(0, fewLines);
  return (
    <figure className={styles.change}>
      <figcaption>
        {path !== null && <span className="mono">{path}</span>} {path !== null && words[kind]}
        <span className={styles.counts}>
          <span data-kind="ADDED">+{plus}</span> <span data-kind="REMOVED">−{minus}</span>
        </span>
      </figcaption>
      {lines.length > 0 && (
        <div
          className={styles.lines}
          tabIndex={0}
          role="region"
          aria-label={`Changed lines${path === null ? '' : ` of ${path}`}`}
        >
          {shown.map((line, index) => (
            <div key={index} data-kind={line.kind}>
              <span>{signs[line.kind]}</span>
              {line.text}
            </div>
          ))}
        </div>
      )}
      {(shown.length < lines.length || open) && (
        <button type="button" className={styles.more} aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Show less' : `Show all ${lines.length.toLocaleString()} lines`}
        </button>
      )}
      {open && lines.length > mostLines && (
        <p className="soft small">{`The first ${mostLines.toLocaleString()} of ${lines.length.toLocaleString()} lines.`}</p>
      )}
    </figure>
  );
}
