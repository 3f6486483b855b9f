import styles from './states.module.css';

export interface LoadMoreProps {
  /** The number of shown items. */
  shown: number;
  /** The total; undefined when it is not counted. */
  total: number | undefined;
  hasMore: boolean;
  loading: boolean;
  /** Plural, such as "sessions". */
  noun: string;
  onMore: () => void;
}

/** The end of a list: the shown part of the total, and a button for the next page. */
export function LoadMore({ shown, total, hasMore, loading, noun, onMore }: LoadMoreProps) {
  return (
    <div className={styles.loadMore}>
      <span aria-live="polite">
        {total === undefined
          ? `${shown.toLocaleString()} ${noun}`
          : `${shown.toLocaleString()} of ${total.toLocaleString()} ${noun}`}
      </span>
      {hasMore && (
        <button type="button" className="button" onClick={onMore} aria-disabled={loading}>
          {loading ? 'Loading …' : 'Load more'}
        </button>
      )}
    </div>
  );
}
