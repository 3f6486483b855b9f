import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { usePageTitle } from './pageTitle.ts';
import styles from './app.module.css';

export interface PageProps {
  title: string;
  /** Buttons beside the title. */
  actions?: ReactNode;
  /** One line under the title. */
  intro?: ReactNode;
  children: ReactNode;
}

/** The page that went away had the focus. */
let hadFocus = false;

/** A page: its heading, which is also the tab's title, and its content. */
export function Page({ title, actions, intro, children }: PageProps) {
  usePageTitle(title);
  const main = useRef<HTMLElement>(null);
  // The placeholder of a page gets the focus when one goes there, and passes it on to the page.
  useLayoutEffect(() => {
    const element = main.current;
    if (hadFocus) element?.focus({ preventScroll: true });
    hadFocus = false;
    return () => {
      hadFocus = element?.contains(document.activeElement) === true;
    };
  }, []);
  return (
    <main ref={main} className={styles.page} id="main" tabIndex={-1}>
      <div className={styles.heading}>
        <div className={styles.titles}>
          <h1>{title}</h1>
          {intro && <div className="soft small">{intro}</div>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </div>
      {children}
    </main>
  );
}
