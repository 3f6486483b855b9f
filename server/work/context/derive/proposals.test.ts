import fc from 'fast-check';
import { expect, test } from 'vitest';
import { carriedOut } from './proposals.ts';

const more =
  ' It holds for all of the files, those of before too, and the tests read them in both ways; the notes tell how, and where they are kept.';

const of = (...said: [who: 'person' | 'agent', content: string][]) => [
  ...carriedOut(
    said.map(([who, content], index) => ({
      sequence: index + 1,
      role: who === 'agent' ? 'ASSISTANT' : 'USER',
      content,
    })),
  ),
];

test.each([
  ['I suggest a `help` for each argument.', 'Yes, please', 'It is done, with `metavar`: arguments have no help.'],
  ['Should I move the table?', 'go ahead', 'The table is moved and all is pushed.'],
  ['建议补充参数的 help。', '可以，帮我补充', '已补充参数说明。'],
  ['Let me write the plan for your approval: two beads.', 'create the beads', '## Beads Created\n\nEpic a.'],
  ['Soll ich es umbauen?', 'ja', 'Es ist umgesetzt.'],
])('%j, agreed to by %j, was carried out as %j says', (proposal, answer, account) => {
  expect(of(['person', 'Look at it.'], ['agent', proposal], ['person', answer], ['agent', account + more])).toEqual([
    [2, 4],
  ]);
});

test('an account may come after shorter corrections, and is the last before other words', () => {
  const [proposal, done] = ['I suggest one table.', `That is implemented.${more}`];
  expect(
    of(
      ['agent', proposal],
      ['person', 'ok'],
      ['agent', 'I am at it.'],
      ['person', 'In the docstring'],
      ['agent', done],
    ),
  ).toEqual([[1, 5]]);
  const other = 'Something else: why does the importer take so long for a file of one line, and what does it do then?';
  expect(
    of(['agent', proposal], ['person', 'ok'], ['agent', 'I am at it.'], ['person', other], ['agent', done]),
  ).toEqual([]);
});

test.each([
  ['a refusal', 'no, leave it', `That is done.${more}`],
  ['another question', 'Which arguments have a help?', `That is done.${more}`],
  ['an account of nothing', 'yes', `I looked at it.${more}`],
  ['an account of a step', 'yes', 'Step 1 is done.'],
])('%s carries nothing out', (_what, answer, account) => {
  expect(of(['agent', 'I suggest one table.'], ['person', answer], ['agent', account])).toEqual([]);
});

test('what came of a proposal stands after it, whatever was said', () => {
  const said = fc.tuple(
    fc.constantFrom<'person' | 'agent'>('person', 'agent'),
    fc.constantFrom('I suggest it.', 'yes', 'no', `It is done.${more}`, 'x '.repeat(80)),
  );
  fc.assert(
    fc.property(fc.array(said), (all) => {
      for (const [proposal, account] of of(...all)) {
        expect(all[proposal - 1]![0]).toBe('agent');
        expect(all[proposal]![0]).toBe('person');
        expect(account).toBeGreaterThan(proposal + 1);
      }
    }),
  );
});
