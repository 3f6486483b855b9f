import { useCombobox, type UseComboboxState, type UseComboboxStateChangeOptions } from 'downshift';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { focusFirst } from '../ui/Dialog.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { Icon } from '../ui/Icon.tsx';
import styles from './AgentCombobox.module.css';
import { useAgentPages, type AgentToChoose } from './agentPages.ts';

/** An agent; an empty id means "none". */
type Choice = Pick<AgentToChoose, 'id'> & Partial<AgentToChoose>;

export interface AgentComboboxProps {
  label: string;
  /** Label of the empty value; without it an agent is required. */
  none?: string;
  /** Shown in the empty field. Default: the label of the empty value. */
  placeholder?: string;
  /** Shows the list at all times, with the field as its search box. Otherwise the list opens under the field, which shows the value. */
  inline?: boolean;
  value: string;
  onChange: (agentId: string) => void;
  /** The reason why an agent cannot be chosen; null when it can. */
  obstacleOf?: (agent: AgentToChoose) => string | null;
  children: (agent: AgentToChoose) => ReactNode;
  describedBy?: string | undefined;
}

const { ItemClick, InputKeyDownEnter, InputBlur, ControlledPropUpdatedSelectedItem } = useCombobox.stateChangeTypes;
/** The number of matching agents to read ahead. */
const ahead = 50;

/**
 * Chooses one of any number of agents: searched by name, type or role, with more pages read on scrolling. Unavailable agents
 * are shown with the reason.
 */
export function AgentCombobox({
  label,
  none,
  placeholder = none,
  inline = false,
  value,
  onChange,
  obstacleOf = () => null,
  children,
  describedBy,
}: AgentComboboxProps) {
  const [typed, setTyped] = useState(inline ? '' : value);
  const [wasOpened, setOpened] = useState(inline);
  const [wanted, setWanted] = useState(ahead);
  const text = !inline && typed === value ? '' : typed.trim().toLowerCase();
  // The chosen agent stays visible, whatever the search.
  const shows = (agent: AgentToChoose) =>
    (inline && agent.id === value) ||
    [agent.id, agent.type, agent.role].some((word) => word?.toLowerCase().includes(text));
  const { agents, total, hasMore, error, retry } = useAgentPages(
    (read) => wasOpened && read.filter(shows).length < wanted,
  );
  const found = agents.filter(shows);
  const items: Choice[] = none !== undefined && text === '' ? [{ id: '' }, ...found] : found;
  const isOff = (agent: Choice) =>
    agent.type !== undefined && agent.id !== value && obstacleOf(agent as AgentToChoose) !== null;

  const reduce = (
    state: UseComboboxState<Choice>,
    { type, changes }: UseComboboxStateChangeOptions<Choice>,
  ): Partial<UseComboboxState<Choice>> => {
    switch (type) {
      case ItemClick:
      case InputKeyDownEnter:
        if (changes.selectedItem && isOff(changes.selectedItem)) return state;
        return inline ? { ...changes, inputValue: state.inputValue, highlightedIndex: -1 } : changes;
      case InputBlur:
        // Leaving the field selects nothing.
        return { ...changes, selectedItem: state.selectedItem, inputValue: inline ? state.inputValue : value };
      case ControlledPropUpdatedSelectedItem:
        return inline ? { ...changes, inputValue: state.inputValue } : changes;
      default:
        return changes;
    }
  };

  const { isOpen, highlightedIndex, getLabelProps, getInputProps, getMenuProps, getItemProps } = useCombobox<Choice>({
    items,
    itemToString: (item) => item?.id ?? '',
    itemToKey: (item) => item?.id ?? '',
    inputValue: typed,
    selectedItem: value === '' ? null : { id: value },
    stateReducer: reduce,
    onInputValueChange: ({ inputValue }) => setTyped(inputValue),
    onSelectedItemChange: ({ selectedItem }) => onChange(selectedItem?.id ?? ''),
    onIsOpenChange: ({ isOpen: open }) => open && setOpened(true),
    ...(inline ? { isOpen: true } : { defaultHighlightedIndex: 0 }),
  });

  const passOn = (event: React.KeyboardEvent) => {
    // In inline mode, Escape belongs to the dialog, and Enter without a highlighted item to the form.
    const isOurs =
      !inline || (event.key === 'Enter' && highlightedIndex >= 0) || !['Enter', 'Escape'].includes(event.key);
    if (!isOurs) Object.assign(event.nativeEvent, { preventDownshiftDefault: true });
  };

  return (
    <div className={styles.combobox} data-inline={inline}>
      <label {...getLabelProps({ className: 'hidden' })}>{label}</label>
      <input
        {...getInputProps({
          className: `input ${styles.input}`,
          placeholder: inline ? 'Search by name, type or role' : placeholder,
          spellCheck: false,
          maxLength: 100,
          ...(inline && { ref: focusFirst }),
          'aria-describedby': describedBy,
          // Updates at once: through downshift's later callback, fast typing would lose letters.
          onChange: (event: React.ChangeEvent<HTMLInputElement>) => setTyped(event.target.value),
          onKeyDown: passOn,
          onFocus: (event: React.FocusEvent<HTMLInputElement>) => event.target.select(),
        })}
      />
      {!inline && <Icon name="chevron" size={14} />}
      <div className={styles.popup} hidden={!isOpen}>
        <ul {...getMenuProps({ className: styles.list })}>
          {isOpen &&
            items.map((item, index) => (
              <li
                key={item.id}
                {...getItemProps({
                  item,
                  index,
                  className: styles.option,
                  'aria-selected': item.id === value,
                  'aria-disabled': isOff(item),
                  'aria-setsize': hasMore ? -1 : items.length,
                  'aria-posinset': index + 1,
                })}
                data-highlighted={index === highlightedIndex}
              >
                {item.type === undefined ? none : children(item as AgentToChoose)}
              </li>
            ))}
          {/* A new one for each length: an observer says nothing of an end that was in sight before and after a page arrived. */}
          {isOpen && hasMore && !error && <More key={found.length} onSeen={() => setWanted(found.length + ahead)} />}
        </ul>
        {error && <RequestError error={error} onRetry={retry} />}
        <p className={styles.count} role="status">
          {isOpen && !error && countText(found.length, agents.length, total, hasMore, text)}
        </p>
      </div>
    </div>
  );
}

function countText(found: number, read: number, total: number | undefined, hasMore: boolean, text: string): string {
  if (total === undefined) return 'Loading the agents …';
  const of = total === 1 ? '1 agent' : `${total.toLocaleString()} agents`;
  if (text === '') return total === 0 ? 'There are no agents yet.' : of;
  if (hasMore && found < ahead) return `Searching: ${read.toLocaleString()} of ${of} …`;
  return found === 0 ? `None of ${of} matches.` : `${found.toLocaleString()}${hasMore ? ' or more' : ''} of ${of}`;
}

/** The end of the loaded list: reads more when it becomes visible. */
function More({ onSeen }: { onSeen: () => void }) {
  const end = useRef<HTMLLIElement>(null);
  const seen = useRef(onSeen);
  useEffect(() => {
    seen.current = onSeen;
  });
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && seen.current(),
      { root: end.current?.parentElement ?? null, rootMargin: '300px' },
    );
    if (end.current) observer.observe(end.current);
    return () => observer.disconnect();
  }, []);
  return (
    <li ref={end} className={styles.more} aria-hidden="true">
      Loading …
    </li>
  );
}
