import { expect, it } from 'vitest';
import { formatAge, formatSpan } from './time.ts';

it('says a span in its largest whole unit', () => {
  const now = Date.parse('2026-01-10T12:00:00Z');
  const spans = {
    '2026-01-10T11:59:01Z': '<1 min',
    '2026-01-10T12:00:09Z': '<1 min',
    '2026-01-10T11:59:00Z': '1 min',
    '2026-01-10T11:00:01Z': '59 min',
    '2026-01-10T11:00:00Z': '1 h',
    '2026-01-09T12:00:01Z': '23 h',
    '2026-01-09T12:00:00Z': '1 d',
    '2022-01-10T12:00:00Z': '1,461 d',
  };
  for (const [at, text] of Object.entries(spans)) expect([at, formatSpan(at, now)]).toEqual([at, text]);
});

it('says that a time that is waited for is near, not that it was', () => {
  const now = Date.parse('2026-01-10T12:00:00Z');
  const in10s = '2026-01-10T12:00:10Z';
  expect([formatAge(in10s, now, true), formatAge(in10s, now)]).toEqual(['in under a minute', 'just now']);
  expect(formatAge('2026-01-10T11:59:50Z', now, true)).toBe('just now');
});
