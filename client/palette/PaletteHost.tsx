import { lazy, Suspense, useEffect, useState, type ComponentType } from 'react';
import { Icon } from '../ui/Icon.tsx';
import type { PaletteProps } from './Palette.tsx';
import { isTyping } from '../ui/typing.ts';
import { opens, type Opens } from './keys.ts';
import styles from './PaletteHost.module.css';

// Not part of the first load.
const Shortcuts = lazy(() => import('./Shortcuts.tsx'));
const QuickKeys = lazy(() => import('./QuickKeys.tsx'));

/** The button and the keys that open the palette and the list of shortcuts. */
export function PaletteHost() {
  const [opened, setOpened] = useState<Opens>(null);
  // Without `lazy`: React holds back for 300 ms what a lazy component shows, also when its code is there.
  const [Palette, setPalette] = useState<ComponentType<PaletteProps> | null>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const asked = opens({
        key: event.key,
        ctrlKey: event.ctrlKey,
        metaKey: event.metaKey,
        altKey: event.altKey,
        shiftKey: event.shiftKey,
        typing: isTyping(event.target),
      });
      if (asked === null) return;
      event.preventDefault();
      // Another dialog keeps its place: what was typed in it would be covered.
      setOpened((now) =>
        now === asked ? null : now === null && document.querySelector('dialog[open]') ? null : asked,
      );
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  const isWanted = opened === 'palette';
  useEffect(() => {
    if (Palette !== null) return;
    const load = (): void =>
      void import('./Palette.tsx').then(
        ({ default: found }) => setPalette(() => found),
        () => setOpened((now) => (now === 'palette' ? null : now)),
      );
    if (isWanted) return load();
    // When the page has nothing else to do, so that the palette then opens at once. Safari has no requestIdleCallback.
    const timer = setTimeout(() => ('requestIdleCallback' in window ? requestIdleCallback(load) : load()), 2_000);
    return () => clearTimeout(timer);
  }, [Palette, isWanted]);
  const close = () => setOpened(null);
  return (
    <>
      <button
        type="button"
        className={`button small ${styles.open}`}
        aria-keyshortcuts="Control+K Meta+K"
        aria-haspopup="dialog"
        onClick={() => setOpened('palette')}
      >
        <Icon name="search" /> <span className={styles.word}>Search</span>{' '}
        <kbd aria-hidden="true">{isApple ? '⌘ K' : 'Ctrl K'}</kbd>
      </button>
      <Suspense>
        <QuickKeys onNoSearch={() => setOpened('palette')} />
      </Suspense>
      <Suspense>
        {isWanted && Palette !== null && <Palette onClose={close} onShortcuts={() => setOpened('shortcuts')} />}
        {opened === 'shortcuts' && <Shortcuts onClose={close} />}
      </Suspense>
    </>
  );
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
