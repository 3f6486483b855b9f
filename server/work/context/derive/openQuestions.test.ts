import { expect, test } from 'vitest';
import type { RecordedCall, RecordedLog } from './log.ts';
import { openQuestionsOf } from './openQuestions.ts';

type Said = [RecordedLog['messages'][number]['role'], string];

const log = (said: Said[], calls: Partial<RecordedCall>[] = []): RecordedLog => ({
  messages: said.map(([role, content], index) => ({ sequence: index + 1, role, content })),
  calls: calls.map((call) => ({
    callId: 'c',
    turn: 1,
    sequence: 1,
    name: 'Read',
    arguments: {},
    result: null,
    error: null,
    filesModified: [],
    ...call,
  })),
  workspaces: [],
});
const asked = (words: string, ...more: Said[]): string[] =>
  openQuestionsOf(log([['USER', 'Do it.'], ['ASSISTANT', words], ...more]));

test.each([
  ['All done. Shall I push it?', ['Shall I push it?']],
  ['Done.\n\n**Should I also update the docs?**', ['Should I also update the docs?']],
  ['Souhaites-tu que je continue ?', ['Souhaites-tu que je continue ?']],
  ['我已完成。是否要我加一个单测？', ['是否要我加一个单测？']],
  ['Two things first:\n1. Which database?\n2. Which port?', ['Which database?', 'Which port?']],
  ['Shall I go on? I can adapt it.', ['Shall I go on?']],
  ['Run `npm test`?', ['Run `npm test`?']],
  ['Done. The rest is in `a ? b : c`.', []],
  ['Done; each task is `- [ ] T### [P?] [US?]`.', []],
  ['```\nwhat is this?\n```\nDone.', []],
  ['See https://example.com/?a=b for more.', []],
  ['Why did it fail? The lock was held.' + ' I removed it.'.repeat(100), []],
  ['Done.', []],
])('%j contains the questions %j', (words, questions) => {
  expect(asked(words)).toEqual(questions);
});

test('drops a question after a later message of a person, but not after interruptions and hooks', () => {
  expect(asked('Shall I?', ['USER', 'Yes.'])).toEqual([]);
  expect(asked('Shall I?', ['SYSTEM', '[Request interrupted by user]'])).toEqual(['Shall I?']);
});

test('drops a question when the agent goes on by itself', () => {
  const said: Said[] = [
    ['USER', 'Do it.'],
    ['ASSISTANT', 'What is in the file?'],
  ];
  expect(openQuestionsOf(log(said, [{ sequence: 2, result: 'text' }]))).toEqual([]);
  expect(openQuestionsOf(log(said, [{ sequence: 1, result: 'text' }]))).toEqual(['What is in the file?']);
});

test('keeps a question of a tool open until it has a result or a person writes', () => {
  const ask = {
    sequence: 2,
    name: 'AskUserQuestion',
    arguments: {
      questions: [
        { question: 'Which rig?', options: [{ label: 'spotter' }, { label: 'none' }] },
        { question: 'Which tools?', options: [] },
      ],
    },
  };
  const said: Said[] = [
    ['USER', 'Do it.'],
    ['ASSISTANT', 'I need to know.'],
  ];
  const open = ['Which rig? (spotter / none)', 'Which tools?'];
  expect(openQuestionsOf(log(said, [ask]))).toEqual(open);
  expect(openQuestionsOf(log(said, [{ ...ask, error: '[Request interrupted by user for tool use]' }]))).toEqual(open);
  expect(openQuestionsOf(log(said, [{ ...ask, result: 'User has answered your questions' }]))).toEqual([]);
  expect(openQuestionsOf(log([...said, ['USER', 'spotter']], [ask]))).toEqual([]);
});

test('returns nothing without questions or for arguments of other shapes', () => {
  expect(openQuestionsOf(log([]))).toEqual([]);
  for (const given of [null, 'x', 3, [], { questions: 'x' }, { questions: [null, { question: 4 }] }]) {
    expect(openQuestionsOf(log([], [{ sequence: 0, name: 'AskUserQuestion', arguments: given }]))).toEqual([]);
  }
});

test('limits the number and the length of questions', () => {
  const many = asked(Array.from({ length: 20 }, (_, n) => `- Is ${n} right?`).join('\n'));
  expect(many).toEqual(Array.from({ length: 5 }, (_, n) => `Is ${n + 15} right?`));
  expect(asked(`${'x'.repeat(3_000)}?`)[0]!.length).toBeLessThanOrEqual(500);
});
