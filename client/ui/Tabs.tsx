import type { ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './Tabs.module.css';

/** Views of one thing, each with its own URL. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className={styles.tabs} aria-label={label}>
      {children}
    </nav>
  );
}

export interface TabProps {
  href: string;
  isCurrent: boolean;
  word: string;
  /** The number of items; undefined until counted. */
  count: number | undefined;
  /** The browser's Back leaves the page instead of returning to the previous view. */
  replace?: boolean;
}

export function Tab({ href, isCurrent, word, count, replace = false }: TabProps) {
  return (
    <Link href={href} replace={replace} className={styles.tab} aria-current={isCurrent ? 'true' : undefined}>
      {word}
      <Count of={count} />
    </Link>
  );
}

/** A number in a pill, with its space reserved until it is known. */
export function Count({ of }: { of: number | undefined }) {
  return <span className={styles.count}>{of?.toLocaleString() ?? '…'}</span>;
}
