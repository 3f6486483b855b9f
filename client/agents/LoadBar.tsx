import styles from './LoadBar.module.css';

/** The used part of an agent's capacity. */
export function LoadBar({ load, capacity }: { load: number; capacity: number }) {
  const free = Math.max(0, capacity - load);
  return (
    <span className={styles.load}>
      <span className={styles.bar} aria-hidden="true">
        <span
          className={styles.fill}
          data-full={free === 0}
          style={{ width: `${Math.min(100, (100 * load) / capacity)}%` }}
        />
      </span>
      <span className={styles.words}>
        {load} of {capacity}
        <span className="hidden"> places taken, {free} free</span>
      </span>
    </span>
  );
}
