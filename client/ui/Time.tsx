import { useNow } from './clock.ts';
import { formatAge, formatExact } from './time.ts';

/** A relative time, with the exact local time on hover. `isAhead`: one that is waited for. */
export function Time({ at, isAhead = false }: { at: string; isAhead?: boolean }) {
  const now = useNow();
  return (
    <time dateTime={at} title={formatExact(at)}>
      {formatAge(at, now, isAhead)}
    </time>
  );
}
