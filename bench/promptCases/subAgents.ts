import { file, says } from './facts.ts';
import type { Story } from './stories.ts';
import { type Choice, path, routine, sentence, sentences } from './vocabulary.ts';

/** Several reports, and an agent that only goes on. */
export const sideBySide = (c: Choice): Story => {
  const reports = Array.from({ length: 3 }, () => ({
    job: sentences(c, 2),
    begun: 'Perfect! Now I have all the information that I need. Let me write the report.',
    found: `The answer is that ${sentence(c)}.`,
  }));
  return {
    legs: [
      {
        steps: [
          { person: `Find out why ${sentence(c)}.` },
          ...reports.map(({ job, begun, found }) => ({
            subagent: job,
            report: `${begun}\n\n${found}\n\n${sentences(c, 4)}`,
          })),
          ...routine(c, 3),
          { agent: `All three are in; ${c.number()} callers.` },
        ],
      },
    ],
    facts: reports.map(({ found }) => says(found)),
    forbidden: [reports[0]!.begun],
  };
};

/** A report, and an agent that answered: with room left the beginning of the report is told. */
export const answeredFor = (c: Choice): Story => {
  const [found, answer] = [
    sentences(c, 30),
    `In short: ${sentence(c)}, and therefore ${sentence(c)}, unless ${sentence(c)}.`,
  ];
  return {
    legs: [
      {
        steps: [
          { person: `Where is it that ${sentence(c)}?` },
          { subagent: sentences(c, 2), report: found },
          ...routine(c, 2),
          { agent: answer },
        ],
      },
    ],
    facts: [says(answer), says(found.slice(0, 200))],
  };
};

/** A transcript that a program keeps for a sub-agent alone: nobody speaks in it but the agent that asked. */
export const ofOne = (c: Choice): Story => {
  const [asked, changed] = [`Find out why ${sentence(c)}, and write it down.`, path(c)];
  const report = `The cause is that ${sentence(c)}. ${sentences(c, 3)}`;
  return {
    sidechain: true,
    legs: [{ steps: [{ person: asked }, ...routine(c, 20), { edit: changed }, ...routine(c, 5), { agent: report }] }],
    facts: [says(asked), says(report), file(changed)],
  };
};
