import type { ReactNode } from 'react';
import { usePageTitle } from './pageTitle.ts';
import { useFocusPassedOn } from './useFocusPassedOn.ts';
import styles from './app.module.css';

export interface PageProps {
  title: string;
  /** Buttons beside the title. */
  actions?: ReactNode;
  /** One line under the title. */
  intro?: ReactNode;
  /** Makes the page as high as the window at least, and its heading one line where it fits. */
  fills?: boolean;
  children: ReactNode;
}

/** A page: its heading, which is also the tab's title, and its content. */
export function Page({ title, actions, intro, fills = false, children }: PageProps) {
  usePageTitle(title);
  const main = useFocusPassedOn();
  return (
    <main ref={main} className={`${styles.page} ${fills ? styles.fills : ''}`} id="main" tabIndex={-1}>
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
