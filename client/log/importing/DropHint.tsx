import { Icon } from '../../ui/Icon.tsx';
import styles from './DropHint.module.css';

/** Covers the page while files are dragged over it. */
export function DropHint({ children }: { children: string }) {
  return (
    <div className={styles.hint} aria-hidden="true">
      <span>
        <Icon name="upload" size={28} /> {children}
      </span>
    </div>
  );
}
