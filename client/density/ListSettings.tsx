import { SettingsMenu } from '../ui/SettingsMenu.tsx';
import { isShown, withColumn, type Columns } from './density.ts';
import { density } from './store.ts';

/** Compact rows, and the columns of a list; kept in this browser. */
export function ListSettings({ columns }: { columns: Columns }) {
  const now = density.use();
  return (
    <SettingsMenu word="View" icon="list">
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
    </SettingsMenu>
  );
}
