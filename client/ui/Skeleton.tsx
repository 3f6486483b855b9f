import styles from './states.module.css';

/** A placeholder of the content's size during loading. */
export function Skeleton({ height = '1rem', width = '100%' }: { height?: string; width?: string }) {
  return <span className={styles.skeleton} style={{ height, width }} aria-hidden="true" />;
}

/** A placeholder for a list. */
export function SkeletonRows({
  rows = 6,
  height = '4.25rem',
  label,
}: {
  rows?: number;
  height?: string;
  label: string;
}) {
  return (
    <div className={styles.stack} role="status">
      <span className="hidden">{label}</span>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={height} />
      ))}
    </div>
  );
}
