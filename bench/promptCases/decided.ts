import { says } from './facts.ts';
import type { Story } from './stories.ts';
import { type Choice, routine, sentence } from './vocabulary.ts';

/** Answers, refusals and stops of people, between what models thought, progress, probes and what every project has. */
export const decided = (c: Choice): Story => {
  const question = `Which of the two shall hold ${sentence(c)}?`;
  const answer = `the second, so that ${sentence(c)}`;
  const [refused, correction] = [`npm publish --tag t${c.number()}`, `No: first see to it that ${sentence(c)}.`];
  const thought = `Maybe the person means that ${sentence(c)}, or that ${sentence(c)}.`;
  const progress = ['Clean build.', `All ${c.below(90) + 10} tests pass.`, 'The folder is there.'];
  const probe = `print(sum(x for x in range(${c.number()})))`;
  const why = `I keep both tables because ${sentence(c)}.`;
  const done = `The release is prepared: ${sentence(c)}. What is left is to check that ${sentence(c)}, and to tell the others that ${sentence(c)}.`;
  return {
    legs: [
      {
        steps: [
          { person: `Prepare the release so that ${sentence(c)}.` },
          ...routine(c, 3),
          { ask: question, options: ['the first', 'the second'], answer },
          { agent: `<think>${thought}</think>${progress[0]!}` },
          { run: `python3 -c "${probe}"`, output: `NameError: name 'y${c.number()}' is not defined`, code: 1 },
          { agent: progress[1]! },
          { read: 'package.json', output: `{\n  "license": "MIT-${c.number()}",\n  "port-${c.number()}": 1\n}` },
          { agent: why },
          { run: refused, refused: true },
          { notice: 'interrupt', text: `The person stopped the turn after ${c.number()} seconds.` },
          { person: correction },
          { agent: progress[2]! },
          { run: 'npm run build', output: 'built', code: 0 },
          { agent: done },
        ],
      },
    ],
    facts: [question, answer, `refused: `, refused, correction, why, done].map(says),
    forbidden: [thought, probe, ...progress],
  };
};

/** What a person stopped, and what the agent had begun. */
export const stopped = (c: Choice): Story => {
  const [request, words] = [
    `Move the ledger so that ${sentence(c)}.`,
    `I will first drop the table that ${sentence(c)}.`,
  ];
  return {
    legs: [
      {
        steps: [
          { person: request },
          ...routine(c, 3),
          { agent: words },
          { notice: 'interrupt', text: `The person stopped the turn after ${c.number()} seconds.` },
        ],
      },
    ],
    facts: [request, words, 'stopped the agent'].map(says),
  };
};
