import { says } from './facts.ts';
import type { Story } from './stories.ts';
import { type Choice, routine, sentence, sentences } from './vocabulary.ts';

/** Commands that a project defines, of which the program stores the text only: what was typed with them, and their title, is the request. */
export const savedPrompts = (c: Choice): Story => {
  const [first, second, third, last] = [sentence(c), sentence(c), sentence(c), `Both are done: ${sentence(c)}.`];
  const rules = Array.from({ length: 3 }, () => sentences(c, 4));
  const steps = `1. Read what it is about. ${rules[0]}\n2. Write a failing test. ${rules[1]}\n3. Ask the user for approval. ${rules[2]}`;
  return {
    legs: [
      {
        steps: [
          {
            person: `# Fix the kiosk\n\nYou are an expert maintainer.\n\n## Issue\n\n${first}\n\n## Steps\n\n${steps}\n\n## Result\n\nReport to the user.`,
          },
          ...routine(c, 4),
          { agent: 'The first is done.' },
          {
            person: `Prepare the release of the kiosk.\n\n## Workflow\n\n${steps}\n\nIf no version is given in the arguments, determine it.\n\n${second}`,
          },
          ...routine(c, 4),
          {
            person: `## User Input\n\n\`\`\`text\n${third}\n\`\`\`\n\nYou **MUST** consider the user input.\n\n## Outline\n\n${steps}`,
          },
          ...routine(c, 4),
          { agent: last },
        ],
      },
    ],
    facts: [`(saved prompt "Fix the kiosk") ${first}`, `the release of the kiosk") ${second}`, third, last].map(says),
    forbidden: rules,
  };
};
