import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arrange, groupKeys, readView, sortedBy, writeView, type Listed, type SortKey, type View } from './fleet.ts';

const sorts: SortKey[] = ['agent', 'kind', 'seen', 'load', 'waiting', 'received', 'given', 'acceptance'];
const view: fc.Arbitrary<View> = fc.record({
  text: fc.string(),
  sort: fc.constantFrom(...sorts),
  descending: fc.boolean(),
  group: fc.option(fc.constantFrom(...groupKeys)),
});
const number = fc.option(fc.nat(5), { nil: undefined });
const fleet: fc.Arbitrary<Listed[]> = fc.uniqueArray(
  fc.record({
    id: fc.stringMatching(/^[a-z]{1,3}$/),
    name: fc.constantFrom('Ada', 'Bob'),
    type: fc.constantFrom('CLAUDE', 'CODEX'),
    role: fc.constantFrom(null, 'reviewer', 'tester'),
    currentLoad: fc.nat(5),
    maxCapacity: fc.integer({ min: 1, max: 5 }),
    given: number,
    received: number,
    waiting: number,
    acceptance: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    seen: fc.option(
      fc.record({
        connected: fc.boolean(),
        lastSeenAt: fc.option(fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z')),
      }),
      { nil: undefined },
    ),
  }),
  { selector: ({ id }) => id },
);

test('what the list shows is in its address', () => {
  fc.assert(
    fc.property(view, (given) => {
      const address = new URL(writeView(given), 'http://localhost');
      expect(readView(address.searchParams)).toEqual(given);
    }),
  );
  expect(readView(new URLSearchParams('sort=-nothing&group=colour'))).toEqual({
    text: '',
    sort: 'agent',
    descending: true,
    group: null,
  });
});

test('every agent that has the words is listed once, and groups follow each other whole, each with its number', () => {
  fc.assert(
    fc.property(fleet, view, (agents, given) => {
      const rows = arrange(agents, { ...given, text: '' });
      expect(new Set(rows.map(({ agent }) => agent))).toEqual(new Set(agents));
      const begun = rows.flatMap(({ begins }) => begins ?? []);
      expect(new Set(begun.map(({ name }) => name)).size).toBe(begun.length);
      expect(begun.reduce((sum, { count }) => sum + count, 0)).toBe(given.group === null ? 0 : agents.length);
      const found = arrange(agents, { ...given, text: 'REVIEWER  codex' });
      expect(new Set(found.map(({ agent }) => agent.id))).toEqual(
        new Set(agents.filter(({ type, role }) => type === 'CODEX' && role === 'reviewer').map(({ id }) => id)),
      );
    }),
  );
});

test('numbers rise or fall in the chosen order, and what is not known comes last in both', () => {
  fc.assert(
    fc.property(fleet, fc.boolean(), (agents, descending) => {
      const rows = arrange(agents, { text: '', sort: 'waiting', descending, group: null });
      const numbers = rows.map(({ agent }) => agent.waiting);
      const known = numbers.filter((each) => each !== undefined);
      expect(numbers.slice(0, known.length)).toEqual(known);
      expect(known).toEqual(known.toSorted((a, b) => (descending ? b - a : a - b)));
    }),
  );
});

const any: Listed = {
  id: 'any',
  name: 'any',
  type: 'CLAUDE',
  currentLoad: 0,
  maxCapacity: 5,
  given: 0,
  received: 0,
  waiting: 0,
  acceptance: null,
  seen: undefined,
};

test('connected agents are those seen last', () => {
  const seen = (id: string, connected: boolean, lastSeenAt: string | null): Listed => ({
    ...any,
    id,
    seen: { connected, lastSeenAt },
  });
  const agents = [
    seen('old', false, '2026-01-01T00:00:00.000Z'),
    seen('here', true, '2026-01-01T00:00:00.000Z'),
    seen('never', false, null),
    seen('new', false, '2026-02-01T00:00:00.000Z'),
  ];
  const rows = arrange(agents, { text: '', sort: 'seen', descending: true, group: null });
  expect(rows.map(({ agent }) => agent.id)).toEqual(['here', 'new', 'old', 'never']);
});

test('names with numbers are in the order of their numbers', () => {
  const named = (id: string): Listed => ({ ...any, id });
  const rows = arrange([named('agent-10'), named('agent-2')], readView(new URLSearchParams()));
  expect(rows.map(({ agent }) => agent.id)).toEqual(['agent-2', 'agent-10']);
});

test('a column is sorted from its useful end first, then the other way round', () => {
  const first = sortedBy(readView(new URLSearchParams()), 'load');
  expect(first).toMatchObject({ sort: 'load', descending: true });
  expect(sortedBy(first, 'load')).toMatchObject({ sort: 'load', descending: false });
  expect(sortedBy(first, 'agent')).toMatchObject({ sort: 'agent', descending: false });
});
