import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { faultOfName, mostViews, readViews, renamed, type SavedView, without, withView } from './saved.ts';

const mine: SavedView = { name: 'Mine', href: '/sessions?agent=ada' };
const waiting: SavedView = { name: 'Waiting', href: '/sessions?open=1&sort=activity' };

describe('saved views', () => {
  it('are kept by name: added, renamed, deleted', () => {
    expect(withView([waiting], { ...mine, name: ' Mine ' })).toEqual([mine, waiting]);
    expect(renamed([mine, waiting], 'Mine', 'Zoe')).toEqual([waiting, { ...mine, name: 'Zoe' }]);
    expect(without([mine, waiting], 'Waiting')).toEqual([mine]);
  });

  test.each([
    ['a new name', 'Third', undefined, null],
    ['its own name', 'Mine', 'Mine', null],
    ['no name', '  ', undefined, 'Give the view a name.'],
    ['the name of another', 'Waiting', 'Mine', 'There is a view named "Waiting": choose another name.'],
    ['too long a name', 'x'.repeat(61), undefined, 'The name has 61 characters; the limit is 60.'],
  ])('with %s', (_what, name, before, fault) => {
    expect(faultOfName([mine, waiting], name, before)).toBe(fault);
  });

  it('are at most 50, and each of these can be renamed', () => {
    const many = Array.from({ length: mostViews }, (_, n) => ({ ...mine, name: `${n}` }));
    expect(faultOfName(many, 'one more')).toBe('There are 50 views: delete one first.');
    expect(faultOfName(many, 'other', '7')).toBeNull();
  });

  it('are read as they were written, whatever their names', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(
          fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((name) => name.trim() === name),
          { maxLength: 20 },
        ),
        (names) => {
          const views = names.reduce<SavedView[]>((list, name) => withView(list, { ...mine, name }), []);
          expect(readViews('sessions', JSON.stringify(views))).toEqual(views);
        },
      ),
    );
  });

  it('of the sessions follow their list, which was the first page', () => {
    expect(readViews('sessions', JSON.stringify([{ ...mine, href: '/?agent=ada' }]))).toEqual([mine]);
  });

  it('leave out what is of another form, or leads elsewhere', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(readViews('handoffs', JSON.stringify(value))).toEqual([]);
      }),
    );
    const stored = [
      mine,
      { name: 'A', href: 'https://elsewhere.example/?a' },
      { name: 'B', href: '//elsewhere.example' },
      { name: '', href: '/?a' },
      { name: 'C', href: '/handoffs?a' },
      null,
    ];
    expect([
      readViews('sessions', JSON.stringify(stored)),
      readViews('sessions', '{broken'),
      readViews('sessions', null),
    ]).toEqual([[mine], [], []]);
  });
});
