import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tellingOf } from './talk.ts';

const telling = (...said: [who: 'person' | 'agent', content: string][]): (number | undefined)[] => {
  const all = said.map(([who, content], index) => ({ who, content, sequence: index + 1 }));
  const agents = all.filter(({ who }) => who === 'agent');
  const told = tellingOf(
    agents,
    all.filter(({ who }) => who === 'person'),
  );
  return agents.map((message) => told.get(message));
};

test.each([
  'Let me look at the file first.',
  "Now I'll run the tests again.",
  'Good. Next I will check the imports.',
  'Perfect! Now let me verify that it works:',
  "I'm going to search for usages of `x`.",
])('%j only announces the next step', (content) => {
  expect(telling(['agent', content], ['agent', 'Done with it all; 3 are left.'])[0]).toBe(0);
});

test.each([
  'The cookie has no domain.',
  'Good. The bug is in the parser.',
  'I will use one table, because rows are few.',
  'Let me use port 6123 instead of 80.',
  '確認します。',
])('%j tells something', (content) => {
  expect(telling(['agent', content], ['agent', 'x'])[0]).toBe(1);
});

test('prefers the last words before each message of a person, and the newest', () => {
  expect(
    telling(
      ['person', 'a'],
      ['agent', 'One.'],
      ['agent', 'Two.'],
      ['person', 'b'],
      ['agent', 'Three.'],
      ['agent', 'Four.'],
    ),
  ).toEqual([1, 2, 1, 2]);
});

test('rates messages by their numbers, not by their place in the list', () => {
  const messages = fc.array(fc.tuple(fc.boolean(), fc.constantFrom('Let me see.', 'It is red.')), { maxLength: 20 });
  fc.assert(
    fc.property(messages, fc.func(fc.nat()), (said, order) => {
      const all = said.map(([person, content], index) => ({ person, content, sequence: index }));
      const shuffled = all.toSorted((a, b) => order(a.sequence) - order(b.sequence));
      const rated = (list: typeof all) => {
        const told = tellingOf(
          list.filter(({ person }) => !person),
          list.filter(({ person }) => person),
        );
        return all.map((message) => told.get(message));
      };
      expect(rated(shuffled)).toEqual(rated(all));
    }),
  );
});
