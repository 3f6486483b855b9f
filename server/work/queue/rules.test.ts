import fc from 'fast-check';
import { expect, it } from 'vitest';
import { agingMs, effectiveAt, levelAt, wanted, wantedOf } from './rules.ts';

const start = Date.UTC(2026, 0, 1);
const waiting = fc
  .array(
    fc.record({
      priority: fc.constantFrom('LOW' as const, 'NORMAL' as const, 'HIGH' as const, 'URGENT' as const),
      minutes: fc.nat({ max: 300 }),
      returned: fc.boolean(),
      ms: fc.constantFrom(0, 0, 1, 59_999),
    }),
    { minLength: 2, maxLength: 30 },
  )
  .map((list) =>
    list.map(({ minutes, ms, ...rest }) => ({ ...rest, queuedAt: new Date(start + minutes * 60_000 + ms) })),
  )
  // Ids grow with the time of queueing.
  .map((list) =>
    list
      .toSorted((a, b) => a.queuedAt.getTime() - b.queuedAt.getTime())
      .map((entry, index) => ({ ...entry, id: String(index).padStart(3, '0') })),
  );

it('orders by the stored time as by priority raised one level for every 30 minutes of waiting, then by time, at any moment', () => {
  fc.assert(
    fc.property(waiting, fc.nat({ max: 10_000 }), (entries, later) => {
      const now = new Date(start + 301 * 60_000 + later * 60_000);
      // A level in thirtieths of a minute's millisecond is exact in integers.
      const level = (entry: (typeof entries)[number]): number => Math.round(levelAt(entry, now) * agingMs);
      const byLevel = entries.toSorted((a, b) => level(b) - level(a) || (a.id < b.id ? -1 : 1));
      const stored = entries.toSorted(
        (a, b) => effectiveAt(a).getTime() - effectiveAt(b).getTime() || (a.id < b.id ? -1 : 1),
      );
      expect(stored.map(({ id }) => id)).toEqual(byLevel.map(({ id }) => id));
    }),
  );
});

it('puts a NORMAL session that waited 31 minutes before a new HIGH one, and one that waited 29 minutes behind it', () => {
  const high = { priority: 'HIGH' as const, queuedAt: new Date(start), returned: false };
  const waited = (minutes: number) =>
    effectiveAt({ priority: 'NORMAL', queuedAt: new Date(start - minutes * 60_000), returned: false });
  expect([waited(31) < effectiveAt(high), waited(29) < effectiveAt(high)]).toEqual([true, false]);
});

it('an agent meets what asks for its type, its role, or both', () => {
  expect(wantedOf({ type: 'CLAUDE', role: 'reviewer' })).toEqual([
    wanted(null, null),
    wanted('CLAUDE', null),
    wanted('CLAUDE', 'reviewer'),
    wanted(null, 'reviewer'),
  ]);
  expect(wantedOf({ type: 'CLAUDE', role: null })).toEqual([wanted(null, null), wanted('CLAUDE', null)]);
});

it('puts a return before all of its level, and behind all of the next level, at the moment of queueing', () => {
  fc.assert(
    fc.property(
      waiting,
      fc.constantFrom('LOW' as const, 'NORMAL' as const, 'HIGH' as const, 'URGENT' as const),
      (entries, priority) => {
        const now = new Date(start + 302 * 60_000);
        const own = { priority, queuedAt: now, returned: false };
        const place = effectiveAt({ ...own, returned: true });
        for (const entry of entries) {
          const above = Math.round((levelAt(entry, now) - levelAt(own, now)) * agingMs);
          expect(effectiveAt(entry) > place).toBe(above < agingMs);
        }
      },
    ),
  );
});
