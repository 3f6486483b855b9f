import fc from 'fast-check';
import { expect, test } from 'vitest';
import { edited, ran, workOf } from '../../../../test/recordedLogs.ts';
import { readActions } from './actions.ts';
import { answersOf, maxAnswers } from './answers.ts';
import { failedAttemptsOf } from './failedAttempts.ts';
import type { RecordedCall, RecordedLog } from './log.ts';

const told = (log: RecordedLog): string[] =>
  answersOf(log, readActions(log)).map(({ what, callId }) => (callId === null ? what : `${callId}: ${what}`));
const call = (callId: string, name: string, given: unknown, answer: string, fields: Partial<RecordedCall> = {}) => ({
  ...ran(callId, '', { result: answer, name }),
  arguments: given,
  ...fields,
});
const asked = (questions: readonly string[], fields: object = {}): object => ({
  questions: questions.map((question, index) => ({ id: `q${index}`, question, options: [], ...fields })),
});

const texts = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9 ?'()/.-]{2,60}$/).map((text) => text.trim());
const pairs = fc.uniqueArray(fc.tuple(texts, texts), {
  minLength: 1,
  maxLength: 4,
  selector: ([question]) => question,
});
/** How each program writes the answers of a person. */
const answered: Record<string, [name: string, write: (said: readonly (readonly [string, string])[]) => string]> = {
  'Claude Code': [
    'AskUserQuestion',
    (said) =>
      `User has answered your questions: ${said.map(([q, a]) => `"${q}"="${a}"`).join(', ')}. You can now continue with the user's answers in mind.`,
  ],
  OpenCode: [
    'question',
    (said) =>
      `User has answered your questions: ${said.map(([q, a]) => `"${q}"="${a}"`).join(', ')}. You can now continue with the user's answers in mind.`,
  ],
  Codex: [
    'request_user_input',
    (said) => JSON.stringify({ answers: Object.fromEntries(said.map(([, a], n) => [`q${n}`, { answers: [a] }])) }),
  ],
  'Gemini CLI': ['ask_user', (said) => JSON.stringify({ answers: Object.fromEntries(said.map(([, a], n) => [n, a])) })],
};

test.each(Object.entries(answered))('tells each question of %s with its answer', (_program, [name, write]) => {
  fc.assert(
    fc.property(pairs, (said) => {
      const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
      expect(told(workOf(call('a', name, asked(said.map(([question]) => question)), write(said))))).toEqual(
        said.map(([question, answer]) => `a: ${plain(answer)} (answer to: ${plain(question)})`),
      );
    }),
  );
});

test('tells an answer of another form as a whole, and nothing of a question without one', () => {
  expect(told(workOf(call('a', 'ask_human', { question: 'Which port?' }, 'the usual one')))).toEqual([
    'a: the usual one (answer to: Which port?)',
  ]);
  expect(told(workOf({ ...call('a', 'ask_human', { question: 'Which port?' }, ''), result: null }))).toEqual([]);
});

const refusals: [string, string, string][] = [
  [
    'Claude Code',
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.",
    '',
  ],
  [
    'Claude Code, with words',
    "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nuse the other folder",
    ', and said: use the other folder',
  ],
  ['Codex', 'exec command rejected by user', ''],
  ['OpenCode', 'Error: The user rejected permission to use this specific tool call.', ''],
  [
    'OpenCode, with words',
    'The user rejected permission to use this specific tool call with the following feedback: use the other folder',
    ', and said: use the other folder',
  ],
  ['Gemini CLI', '[Operation Cancelled] Reason: User did not allow tool call', ''],
];

test.each(refusals)(
  'tells a call that a person refused in %s, which is no failed attempt',
  (_program, error, words) => {
    const log = workOf(ran('a', 'rm -r build', { error }));
    expect(told(log)).toEqual([`a: refused: Bash rm -r build${words}`]);
    expect(failedAttemptsOf(log)).toEqual([]);
  },
);

test('tells no refusal by a rule of the program, and none of a call that was allowed later', () => {
  const refused = ran('a', 'npm publish', { error: refusals[0]![1] });
  expect(told(workOf(refused, ran('b', 'npm publish')))).toEqual([]);
  expect(told(workOf(refused, ran('b', 'npm test')))).toHaveLength(1);
  for (const error of [
    'Permission to use Bash with command x has been denied.',
    "Claude requested permissions to use Bash, but you haven't granted it yet.",
  ])
    expect(told(workOf(ran('a', 'x', { error })))).toEqual([]);
});

test('tells an edit that a rule of the program refused, and that nothing wrote since', () => {
  const error = "Claude requested permissions to write to /work/a.md, but you haven't granted it yet.";
  const lost = edited('a', 'a.md', error);
  expect(told(workOf(lost))).toEqual(['a: nobody allowed: Edit /work/a.md; it was not made']);
  expect(told(workOf(lost, edited('b', 'b.md')))).toHaveLength(1);
  for (const later of [edited('b', 'a.md'), ran('b', 'cat > a.md <<E\nx\nE')])
    expect(told(workOf(lost, later))).toEqual([]);
});

test('tells a refused edit by its file', () => {
  expect(told(workOf(edited('a', 'src/a.ts', refusals[0]![1])))).toEqual(['a: refused: Edit /work/src/a.ts']);
});

test('tells the newest plan, whether it was approved, with its text', () => {
  const plan = (callId: string, text: string | null, answer: string, error = false): RecordedCall => ({
    ...call(callId, 'ExitPlanMode', text === null ? {} : { plan: text }, answer),
    ...(error && { result: null, error: answer }),
  });
  const yes = 'User has approved your plan. You can now start coding.';
  expect(told(workOf(plan('a', '# One', yes), plan('b', '# Two\n- do it', yes)))).toEqual([
    'b: approved the plan:\n# Two\n- do it',
  ]);
  const done = `All of it is done: ${'the tables are one, and the readers know it. '.repeat(4)}`;
  const carriedOut = {
    ...workOf(plan('a', '# One\n- do it', yes)),
    messages: [{ sequence: 99, role: 'ASSISTANT' as const, content: done }],
  };
  expect(told(carriedOut)).toEqual(['a: approved the plan, which is carried out: One']);
  expect(told(workOf(plan('a', null, `${yes}\n\n## Approved Plan:\n# Three`)))).toEqual([
    'a: approved the plan:\n# Three',
  ]);
  expect(told(workOf(plan('a', '# One', refusals[1]![1], true)))).toEqual([
    'a: refused the plan, and said: use the other folder',
  ]);
});

const said = (sequence: number, role: 'USER' | 'ASSISTANT', content: string) => ({ sequence, role, content });
const stopped = (log: Partial<RecordedLog>, stops: number[]): string[] => told({ ...workOf(), ...log, stops });

test('tells what a person stopped, and what they said then', () => {
  const messages = [said(1, 'USER', 'Build it.'), said(2, 'ASSISTANT', 'I will remove the folder.')];
  const running = { ...ran('a', 'npm run build', {}), sequence: 2 };
  expect(stopped({ messages }, [3])).toEqual([
    'stopped the agent after its words #2 (I will remove the folder.); nobody said anything since',
  ]);
  expect(stopped({ messages: [...messages, said(4, 'USER', 'No, keep it.')] }, [3])).toEqual([
    'stopped the agent after its words #2 (I will remove the folder.), then said #4 (No, keep it.)',
  ]);
  expect(stopped({ messages, calls: [running] }, [3])).toEqual([
    'stopped the agent while it ran Bash npm run build, which did not finish; nobody said anything since',
  ]);
  expect(stopped({ messages: [messages[0]!] }, [2])).toEqual([
    'stopped the agent while it worked on #1 (Build it.); nobody said anything since',
  ]);
});

test('tells a refusal and the stop that it made as one', () => {
  const refused = { ...ran('a', 'npm publish', { error: refusals[0]![1] }), sequence: 1 };
  expect(stopped({ messages: [said(1, 'USER', 'Publish it.')], calls: [refused] }, [2])).toEqual([
    'a: refused: Bash npm publish',
  ]);
});

test('keeps the newest decisions, and of the stops the last three', () => {
  const many = Array.from({ length: 40 }, (_, n) => call(`c${n}`, 'ask_human', { question: `Port ${n}?` }, `${n}`));
  expect(told(workOf(...many))).toHaveLength(maxAnswers);
  expect(told(workOf(...many)).at(-1)).toBe('c39: 39 (answer to: Port 39?)');
  const messages = Array.from({ length: 10 }, (_, n) => said(2 * n + 1, 'USER', `Do ${n}.`));
  expect(stopped({ messages }, [2, 4, 6, 8, 10])).toHaveLength(3);
});
