import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { countText, itemsFor, itemOf, pieces, type Item } from './items.ts';
import { opens, type Pressed } from './keys.ts';
import { isRecord, readRecent, withRecent } from './recent.ts';

const pressed = (part: Partial<Pressed>): Pressed => ({
  key: 'k',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  typing: false,
  ...part,
});

test.each([
  ['Ctrl-K', pressed({ ctrlKey: true }), 'palette'],
  ['Cmd-K', pressed({ metaKey: true }), 'palette'],
  ['Ctrl-K while typing', pressed({ ctrlKey: true, typing: true }), 'palette'],
  ['Ctrl-K with caps lock', pressed({ key: 'K', ctrlKey: true }), 'palette'],
  ['?', pressed({ key: '?', shiftKey: true }), 'shortcuts'],
  ['? while typing', pressed({ key: '?', shiftKey: true, typing: true }), null],
  ['k', pressed({}), null],
  ['Ctrl-Shift-K, a key of the browser', pressed({ ctrlKey: true, shiftKey: true }), null],
])('%s opens the right dialog or none', (_name, event, opened) => {
  expect(opens(event)).toBe(opened);
});

describe('itemsFor', () => {
  const items: Item[] = [
    { key: '1', icon: 'list', kind: 'Page', title: 'Sessions' },
    { key: '2', icon: 'swap', kind: 'This page', title: 'Reassign this session …' },
  ];
  it('finds items by the beginnings of words of the title and the kind, in any order', () => {
    const keys = (text: string) => itemsFor(items, text).map(({ key }) => key);
    expect([keys(''), keys('ses'), keys('page'), keys('session reas'), keys('signs')]).toEqual([
      ['1', '2'],
      ['1', '2'],
      ['1', '2'],
      ['2'],
      [],
    ]);
  });
});

describe('itemOf', () => {
  const match = { __typename: 'SearchMatch' as const, field: 'title', text: 'a', marks: [] };
  const named = { __typename: 'Session' as const, id: 's', title: 'Login' };
  it.each([
    [{ ...named }, { title: 'Login', href: '/sessions/s', match: null }],
    [
      { __typename: 'Agent' as const, id: 'ada', name: 'Ada L' },
      { title: 'Ada L (ada)', href: '/agents/ada', match },
    ],
    [
      {
        __typename: 'ToolCall' as const,
        id: 'c',
        name: 'Bash',
        index: 3,
        sequence: 0,
        turn: { __typename: 'Turn' as const, session: { __typename: 'Session' as const, id: 's', title: 'Login' } },
      },
      { kind: 'Tool call', title: 'Bash in Login', href: '/sessions/s#message-1-call-3', match },
    ],
    [
      {
        __typename: 'Handoff' as const,
        id: 'h',
        sourceAgent: null,
        targetAgent: { __typename: 'Agent' as const, id: 'bob' },
        session: named,
      },
      { title: 'Unassigned to bob: Login', href: '/handoffs/h', match },
    ],
    [
      { __typename: 'Message' as const, id: 'm', sequence: 7, session: named },
      { title: 'Message 7 of Login', href: '/sessions/s#message-7', match },
    ],
  ])('names and links %j, and shows a match that says more than the title', (node, shown) => {
    expect(itemOf({ __typename: 'SearchResultEdge', node, match })).toMatchObject(shown);
  });
});

it('pieces give the whole text, whatever the ranges', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.array(fc.record({ start: fc.integer({ min: -2, max: 20 }), end: fc.integer({ min: -2, max: 20 }) })),
      (text, marks) => {
        const match = {
          __typename: 'SearchMatch' as const,
          field: 'x',
          text,
          marks: marks.map((mark) => ({ __typename: 'TextRange' as const, ...mark })),
        };
        expect(
          pieces(match)
            .map((piece) => piece.text)
            .join(''),
        ).toBe(text);
      },
    ),
  );
  const match = {
    __typename: 'SearchMatch' as const,
    field: 'x',
    text: 'fix the login',
    marks: [{ __typename: 'TextRange' as const, start: 8, end: 13 }],
  };
  expect(pieces(match)).toEqual([
    { text: 'fix the ', marked: false },
    { text: 'login', marked: true },
  ]);
});

test.each([
  [3, { searching: true, failed: false, more: false }, 'Searching …'],
  [3, { searching: false, failed: true, more: false }, 'The search failed.'],
  [0, { searching: false, failed: false, more: false }, 'Nothing matches.'],
  [1, { searching: false, failed: false, more: false }, '1 result'],
  [20, { searching: false, failed: false, more: true }, '20 or more results'],
])('countText says the state of %i results %j', (count, state, text) => {
  expect(countText(count, state)).toBe(text);
});

describe('recent places', () => {
  it('are the newest 8 pages of records, each once', () => {
    const visits = Array.from({ length: 12 }, (_, n) => ({ path: `/sessions/s${n % 10}`, title: `${n}` }));
    const list = visits.reduce(withRecent, [] as { path: string; title: string }[]);
    expect(list.map(({ title }) => title)).toEqual(['11', '10', '9', '8', '7', '6', '5', '4']);
  });

  test.each([
    ['/sessions/x', true],
    ['/', false],
    ['/sessions', false],
    ['/tools/new', false],
    ['/tools/x/edit', false],
    ['/agents/ada', true],
  ])('%s: %s', (path, is) => {
    expect(isRecord(path)).toBe(is);
  });

  it('leave out what is of another form', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(readRecent(JSON.stringify(value))).toEqual([]);
      }),
    );
    expect(readRecent('{broken')).toEqual([]);
    expect(readRecent('[{"path":"/agents/ada","title":"Ada"},{"path":"javascript:alert(1)","title":"x"},7]')).toEqual([
      { path: '/agents/ada', title: 'Ada' },
    ]);
  });
});
