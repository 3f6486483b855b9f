import { useCombobox, type UseComboboxState, type UseComboboxStateChangeOptions } from 'downshift';
import { useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { usePlaces } from '../app/usePlaces.ts';
import { themes, useTheme } from '../app/theme.ts';
import { graphql } from '../gql/gql.ts';
import { Dialog, focusFirst } from '../ui/Dialog.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { Icon } from '../ui/Icon.tsx';
import { savedViews } from '../views/store.ts';
import { useOfferedActions } from './actions.ts';
import { countText, itemOf, itemsFor, pieces, type Item, type Match } from './items.ts';
import styles from './Palette.module.css';
import { recentPlaces } from './recent.ts';

const PaletteSearch = graphql(`
  query PaletteSearch($query: String!) {
    search(query: $query, first: 20) {
      edges {
        match {
          field
          text
          marks {
            start
            end
          }
        }
        node {
          ... on Session {
            __typename
            id
            title
          }
          ... on Agent {
            __typename
            id
            name
          }
          ... on Handoff {
            __typename
            id
            sourceAgent {
              id
            }
            targetAgent {
              id
            }
            session {
              id
              title
            }
          }
          ... on ToolCall {
            __typename
            id
            name
            index
            sequence
            turn {
              session {
                id
                title
              }
            }
          }
          ... on Message {
            __typename
            id
            sequence
            session {
              id
              title
            }
          }
        }
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

const typingPauseMs = 120;
/** A search of one character would find nearly everything. */
const least = 2;
const longest = 500;

const { ItemClick, InputKeyDownEnter, InputBlur, InputKeyDownEscape } = useCombobox.stateChangeTypes;

/** Leaving the field chooses nothing, and a choice keeps what was typed: the palette closes. */
function reduce(
  state: UseComboboxState<Item>,
  { type, changes }: UseComboboxStateChangeOptions<Item>,
): Partial<UseComboboxState<Item>> {
  if (type === InputBlur || type === InputKeyDownEscape)
    return { ...changes, selectedItem: null, inputValue: state.inputValue };
  if (type === ItemClick || type === InputKeyDownEnter) return { ...changes, inputValue: state.inputValue };
  return changes;
}

export interface PaletteProps {
  onClose: () => void;
  onShortcuts: () => void;
}

/** Finds records, goes to pages, and does what the open page offers. */
export default function Palette({ onClose, onShortcuts }: PaletteProps) {
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const own = itemsFor(useOwnItems(typed.trim() === '', onShortcuts), typed);
  const { results, searching, error, more, retry } = useResults(typed.trim());
  const items = [...own, ...results];

  const choose = (item: Item): void => {
    onClose();
    if (item.href !== undefined) navigate(item.href);
    item.run?.();
  };
  const { highlightedIndex, getInputProps, getMenuProps, getItemProps, getLabelProps } = useCombobox<Item>({
    items,
    isOpen: true,
    defaultHighlightedIndex: 0,
    initialHighlightedIndex: 0,
    itemToString: (item) => item?.title ?? '',
    itemToKey: (item) => item?.key ?? '',
    inputValue: typed,
    selectedItem: null,
    stateReducer: reduce,
    onSelectedItemChange: ({ selectedItem }) => selectedItem && choose(selectedItem),
  });
  return (
    <Dialog title="Search and commands" onClose={onClose} wide>
      <label {...getLabelProps({ className: 'hidden' })}>
        Search for sessions, agents, handoffs and messages, or for a page or command
      </label>
      <input
        {...getInputProps({
          className: `input ${styles.input}`,
          placeholder: 'Words, an id, a URL, a page or a command',
          spellCheck: false,
          maxLength: longest,
          ref: focusFirst,
          // At once: through downshift's later callback, fast typing would lose letters.
          onChange: (event: React.ChangeEvent<HTMLInputElement>) => setTyped(event.target.value),
          onKeyDown: (event: React.KeyboardEvent) => {
            // Escape belongs to the dialog.
            if (event.key === 'Escape') Object.assign(event.nativeEvent, { preventDownshiftDefault: true });
          },
        })}
      />
      <ul {...getMenuProps({ className: styles.list })}>
        {items.map((item, index) => (
          <li
            key={item.key}
            {...getItemProps({ item, index, className: styles.item })}
            data-highlighted={index === highlightedIndex}
            data-kind={item.kind}
          >
            <Icon name={item.icon} />
            <span className={styles.text}>
              <span className={styles.title}>{item.title}</span>
              {item.match && <Marked match={item.match} />}
            </span>
            <span className={styles.kind}>{item.kind}</span>
          </li>
        ))}
      </ul>
      {error && <RequestError error={error} onRetry={retry} />}
      <p className={styles.count} role="status">
        {countText(items.length, { searching, failed: error !== undefined, more })}
      </p>
    </Dialog>
  );
}

function Marked({ match }: { match: Match }) {
  return (
    <span className={styles.match}>
      {pieces(match).map(({ text, marked }, index) => (marked ? <mark key={index}>{text}</mark> : text))}
    </span>
  );
}

/** What needs no server: actions of the page, recent places before anything is typed, pages, and settings. */
function useOwnItems(withRecent: boolean, onShortcuts: () => void): Item[] {
  const actions = useOfferedActions();
  const places = usePlaces();
  const [location] = useLocation();
  const [theme, setTheme] = useTheme();
  const [recent] = useState(recentPlaces);
  const [views] = useState(() => [...savedViews('sessions'), ...savedViews('handoffs')]);
  return [
    ...actions.map(({ word, icon, run }): Item => ({ key: `act ${word}`, icon, kind: 'This page', title: word, run })),
    ...(withRecent ? recent.filter(({ path }) => path !== location) : []).map(({ path, title }): Item => ({
      key: `recent ${path}`,
      icon: 'clock',
      kind: 'Recent',
      title,
      href: path,
    })),
    ...views.map(({ name, href }): Item => ({
      key: `view ${href} ${name}`,
      icon: 'list',
      kind: 'View',
      title: name,
      href,
    })),
    ...places.map(({ href, word, icon }): Item => ({ key: `page ${href}`, icon, kind: 'Page', title: word, href })),
    ...themes
      .filter((each) => each !== theme)
      .map((each): Item => ({
        key: `theme ${each}`,
        icon: 'screen',
        kind: 'Setting',
        title: `Theme: ${each}`,
        run: () => setTheme(each),
      })),
    { key: 'shortcuts', icon: 'info', kind: 'Help', title: 'Keyboard shortcuts', run: onShortcuts },
  ];
}

/** The results of what was typed, after a pause in typing. Those of an earlier text are never shown. */
function useResults(text: string) {
  const [query, setQuery] = useState('');
  const wanted = text.length >= least ? text : '';
  useEffect(() => {
    if (wanted === query) return;
    const timer = setTimeout(() => setQuery(wanted), wanted === '' ? 0 : typingPauseMs);
    return () => clearTimeout(timer);
  }, [wanted, query]);
  const [{ data, error, fetching, operation }, ask] = useQuery({
    query: PaletteSearch,
    variables: { query },
    pause: query === '',
    requestPolicy: 'cache-and-network',
  });
  const isCurrent = query !== '' && query === wanted && operation?.variables.query === query;
  const searching = wanted !== '' && (!isCurrent || (fetching && !data));
  return {
    results: isCurrent && data ? data.search.edges.map(itemOf) : [],
    more: isCurrent && data?.search.pageInfo.hasNextPage === true,
    searching,
    error: isCurrent ? error : undefined,
    retry: () => ask({ requestPolicy: 'network-only' }),
  };
}
