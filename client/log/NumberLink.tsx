import { Link, useLocation, useSearch } from 'wouter';
import { hashOf } from './place.ts';
import styles from './LogEntry.module.css';

/** The number of a message: a link to it, for others too. */
export function NumberLink({ number }: { number: number }) {
  const [path] = useLocation();
  const search = useSearch();
  return (
    <Link
      href={`${path}${search === '' ? '' : `?${search}`}${hashOf({ message: number, call: null })}`}
      className={styles.number}
      aria-label={`Link to message ${number}`}
    >
      #{number}
    </Link>
  );
}
