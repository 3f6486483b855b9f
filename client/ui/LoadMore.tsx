import styles from './states.module.css';

export interface LoadMoreProps {
  /** How many are shown. */
  shown: number;
  /** How many there are; undefined when nobody counted. */
  total: number | undefined;
  hasMore: boolean;
  loading: boolean;
  /** In the plural: "sessions". */
  noun: string;
  onMore: () => void;
}

/** The end of a list: how much of it is here, and the next page. */
export function LoadMore({ shown, total, hasMore, loading, noun, onMore }: LoadMoreProps) {
  return (
    <div className={styles.loadMore}>
      <span aria-live="polite">
        {total === undefined ? `${shown.toLocaleString()} ${noun}` : `${shown.toLocaleString()} of ${total.toLocaleString()} ${noun}`}
      </span>
      {hasMore && (
        <button type="button" className="button" onClick={onMore} aria-disabled={loading}>
          {loading ? 'Loading …' : 'Load more'}
        </button>
      )}
    </div>
  );
}
