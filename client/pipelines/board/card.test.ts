import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionStatus } from '../../gql/graphql.ts';
import { cardsIn, columnOf, keyOf, movesText, type Card, type Column } from './card.ts';
import { columnsOf } from './columns.ts';
import { readBoardView, writeBoardView } from './view.ts';

const cards: fc.Arbitrary<Card> = fc
  .record({
    id: fc.integer({ min: 0, max: 30 }),
    status: fc.constantFrom<SessionStatus>('RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED'),
    stage: fc.option(fc.constantFrom('a', 'b', 'c')),
    slug: fc.constantFrom('p', 'other'),
    version: fc.constantFrom(1, 2),
  })
  .map(
    ({ id, status, stage, slug, version }) =>
      ({
        id: String(id),
        title: `Card ${id}`,
        status,
        createdAt: String(id % 7),
        pipeline: { stage, pipeline: { id: slug, slug, version } },
      }) as Card,
  );
const views = fc.record({ slug: fc.constant('p'), version: fc.option(fc.constantFrom(1, 2)) });
const columns: Column[] = [{ stage: 'a' }, { stage: 'b' }, { stage: 'c' }, 'finished'];

describe('the cards of a board', () => {
  it('are each in the one column where the session is now, oldest first in a stage, newest first when finished', () => {
    fc.assert(
      fc.property(views, fc.array(cards), fc.array(cards), (view, read, moved) => {
        const shown = columns.map((column) => cardsIn(view, column, read, moved));
        const ids = shown.flat().map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const [index, column] of columns.entries()) {
          for (const card of shown[index]!) expect(keyOf(columnOf(view, card))).toBe(keyOf(column));
          const order = shown[index]!.map(({ createdAt }) => createdAt);
          expect(order).toEqual(column === 'finished' ? order.toSorted().toReversed() : order.toSorted());
        }
        for (const card of [...moved, ...read]) {
          // The last one that was read, else the last one that moved.
          const last = read.findLast(({ id }) => id === card.id) ?? moved.findLast(({ id }) => id === card.id)!;
          expect(ids.includes(card.id)).toBe(columnOf(view, last) !== null);
        }
      }),
    );
  });

  it('leave a column when the session is of another pipeline or version, or left its pipeline', () => {
    const card = { status: 'RUNNING', pipeline: { stage: 'a', pipeline: { id: 'x', slug: 'p', version: 1 } } } as Card;
    expect(columnOf({ slug: 'p', version: null }, card)).toEqual({ stage: 'a' });
    expect(columnOf({ slug: 'p', version: 2 }, card)).toBeNull();
    expect(columnOf({ slug: 'q', version: null }, card)).toBeNull();
    expect(columnOf({ slug: 'p', version: null }, { ...card, pipeline: null })).toBeNull();
  });
});

it('says moves in words, and their number when they are many', () => {
  const move = (title: string, before: string | null | undefined, now: string | null) => ({
    before: before === undefined ? undefined : { title, key: before },
    now: { title, key: now },
  });
  expect(
    movesText([move('A', 'stage a', 'stage b'), move('B', 'stage b', 'finished'), move('C', undefined, 'stage a')]),
  ).toBe('A: now in b. B: finished. C: now in a.');
  expect(movesText([move('A', 'stage a', 'stage a'), move('B', undefined, null)])).toBe('');
  expect(movesText([move('A', 'stage a', null)])).toBe('A: no longer on this board.');
  expect(movesText(Array.from({ length: 4 }, (_, index) => move(String(index), 'stage a', 'stage b')))).toBe(
    '4 sessions moved.',
  );
});

it('shows the stages of the newest version, then those that only earlier ones have', () => {
  const versions = [
    { version: 1, stages: [{ name: 'a' }, { name: 'b', role: 'writer' }] },
    { version: 2, stages: [{ name: 'c' }, { name: 'b' }] },
  ];
  expect(columnsOf({ slug: 'p', version: null }, versions)).toEqual([
    { stage: 'c', role: null, isEarlier: false },
    { stage: 'b', role: null, isEarlier: false },
    { stage: 'a', role: null, isEarlier: true },
  ]);
  expect(columnsOf({ slug: 'p', version: 1 }, versions).map(({ stage, isEarlier }) => [stage, isEarlier])).toEqual([
    ['a', false],
    ['b', false],
  ]);
});

it('keeps the version in the URL, and ignores what is none', () => {
  for (const version of [null, 3])
    expect(readBoardView('p', writeBoardView({ slug: 'p', version }).split('?')[1] ?? '')).toEqual({
      slug: 'p',
      version,
    });
  for (const wrong of ['version=0', 'version=-1', 'version=1.5', 'version=x', ''])
    expect(readBoardView('p', wrong).version).toBeNull();
});
