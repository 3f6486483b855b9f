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
