import { lazy, Suspense, useEffect, useState } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { opens, type Opens } from './keys.ts';
import styles from './PaletteHost.module.css';

// Not part of the first load.
const Palette = lazy(() => import('./Palette.tsx'));
const Shortcuts = lazy(() => import('./Shortcuts.tsx'));

/** The button and the keys that open the palette and the list of shortcuts. */
export function PaletteHost() {
  const [opened, setOpened] = useState<Opens>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const asked = opens({ key: event.key, ctrlKey: event.ctrlKey, metaKey: event.metaKey, altKey: event.altKey, shiftKey: event.shiftKey, typing: isTyping(event.target) });
      if (asked === null) return;
      event.preventDefault();
      // Another dialog keeps its place: what was typed in it would be covered.
      setOpened((now) => (now === asked ? null : now === null && document.querySelector('dialog[open]') ? null : asked));
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  const close = () => setOpened(null);
  return (
    <>
      <button type="button" className={`button small ${styles.open}`} aria-keyshortcuts="Control+K Meta+K" aria-haspopup="dialog" onClick={() => setOpened('palette')}>
        <Icon name="search" /> <span className={styles.word}>Search</span> <kbd aria-hidden="true">{isApple ? '⌘ K' : 'Ctrl K'}</kbd>
      </button>
      <Suspense>
        {opened === 'palette' && <Palette onClose={close} onShortcuts={() => setOpened('shortcuts')} />}
        {opened === 'shortcuts' && <Shortcuts onClose={close} />}
      </Suspense>
    </>
  );
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

const isTyping = (target: EventTarget | null): boolean => target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
