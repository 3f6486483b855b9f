import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { encodeId } from './ids.ts';
import { handoffSpan, readTraceparent, sessionSpan, spanOf, tenureSpan, traceparentOf } from './traceparent.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const session = '0190a5e0-0000-7000-8000-000000000001';

describe('a traceparent', () => {
  test.each([
    ['of version 00', `00-${traceId}-${spanId}-01`, `00-${traceId}-${spanId}-01`],
    ['that is not sampled', `00-${traceId}-${spanId}-00`, `00-${traceId}-${spanId}-00`],
    ['with the flag of random ids', `00-${traceId}-${spanId}-03`, `00-${traceId}-${spanId}-03`],
    ['of a later version', `cc-${traceId}-${spanId}-01`, `00-${traceId}-${spanId}-01`],
    ['of a later version with more parts', `cc-${traceId}-${spanId}-09-what-follows`, `00-${traceId}-${spanId}-01`],
  ])('%s is read', (_what, given, read) => expect(readTraceparent(given)).toBe(read));

  test.each([
    ['version ff', `ff-${traceId}-${spanId}-01`],
    ['more parts than version 00 has', `00-${traceId}-${spanId}-01-what`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['a span id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['capital letters', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['a trace id that is too short', `00-${traceId.slice(1)}-${spanId}-01`],
    ['flags of one digit', `00-${traceId}-${spanId}-1`],
    ['two values', `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
    ['spaces around it', ` 00-${traceId}-${spanId}-01`],
    ['a line break', `00-${traceId}-${spanId}-01\n`],
    ['another type', 7],
    ['nothing', undefined],
    ['a text without end', `cc-${traceId}-${spanId}-01-${'x'.repeat(1_000)}`],
  ])('with %s counts as none', (_what, given) => expect(readTraceparent(given)).toBeNull());
});

test('names the same span that every program computes from the ids', () => {
  const { traceId } = sessionSpan(session);
  expect(traceId).toBe(createHash('sha256').update(encodeId('session', session)).digest('hex').slice(0, 32));
  expect(
    new Set(
      [sessionSpan(session), tenureSpan(session, session), handoffSpan(session, session)].map(({ spanId }) => spanId),
    ).size,
  ).toBe(3);
  const written = traceparentOf(tenureSpan(session, session));
  expect(readTraceparent(written)).toBe(written);
  expect(spanOf(written)).toEqual({ ...tenureSpan(session, session), sampled: true });
});
