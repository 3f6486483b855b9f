import { expect, it } from 'vitest';
import { formatSpan } from './time.ts';

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
