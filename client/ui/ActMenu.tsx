import { useSelect, type UseSelectState, type UseSelectStateChangeOptions } from 'downshift';
import type { PageAction } from '../palette/actions.ts';
import styles from './ActMenu.module.css';
import { Icon } from './Icon.tsx';

export interface MenuAct extends PageAction {
  danger?: boolean;
}

const { ToggleButtonBlur } = useSelect.stateChangeTypes;

/** Leaving the menu runs nothing. */
const reduce = (
  _state: UseSelectState<MenuAct>,
  { type, changes }: UseSelectStateChangeOptions<MenuAct>,
): Partial<UseSelectState<MenuAct>> => (type === ToggleButtonBlur ? { ...changes, selectedItem: null } : changes);

/** A button that opens a list of acts: arrow keys or first letters choose one, Enter runs it, Escape closes the list. */
export function ActMenu({ label, acts }: { label: string; acts: readonly MenuAct[] }) {
  const { isOpen, highlightedIndex, getToggleButtonProps, getMenuProps, getItemProps } = useSelect<MenuAct>({
    items: [...acts],
    itemToString: (act) => act?.word ?? '',
    itemToKey: (act) => act?.word ?? '',
    selectedItem: null,
    stateReducer: reduce,
    onSelectedItemChange: ({ selectedItem }) => selectedItem?.run(),
  });
  return (
    <div className={styles.menu}>
      <button
        type="button"
        {...getToggleButtonProps({
          className: 'button',
          'aria-label': label,
          'aria-labelledby': undefined,
          title: label,
        })}
      >
        <Icon name="more" />
      </button>
      <ul
        {...getMenuProps({ className: styles.list, 'aria-label': label, 'aria-labelledby': undefined })}
        hidden={!isOpen}
      >
        {isOpen &&
          acts.map((act, index) => (
            <li
              key={act.word}
              {...getItemProps({ item: act, index, className: styles.act })}
              data-highlighted={index === highlightedIndex}
              data-danger={act.danger}
            >
              <Icon name={act.icon} /> {act.word}
            </li>
          ))}
      </ul>
    </div>
  );
}
