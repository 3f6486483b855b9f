import { useNow } from './clock.ts';
import { formatAge, formatExact } from './time.ts';

/** A relative time, with the exact local time on hover. */
export function Time({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={formatExact(at)}>
      {formatAge(at, now)}
    </time>
  );
}
