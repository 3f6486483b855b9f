import { createContext, useEffect, useId, useRef, useState, type ReactNode } from 'react';
import styles from './Dialog.module.css';
import { Icon } from './Icon.tsx';

export interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** Shown above the footer, and visible at any scroll position. */
  notice?: ReactNode;
  /** Shown at the end, and not scrolled. */
  footer?: ReactNode;
  wide?: boolean;
}

/** Gives a field the focus when its dialog opens. React's autoFocus runs too early for that. */
export const focusFirst = (input: HTMLInputElement | null): void => input?.setAttribute('autofocus', '');

/** The container for floating elements above the open dialog; null outside of one. */
export const FloatContext = createContext<HTMLElement | null>(null);

/** The browser's modal dialog: it traps the focus, Ctrl-Enter does its act, Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, onClose, children, notice, footer, wide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [floats, setFloats] = useState<HTMLElement | null>(null);
  const heading = useId();

  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      // The element that opened it may be gone: then the page gets the focus.
      const back = before instanceof HTMLElement && before.isConnected ? before : document.getElementById('main');
      back?.focus({ preventScroll: true });
    };
  }, []);

  return (
    <dialog
      ref={dialog}
      className={`${styles.dialog} ${wide ? styles.wide : ''}`}
      aria-labelledby={heading}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
        event.preventDefault();
        // The act of a dialog is the last button of its footer.
        [...event.currentTarget.querySelectorAll<HTMLElement>(':scope > footer button')].at(-1)?.click();
      }}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <FloatContext value={floats}>
        <header className={styles.header}>
          <h2 id={heading}>{title}</h2>
          <button type="button" className="button quiet small" onClick={onClose} aria-label="Close">
            <Icon name="cross" />
          </button>
        </header>
        <div className={styles.body}>{children}</div>
        {notice && <div className={styles.notice}>{notice}</div>}
        {footer && <footer className={styles.footer}>{footer}</footer>}
        <div ref={setFloats} />
      </FloatContext>
    </dialog>
  );
}
