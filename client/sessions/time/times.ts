/** A part of time, in milliseconds since 1970. */
export interface Span {
  from: number;
  to: number;
}

export interface TimedTenure {
  startedAt: string;
  endedAt?: string | null;
  state: string;
  initiatedByHandoff?: { acceptedAt?: string | null } | null;
}

/** How long an agent had the session, and the part of it before it accepted; null when it had nothing to accept. */
export function spansOf(
  { startedAt, endedAt, state, initiatedByHandoff }: TimedTenure,
  now: number,
): { held: Span; waited: Span | null } {
  const from = Date.parse(startedAt);
  const to = Math.max(from, endedAt == null ? now : Date.parse(endedAt));
  const isOpen = state === 'PENDING' || state === 'DECLINED';
  if (!initiatedByHandoff) return { held: { from, to }, waited: null };
  const accepted =
    initiatedByHandoff.acceptedAt == null ? (isOpen ? to : from) : Date.parse(initiatedByHandoff.acceptedAt);
  const until = Math.min(Math.max(accepted, from), to);
  return { held: { from, to }, waited: until > from ? { from, to: until } : null };
}

/** The whole of some spans: at least a second, so that it can be drawn. */
export function wholeOf(spans: readonly Span[]): Span {
  const from = Math.min(...spans.map((span) => span.from));
  return { from, to: Math.max(from + 1_000, ...spans.map((span) => span.to)) };
}

/** The part of the whole after zooming by a factor around its middle, or moving by a part of its length; never beyond the whole, never under a second. */
export function viewOf(view: Span, whole: Span, { zoom = 1, move = 0 }: { zoom?: number; move?: number }): Span {
  const length = Math.min(whole.to - whole.from, Math.max(1_000, (view.to - view.from) / zoom));
  const middle = (view.from + view.to) / 2 + move * (view.to - view.from);
  const from = Math.min(Math.max(whole.from, middle - length / 2), whole.to - length);
  return { from, to: from + length };
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const steps = [1, 2, 5, 10, 15, 30]
  .map((count) => count * second)
  .concat(
    [1, 2, 5, 10, 15, 30].map((count) => count * minute),
    [1, 2, 3, 6, 12].map((count) => count * hour),
    [1, 2, 7, 14, 30, 90, 365].map((count) => count * day),
  );

/** At most `most` round moments within a view, counted from the beginning of the whole, each with the time since then. */
export function ticksOf(view: Span, origin: number, most: number): { at: number; word: string }[] {
  const step = steps.find((each) => (view.to - view.from) / each <= most) ?? (view.to - view.from) / most;
  const ticks: { at: number; word: string }[] = [];
  for (let count = Math.ceil((view.from - origin) / step); origin + count * step <= view.to; count += 1)
    ticks.push({ at: origin + count * step, word: wordOf(count * step) });
  return ticks;
}

/** "0", "45 s", "1 h 30 min", "2 d 6 h". */
function wordOf(ms: number): string {
  const parts = (
    [
      ['d', day, Infinity],
      ['h', hour, 24],
      ['min', minute, 60],
      ['s', second, 60],
    ] as const
  ).flatMap(([unit, size, most]) => {
    const count = Math.floor(ms / size) % most;
    return count === 0 ? [] : [`${count} ${unit}`];
  });
  return parts.slice(0, 2).join(' ') || '0';
}

/** Where a span lies in a view, in percent; null when it lies outside. */
export function placeIn({ from, to }: Span, view: Span): { left: string; width: string } | null {
  if (to < view.from || from > view.to) return null;
  const percent = (at: number): number =>
    ((Math.min(Math.max(at, view.from), view.to) - view.from) / (view.to - view.from)) * 100;
  return { left: `${percent(from).toFixed(3)}%`, width: `${(percent(to) - percent(from)).toFixed(3)}%` };
}
