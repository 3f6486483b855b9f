import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { Icon } from './Icon.tsx';
import styles from './states.module.css';

interface ErrorNoteProps {
  /** For what is described by it. */
  id?: string;
  title?: string;
  children?: ReactNode;
  onRetry?: () => void;
  /** Not announced at once: for what changes while one types. */
  quiet?: boolean;
}

/** An error message, announced by screen readers. */
export function ErrorNote({ id, title, children, onRetry, quiet = false }: ErrorNoteProps) {
  return (
    <div id={id} className={styles.error} role={quiet ? undefined : 'alert'}>
      <Icon name="alert" />
      <div className={styles.words}>
        {title && <strong>{title}</strong>}
        {children && <span>{children}</span>}
      </div>
      {onRetry && (
        <button type="button" className="button small" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** The message for a failed query or mutation. */
export function RequestError({ error, onRetry }: { error: CombinedError; onRetry?: () => void }) {
  return (
    <ErrorNote title={error.networkError ? 'Baton did not answer' : 'The request failed'} onRetry={onRetry}>
      {errorText(error)}
    </ErrorNote>
  );
}

/** What went wrong, in words for people. */
export function errorText(error: CombinedError): string {
  const [first] = error.graphQLErrors;
  if (first) return first.message;
  return 'Check that the server is running and that this machine reaches it. The page may be out of date.';
}
