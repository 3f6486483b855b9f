import type { ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './Tabs.module.css';

/** Views of the same thing, each with an address of its own. */
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
  /** How much there is in it; undefined until it is counted. */
  count: number | undefined;
  /** Going back in the browser leaves the page, rather than going through its views. */
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

/** A number in a pill; its place is kept until it is known. */
export function Count({ of }: { of: number | undefined }) {
  return <span className={styles.count}>{of?.toLocaleString() ?? '…'}</span>;
}
