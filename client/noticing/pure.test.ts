import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { deadlineLook, isDistant, leftText } from '../ui/deadline.ts';
import {
  countText,
  hasChanged,
  isUnread,
  type Looked,
  nothingLooked,
  readLooked,
  withAllSeen,
  withInboxSeen,
  withOpened,
} from './looked.ts';
import { handoffNotes } from './notify.ts';

const time = (minute: number): string => `2026-11-23T12:${String(minute).padStart(2, '0')}:00.000Z`;
const session = (id: string, minute: number) => ({ id, lastActivityAt: time(minute) });

describe('what was looked at', () => {
  const looked: Looked = { ...nothingLooked, sessions: time(10) };

  it('a session has changed when its last activity is later than the last look', () => {
    expect([9, 10, 11].map((minute) => hasChanged(looked, session('a', minute)))).toEqual([false, false, true]);
    expect(hasChanged(nothingLooked, session('a', 11))).toBe(false);
  });

  it('the inbox of one agent shows its handoffs, that of all shows every one', () => {
    const handoff = (id: string, minute: number, agent: string) => ({
      id,
      initiatedAt: time(minute),
      targetAgent: { id: agent },
    });
    const waiting = [handoff('c', 12, 'ada'), handoff('b', 11, 'bob'), handoff('a', 10, 'ada')];
    const unread = (now: Looked) => waiting.filter((each) => isUnread(now, each)).map(({ id }) => id);
    const ofAda = withInboxSeen(looked, waiting, 'ada');
    expect(unread(ofAda)).toEqual(['b']);
    expect(unread(withInboxSeen(ofAda, waiting, null))).toEqual([]);
    expect(withInboxSeen(ofAda, waiting, null)).toMatchObject({ inbox: time(12), handoffs: [] });
    expect(withInboxSeen(looked, waiting, 'nobody')).toBe(looked);
  });

  it('opening a session sees it alone, until something happens again', () => {
    const opened = withOpened(looked, session('a', 12));
    expect([session('a', 12), session('a', 13), session('b', 12)].map((each) => hasChanged(opened, each))).toEqual([
      false,
      true,
      true,
    ]);
    expect(withOpened(opened, session('a', 12))).toBe(opened);
    expect(withOpened(opened, session('c', 9))).toBe(opened);
  });

  it('seeing all forgets the single sessions, and never goes back', () => {
    const all = withAllSeen(withOpened(looked, session('a', 12)), [session('b', 14), session('a', 12)]);
    expect(all).toEqual({ inbox: null, handoffs: [], sessions: time(14), opened: {} });
    expect(withAllSeen(all, [session('b', 3)])).toEqual(all);
    expect(withAllSeen(nothingLooked, [])).toEqual(nothingLooked);
  });

  it('keeps the 200 sessions opened last', () => {
    const many = Array.from({ length: 205 }, (_, n) => n).reduce(
      (now, n) => withOpened(now, session(`s${n}`, 20)),
      looked,
    );
    expect(Object.keys(many.opened)).toHaveLength(200);
    expect([hasChanged(many, session('s4', 20)), hasChanged(many, session('s5', 20))]).toEqual([true, false]);
  });

  it('is read from storage, and anything of another form is left out', () => {
    const value = { inbox: time(1), handoffs: ['h1'], sessions: time(2), opened: { a: time(3) } };
    expect(readLooked(JSON.stringify(value))).toEqual(value);
    expect(readLooked('{"inbox": 3, "handoffs": [4], "sessions": "soon", "opened": {"a": "x", "b": null}}')).toEqual(
      nothingLooked,
    );
    for (const text of [null, '', '{broken', 'null', '[]', '7']) expect(readLooked(text)).toEqual(nothingLooked);
    fc.assert(
      fc.property(fc.jsonValue(), (any) => void expect(readLooked(JSON.stringify(any)).opened).toBeTypeOf('object')),
    );
  });
});

test.each([
  [0, false, '0'],
  [3, false, '3'],
  [50, true, '50+'],
])('%i unread, more: %s, is "%s"', (count, more, text) => {
  expect(countText(count, more)).toBe(text);
});

test('each of three handoffs has a notification that opens it, and four have one that opens the inbox', () => {
  const waiting = ['a', 'b', 'c', 'd'].map((id) => ({
    id,
    session: { title: `Work ${id}` },
    targetAgent: { id: id === 'd' ? 'bob' : 'ada' },
  }));
  expect(handoffNotes(waiting.slice(0, 3)).map(({ title, body, path }) => [title, body, path])).toEqual(
    ['a', 'b', 'c'].map((id) => ['Handoff to ada', `Work ${id}`, `/handoffs/${id}`]),
  );
  expect(handoffNotes(waiting)).toEqual([{ title: '4 handoffs wait', body: 'ada, bob', tag: 'baton', path: '/inbox' }]);
});

test('a deadline of years is told from one of days', () => {
  const now = Date.parse(time(0));
  const inDays = (days: number) => isDistant(new Date(now + days * 86_400_000).toISOString(), now);
  expect([-1, 1, 13, 14, 3_300].map(inDays)).toEqual([false, false, false, true, true]);
});

test.each([
  [31, 'far', 'calm', null],
  [15, 'soon', 'wait', '15 min left'],
  [5, 'urgent', 'bad', '5 min left'],
  [0.5, 'urgent', 'bad', 'under 1 min left'],
  [-2, 'passed', 'bad', 'past its deadline'],
])('a deadline in %d minutes is %s', (minutes, near, tone, left) => {
  const now = Date.parse(time(0));
  const at = new Date(now + minutes * 60_000).toISOString();
  expect(deadlineLook(at, now)).toMatchObject({ near, tone });
  expect(leftText(at, now)).toBe(left);
});
