import type { ReactNode } from 'react';
import { Icon, type IconName } from '../../ui/Icon.tsx';
import styles from './HandoffPayload.module.css';

interface PartProps {
  icon: IconName;
  title: string;
  count?: number;
  note?: string | undefined;
  children: ReactNode;
}

/** One section of a handoff's content. */
export function Part({ icon, title, count, note, children }: PartProps) {
  return (
    <section className={styles.part}>
      <h3>
        <Icon name={icon} size={14} /> {title}
        {count !== undefined && <span className={styles.count}>{count.toLocaleString()}</span>}
        {note && <span className={styles.note}>{note}</span>}
      </h3>
      {children}
    </section>
  );
}
