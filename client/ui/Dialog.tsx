import { createContext, useEffect, useId, useRef, useState, type ReactNode } from 'react';
import styles from './Dialog.module.css';
import { Icon } from './Icon.tsx';

export interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** What is to be known before anything is pressed: above the footer, in sight wherever one has scrolled to. */
  notice?: ReactNode;
  /** What stands at its end and does not scroll away. */
  footer?: ReactNode;
  wide?: boolean;
}

/** Where what floats must be put to be above the open dialog; null outside of one. */
export const FloatContext = createContext<HTMLElement | null>(null);

/** The browser's own modal dialog: it keeps the focus, Escape closes it, and the focus goes back where it came from. */
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
      // What opened it may be gone: then the page has the focus, rather than nothing.
      const back = before instanceof HTMLElement && before.isConnected ? before : document.getElementById('main');
      back?.focus({ preventScroll: true });
    };
  }, []);

  return (
    <dialog
      ref={dialog}
      className={`${styles.dialog} ${wide ? styles.wide : ''}`}
      aria-labelledby={heading}
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
