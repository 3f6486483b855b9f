/** The parts of a keyboard event that matter. */
export interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  /** Whether the key writes text where it was pressed. */
  typing: boolean;
}

export type Opens = 'palette' | 'shortcuts' | null;

/** What a key opens: Ctrl-K or Cmd-K the palette, also while typing; `?` the list of shortcuts. */
export function opens({ key, ctrlKey, metaKey, altKey, shiftKey, typing }: Pressed): Opens {
  if (key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey) return 'palette';
  return key === '?' && !typing && !ctrlKey && !metaKey && !altKey ? 'shortcuts' : null;
}

export const shortcuts: { keys: string[]; does: string }[] = [
  { keys: ['Ctrl K', '⌘ K'], does: 'Search, go to a page, or act on the open page' },
  { keys: ['?'], does: 'Show this list' },
  { keys: ['↑', '↓'], does: 'Choose a result in a list' },
  { keys: ['Home', 'End'], does: 'Choose the first or the last result' },
  { keys: ['Enter'], does: 'Open the chosen result' },
  { keys: ['F8'], does: 'Go to the last notice, such as one with an Undo button' },
  { keys: ['j', 'k'], does: 'On Decide: go to the next or the previous one' },
  { keys: ['a', 'e', 'd'], does: 'On Decide and on a session: approve, edit or decline; 1 to 9 choose an answer' },
  { keys: ['r'], does: 'On Decide and on a session that waits for a person: resume it while it is paused' },
  { keys: ['Ctrl Enter', '⌘ Enter'], does: 'On Decide: send what was typed' },
  { keys: ['Esc'], does: 'Close a dialog or a menu, or clear a selection' },
];
