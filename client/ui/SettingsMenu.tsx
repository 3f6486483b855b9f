import { useRef, type ReactNode } from 'react';
import { Icon, type IconName } from './Icon.tsx';
import styles from './SettingsMenu.module.css';

/** A button that opens settings below it, until the focus leaves them or Escape is pressed. */
export function SettingsMenu({ word, icon, children }: { word: string; icon: IconName; children: ReactNode }) {
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
        <Icon name={icon} size={14} /> {word}
      </summary>
      <div className={`card ${styles.menu}`}>{children}</div>
    </details>
  );
}
