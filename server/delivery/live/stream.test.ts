import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Point } from '../../core/history.ts';
import { Hub, type Item, WentBack } from './hub.ts';
import type { EventRow, NumberedRow, Rows } from './hub.ts';
import { Stream } from './stream.ts';

const rowOf = (number: number): NumberedRow => ({
  number,
  id: String(number),
  type: 'SESSION_REASSIGNED',
  at: new Date(number),
  sessionId: null,
  sessionSequence: null,
  reason: null,
  actorPrincipal: 'operator',
  actorRole: 'OPERATOR',
  traceparent: null,
  inboxes: [],
  readers: [],
});

const pointAt = (number: number): Point => ({ number, eventId: number === 0 ? null : String(number) });
const cursor = ({ number }: Point): string => String(number);

interface Subscriber {
  from: number;
  /** Every which event it wants. */
  every: number;
  /** By promises, as Server-Sent Events are; otherwise by calls, as sockets are. */
  pulls: boolean;
  /** Reads what was before its opening from the database, whatever is kept. */
  anew: boolean;
}

const wanted = ({ every }: Subscriber, event: EventRow): boolean => Number(event.id) % every === 0;

/** Reads on until `enough` says that it has all. */
function readOn(stream: Stream, { pulls }: Subscriber, got: Item[], enough: () => boolean): Promise<void> {
  if (pulls) {
    return (async () => {
      while (!enough()) got.push((await stream.next()).value!);
    })();
  }
  return new Promise((resolve) => {
    const goOn = (): void => {
      for (let item = stream.take(); item !== undefined; item = stream.take()) got.push(item);
      if (enough()) resolve();
      else void stream.wait().then(goOn);
    };
    goOn();
  });
}

it('every subscriber gets its events after its cursor once and in order, however far behind it is and however slow the reads', async () => {
  const subscriber = fc.record({
    from: fc.integer({ min: 0, max: 1_300 }),
    every: fc.integer({ min: 1, max: 5 }),
    pulls: fc.boolean(),
    anew: fc.boolean(),
  });
  const story = fc.record({
    subscribers: fc.array(subscriber, { minLength: 1, maxLength: 4 }),
    before: fc.integer({ min: 0, max: 1_300 }),
    inbox: fc.boolean(),
    pruned: fc.record({ upTo: fc.nat({ max: 1_000 }), times: fc.integer({ min: 1, max: 4 }) }),
    steps: fc.array(fc.record({ rows: fc.integer({ min: 0, max: 300 }), beat: fc.boolean() }), { maxLength: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), story, async (scheduler, { subscribers, before, inbox, pruned, steps }) => {
      let committed = 0;
      const lastPruned =
        pruned.times === 1 ? 0 : Math.floor(Math.min(pruned.upTo, before) / pruned.times) * pruned.times;
      /** Of pruned ones only some are gone: their Sessions were. */
      const isThere = (number: number): boolean => number > lastPruned || number % pruned.times !== 0;
      const read = async (after: number, limit: number, known: number): Promise<Rows> => {
        const seen = committed;
        await scheduler.schedule(Promise.resolve());
        const rows: NumberedRow[] = [];
        for (let number = after + 1; number <= seen && rows.length < limit; number += 1)
          if (isThere(number)) rows.push(rowOf(number));
        return { pruned: Math.min(lastPruned, seen), here: hereIs(known, seen), rows };
      };
      const hereIs = (known: number, seen: number): string | null =>
        known > 0 && known <= seen && isThere(known) ? String(known) : null;
      const failed = (error: unknown): void => {
        throw error;
      };
      const hub = new Hub({ read, cursor, inbox, failed }, 0, before);
      committed = before;
      const ready = hub.read();
      await scheduler.waitFor(ready);

      const total = before + steps.reduce((sum, { rows }) => sum + rows, 0);
      const open = subscribers.map((who) => {
        const from = Math.min(who.from, hub.head);
        const stream: Stream = new Stream({
          hub,
          from: pointAt(from),
          resumed: true,
          ...(who.anew && { rereadUpTo: hub.head }),
          accepts: (event) => wanted(who, event),
          failed,
          closed: () => undefined,
        });
        const last = range(from, total).findLast((number) => number % who.every === 0 && isThere(number)) ?? 0;
        const got: Item[] = [];
        const events = (): number[] => got.flatMap(({ event }) => (event === null ? [] : [Number(event.id)]));
        const done = readOn(stream, who, got, () => last <= from || events().includes(last));
        return {
          stream,
          done,
          events,
          expected: range(from, total).filter((number) => number % who.every === 0 && isThere(number)),
        };
      });
      const acts = scheduler.scheduleSequence(
        steps.map(({ rows, beat }) => async () => {
          committed += rows;
          hub.hint(committed);
          if (beat) {
            for (const { stream } of open) stream.beat();
            hub.tick();
          }
        }),
      );
      await scheduler.waitFor(Promise.all([acts.task, ...open.map(({ done }) => done)]));
      for (const { stream, events, expected } of open) {
        expect(events()).toEqual(expected);
        await stream.return();
      }
      // Nobody is behind any more, also where nobody wanted the last, and time goes by.
      await scheduler.waitFor(hub.read());
      for (let n = 0; n < 2; n += 1) hub.tick();
      expect(hub.head).toBe(total);
      expect(hub.size).toBe(inbox ? 0 : Math.min(total - lastPruned, 512));
      expect(hub.listeners.size).toBe(0);
    }),
    { numRuns: 100 },
  );
});

it('subscribers at the head share one heartbeat per tick', () => {
  const hub = new Hub(
    { read: () => Promise.resolve({ rows: [], pruned: 0, here: '7' }), cursor, inbox: false, failed: () => undefined },
    7,
  );
  const beat = hub.heartbeat();
  expect(hub.heartbeat()).toBe(beat);
  hub.tick();
  expect(hub.heartbeat()).not.toBe(beat);
  expect(hub.heartbeat()).toMatchObject({ type: 'HEARTBEAT', cursor: '7' });
});

it('pruned rows do not shift the others, and the newest number is reached without its row', async () => {
  const read = (after: number): Promise<Rows> =>
    Promise.resolve({ pruned: 12, here: null, rows: [6, 8, 9].filter((number) => number > after).map(rowOf) });
  const hub = new Hub({ read, cursor, inbox: false, failed: () => undefined }, 5);
  await hub.read();
  expect([hub.head, hub.pruned]).toEqual([9, 12]);
  expect(hub.after(5)).toBeNull();
  expect(hub.after(7)?.number).toBe(8);
  expect(hub.after(8)?.number).toBe(9);
  expect(hub.after(9)).toBeUndefined();
  const given = new Hub({ read, cursor, inbox: false, failed: () => undefined }, 5, 12);
  await given.read();
  expect(given.head).toBe(12);
  expect(given.after(12)).toBeUndefined();
  expect((await given.older(9)).reached).toBe(12);
});

it('a stream that is behind what was pruned ends with CURSOR_EXPIRED, and one of existing Sessions goes on', async () => {
  const read = (after: number, _limit: number, known: number): Promise<Rows> =>
    Promise.resolve({
      pruned: 8,
      here: known === 9 ? '9' : null,
      rows: [6, 9].filter((number) => number > after).map(rowOf),
    });
  const hub = new Hub({ read, cursor, inbox: false, failed: () => undefined }, 5);
  await hub.read();
  const open = (from: number, prunable: boolean): Stream =>
    new Stream({
      hub,
      from: pointAt(from),
      resumed: true,
      prunable,
      accepts: () => true,
      failed: () => undefined,
      closed: () => undefined,
    });
  const next = async (stream: Stream): Promise<unknown> => (await stream.next()).value?.cursor;
  const behind = open(5, true);
  expect(await next(behind)).toBe('5');
  await expect(behind.next()).rejects.toMatchObject({ code: 'CURSOR_EXPIRED' });
  const ofSessions = open(5, false);
  expect([await next(ofSessions), await next(ofSessions), await next(ofSessions)]).toEqual(['5', '6', '9']);
  const recent = open(8, true);
  expect([await next(recent), await next(recent)]).toEqual(['8', '9']);
});

it('a hub whose number is not given any more, or is that of another event, reads nothing more', async () => {
  const ids = ['1', '2', '3', '4', '5'];
  const read = (after: number, limit: number, known: number): Promise<Rows> =>
    Promise.resolve({
      pruned: 0,
      here: ids[known - 1] ?? null,
      rows: ids.slice(after, after + limit).map((id, at) => ({ ...rowOf(after + at + 1), id })),
    });
  for (const [lost, written] of [
    [2, 0],
    [2, 1],
    [2, 2],
    [2, 9],
  ] as const) {
    ids.splice(0, ids.length, '1', '2', '3', '4', '5');
    const hub = new Hub({ read, cursor, inbox: false, failed: () => undefined }, 0);
    await hub.read();
    expect(hub.point).toEqual({ number: 5, eventId: '5' });
    ids.splice(5 - lost, lost, ...Array.from({ length: written }, (_, n) => `other ${n}`));
    await expect(hub.read()).rejects.toThrow(WentBack);
    await expect(hub.older(1)).rejects.toThrow(WentBack);
    expect(hub.head).toBe(5);
  }
});

const range = (after: number, last: number): number[] =>
  Array.from({ length: Math.max(last - after, 0) }, (_, n) => after + n + 1);
