import { useRef } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { isShown, withColumn, type Columns } from './density.ts';
import styles from './ListSettings.module.css';
import { density } from './store.ts';

/** Compact rows, and the columns of a list; kept in this browser. */
export function ListSettings({ columns }: { columns: Columns }) {
  const now = density.use();
  const details = useRef<HTMLDetailsElement>(null);
  const close = (): void => {
    if (details.current) details.current.open = false;
  };
  return (
    <details
      ref={details}
      className={styles.settings}
      onBlur={({ currentTarget, relatedTarget }) => {
        // A press on a label moves the focus to nothing for a moment.
        if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) close();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !details.current?.open) return;
        close();
        details.current.querySelector('summary')?.focus();
      }}
    >
      <summary className="button">
        <Icon name="list" size={14} /> View
      </summary>
      <div className={`card ${styles.menu}`}>
        <label>
          <input
            type="checkbox"
            checked={now.compact}
            onChange={({ target }) => density.set({ ...now, compact: target.checked })}
          />{' '}
          Compact rows
        </label>
        <fieldset>
          <legend className="soft small">Columns</legend>
          {columns.names.map((name) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={isShown(now, columns, name)}
                onChange={({ target }) => density.set(withColumn(now, columns, name, target.checked))}
              />{' '}
              {name}
            </label>
          ))}
        </fieldset>
      </div>
    </details>
  );
}
