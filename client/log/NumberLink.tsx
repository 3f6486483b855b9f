import { Link, useLocation, useSearch } from 'wouter';
import { copyText } from '../ui/CopyId.tsx';
import { hashOf } from './place.ts';
import styles from './LogEntry.module.css';

/** The number of a message: a link to it, which is also copied for others. */
export function NumberLink({ number }: { number: number }) {
  const [path] = useLocation();
  const search = useSearch();
  return (
    <Link
      href={`${path}${search === '' ? '' : `?${search}`}${hashOf({ message: number, call: null })}`}
      className={styles.number}
      aria-label={`Link to message ${number}`}
      title="Copy the link"
      onClick={(event) => void copyText(event.currentTarget.href, `link to message ${number}`)}
    >
      #{number}
    </Link>
  );
}
