import styles from './SelectBox.module.css';

export interface SelectBoxProps {
  id: string;
  /** What is selected, for screen readers. */
  label: string;
  checked: boolean;
  onToggle: (id: string, on: boolean, range: boolean) => void;
}

/** Makes room for the box at the beginning of a row. */
export const withBox = styles.row;

/** Selects a row. With Shift, all rows from the last one on. */
export function SelectBox({ id, label, checked, onToggle }: SelectBoxProps) {
  return (
    <label className={styles.box}>
      <input
        type="checkbox"
        aria-label={`Select ${label}`}
        data-select={id}
        checked={checked}
        onChange={(event) =>
          onToggle(id, event.target.checked, 'shiftKey' in event.nativeEvent && event.nativeEvent.shiftKey === true)
        }
      />
    </label>
  );
}
