const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});
const steps: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** "3 min. ago", "in 20 min."; within a minute "just now", since clocks differ, unless what `isAhead` has not come. */
export function formatAge(at: string, now: number, isAhead = false): string {
  const distance = new Date(at).getTime() - now;
  const step = steps.find(([, ms]) => Math.abs(distance) >= ms);
  if (!step) return distance > (isAhead ? 0 : 30_000) ? 'in under a minute' : 'just now';
  return relative.format(Math.trunc(distance / step[1]), step[0]);
}

/** The time from `at` to now: "<1 min", "4 min", "3 h", "2 d". */
export function formatSpan(at: string, now: number): string {
  const minutes = Math.floor((now - new Date(at).getTime()) / 60_000);
  if (minutes < 1) return '<1 min';
  if (minutes < 60) return `${minutes} min`;
  return minutes < 1_440 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440).toLocaleString('en')} d`;
}

/** In local time, to the second, with the zone. */
export const formatExact = (at: string): string => exact.format(new Date(at));

/** The zone of local times at this time, such as "GMT+1". */
export const localZone = (at: Date): string =>
  exact.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';

/** "850 ms", "12 s", "4 min", "3 h". */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}
