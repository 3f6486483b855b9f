import { memo, useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { CombinedError } from 'urql';
import { RequestError } from '../ui/ErrorNote.tsx';
import { LogEntry } from './LogEntry.tsx';
import { LogEvents } from './LogEvents.tsx';
import type { LogPages, Read } from './logPages.ts';
import { elementOf, type Target } from './place.ts';
import { RoutedEntry } from './RoutedEntry.tsx';
import styles from './SessionLog.module.css';
import { ToolCalls } from './ToolCalls.tsx';

interface LogRowProps {
  pages: LogPages;
  number: number;
  isFirst: boolean;
  /** Null unless it is in this row. */
  target: Target | null;
}

/** One message with what precedes and follows it. */
export const LogRow = memo(function LogRow({ pages, number, isFirst, target }: LogRowProps) {
  const watch = useCallback((listener: () => void) => pages.watch(number, listener), [pages, number]);
  const message: Read = useSyncExternalStore(watch, () => pages.at(number));
  const row = useRef<HTMLDivElement>(null);
  const known = message !== undefined;
  useEffect(() => {
    if (!known || target === null || target.call !== null || !target.takesFocus) return;
    row.current?.focus({ preventScroll: true });
  }, [known, target]);
  return (
    <div ref={row} className={styles.entry} tabIndex={-1} data-target={target !== null && target.call === null}>
      {isFirst && <p className={styles.begin}>The conversation begins here.</p>}
      {message === undefined && <div className={styles.coming} data-coming />}
      {message instanceof CombinedError && <RequestError error={message} onRetry={() => pages.retry(number)} />}
      {message && !(message instanceof CombinedError) && (
        <>
          {message.role === 'HANDOFF' ? (
            <RoutedEntry message={message} />
          ) : (
            <LogEntry message={message} isTarget={target !== null} />
          )}
          {message.toolCalls.length > 0 && (
            <ToolCalls
              key={message.id}
              messageId={message.id}
              number={number}
              calls={message.toolCalls}
              target={target}
            />
          )}
          <LogEvents events={message.events} />
        </>
      )}
    </div>
  );
});

export const rowId = (number: number): string => elementOf({ message: number, call: null });
