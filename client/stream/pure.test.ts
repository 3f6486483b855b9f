import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { buildSchema, isEnumType, parse, validate } from 'graphql';
import { describe, expect, it, test } from 'vitest';
import { delayAfter } from './backoff.ts';
import { judge, judgeClosing } from './errors.ts';
import { eventTypes, requestOf, type Topic } from './requests.ts';
import { Sequences, type Numbered, type Promised } from './sequences.ts';

describe('the wait before a retry', () => {
  const backoff = { baseMs: 500, capMs: 30_000 };

  it('has a limit that doubles with each failure, up to the cap', () => {
    const most = (failures: number) => delayAfter(failures, backoff, () => 1);
    expect([1, 2, 3, 6, 7, 1_000].map(most)).toEqual([500, 1_000, 2_000, 16_000, 30_000, 30_000]);
  });

  it('is a random time below the limit', () => {
    expect(delayAfter(4, backoff, () => 0)).toBe(0);
    expect(delayAfter(4, backoff, () => 0.5)).toBe(2_000);
    expect(new Set(Array.from({ length: 100 }, () => delayAfter(10, backoff))).size).toBeGreaterThan(90);
  });
});

describe('the check of sequence numbers', () => {
  const inSession = (id: string, sessionSequence: number): Numbered => ({
    cursor: `${id}-${sessionSequence}`,
    sessionSequence,
    session: { id },
  });
  const inInbox = (inboxSequence: number): Numbered => ({ cursor: `i${inboxSequence}`, inboxSequence });

  function judgements(promised: Promised, events: Numbered[]): string[] {
    const sequences = new Sequences(promised);
    return events.map((event) => {
      const judged = sequences.judge(event);
      if (judged.is === 'next') sequences.take(event);
      return judged.is === 'gap' ? `gap in ${judged.stream}: ${judged.expected}, not ${judged.received}` : judged.is;
    });
  }

  it('accepts any first number of an inbox, then expects the next', () => {
    expect(judgements('inbox', [7, 8, 8, 7, 10, 9].map(inInbox))).toEqual([
      'next',
      'next',
      'repeat',
      'repeat',
      'gap in inbox: 9, not 10',
      'next',
    ]);
  });

  it('numbers each session separately', () => {
    const events = [inSession('a', 1), inSession('b', 5), inSession('a', 2), inSession('b', 7), inSession('a', 2)];
    expect(judgements('sessions', events)).toEqual(['next', 'next', 'next', 'gap in b: 6, not 7', 'repeat']);
  });

  it('accepts growing numbers in a filtered stream', () => {
    expect(judgements('growing', [inSession('a', 1), inSession('a', 9), inSession('a', 4)])).toEqual([
      'next',
      'next',
      'repeat',
    ]);
  });

  it('identifies events without a session by their cursors', () => {
    expect(
      judgements(
        'sessions',
        ['x', 'x', 'y'].map((cursor) => ({ cursor })),
      ),
    ).toEqual(['next', 'repeat', 'next']);
  });

  it('accepts any number after a known gap', () => {
    const sequences = new Sequences('inbox');
    sequences.take(inInbox(3));
    sequences.forget();
    expect(sequences.judge(inInbox(90))).toEqual({ is: 'next' });
  });

  it('uses bounded memory for any number of sessions, and keeps the latest', () => {
    const sequences = new Sequences('sessions');
    for (let n = 0; n < 30_000; n += 1) sequences.take(inSession(`s${n}`, 1));
    expect(sequences.judge(inSession('s29999', 3)).is).toBe('gap');
    expect(sequences.judge(inSession('s0', 3)).is).toBe('next');
  });

  it('detects a lost, a repeated or two swapped events anywhere', () => {
    const damaged = fc.record({
      length: fc.integer({ min: 3, max: 60 }),
      at: fc.nat(),
      damage: fc.constantFrom('lost', 'repeated', 'swapped'),
    });
    fc.assert(
      fc.property(damaged, ({ length, at, damage }) => {
        const numbers = Array.from({ length }, (_, n) => n + 1);
        // Nobody misses what comes before the first, or after the last.
        const place = 1 + (at % (length - 2));
        if (damage === 'lost') numbers.splice(place, 1);
        if (damage === 'repeated') numbers.splice(place, 0, numbers[place]!);
        if (damage === 'swapped') numbers.splice(place, 2, numbers[place + 1]!, numbers[place]!);
        const said = judgements('inbox', numbers.map(inInbox));
        expect(said.some((judged) => judged !== 'next')).toBe(true);
      }),
    );
  });
});

describe('the decision at the end of a stream', () => {
  const refusal = (code?: string) => [{ message: 'no', extensions: code === undefined ? {} : { code } }];

  it('retries after UNAVAILABLE, RATE_LIMITED and internal errors, and ends after a refusal', () => {
    const verdicts = [
      'UNAVAILABLE',
      'RATE_LIMITED',
      'INTERNAL_SERVER_ERROR',
      'CURSOR_EXPIRED',
      'FORBIDDEN',
      'UNAUTHENTICATED',
      'BAD_USER_INPUT',
      'LIMIT_EXCEEDED',
      undefined,
    ].map((code) => judge(refusal(code)).verdict);
    expect(verdicts).toEqual(['retry', 'retry', 'retry', 'expired', 'end', 'end', 'end', 'end', 'end']);
  });

  it('retries after a lost socket, sooner after a restart and later after too many connections, and ends after a wrong key', () => {
    const verdict = (code: number | undefined) => judgeClosing({ code, reason: '' }).verdict;
    expect([1006, 1000, undefined, 4408, 4499].map(verdict)).toEqual(['retry', 'retry', 'retry', 'retry', 'retry']);
    expect([1001, 1012].map(verdict)).toEqual(['restart', 'restart']);
    expect([1008, 1013].map(verdict)).toEqual(['later', 'later']);
    expect([4400, 4401, 4403, 4406, 4409, 4429].map(verdict)).toEqual(['end', 'end', 'end', 'end', 'end', 'end']);
    expect(judgeClosing({ code: 4401, reason: 'the key was revoked' })).toMatchObject({
      error: { code: 'UNAUTHENTICATED', message: /revoked/ },
    });
  });
});

describe('the contract in schema.graphql', () => {
  const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));
  const topics: Topic[] = [
    { kind: 'handoffAssigned', agentId: 'a' },
    { kind: 'handoffEvents' },
    { kind: 'handoffEvents', where: { sessionId: 's' } },
    { kind: 'handoffEvents', where: { sessionId: 's', agentId: 'a' } },
    { kind: 'sessionUpdated' },
    { kind: 'sessionUpdated', sessionIds: ['s'] },
  ];

  test.each(topics)('has the fields of the request for %o', (topic) => {
    // Without it, anything would be valid.
    expect(schema.getSubscriptionType()).toBeDefined();
    const { query } = requestOf(topic, 'handoff { id status }');
    expect(validate(schema, parse(query)).map(({ message }) => message)).toEqual([]);
  });

  test('has the same event types', () => {
    const type = schema.getType('EventType');
    const values = isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
    expect(values.toSorted()).toEqual([...eventTypes, 'READY', 'HEARTBEAT'].toSorted());
  });
});
