import type { ReactNode } from 'react';
import styles from './states.module.css';
import { Icon, type IconName } from './Icon.tsx';

/** An empty state: the reason and a possible next step. */
export function EmptyState({
  icon = 'inbox',
  title,
  children,
}: {
  icon?: IconName;
  title: string;
  children?: ReactNode;
}) {
  return (
    <div className={styles.empty}>
      <Icon name={icon} size={28} />
      <p className={styles.title}>{title}</p>
      {children && <div className={styles.more}>{children}</div>}
    </div>
  );
}
