import { file, says } from './facts.ts';
import type { Story } from './stories.ts';
import { type Choice, path, routine, sentence } from './vocabulary.ts';

/** A look at the working tree in the middle of the work, with files that somebody else changed. */
export const seenTree = (c: Choice): Story => {
  const [first, second, later, foreign, untracked] = Array.from({ length: 5 }, () => path(c));
  const hash = (0xa000000 + c.number()).toString(16);
  return {
    legs: [
      {
        steps: [
          { person: `Mend the totals; ${sentence(c)}.` },
          { edit: first! },
          { edit: second! },
          { run: 'git status --short', output: ` M ${first}\n M ${second}\n M ${foreign}\n?? ${untracked}`, code: 0 },
          ...routine(c, 3),
          { run: `git add ${first} && git commit -m "Mend"`, output: `[main ${hash}] Mend\n 1 file changed`, code: 0 },
          ...routine(c, 3),
          { edit: later! },
          { agent: 'The totals are mended.' },
        ],
      },
    ],
    facts: [says(foreign!), says(untracked!), says(`git add ${first}`), says(`committed ${hash}: Mend`), file(later!)],
    forbidden: [`commit ${hash}: Mend (from`],
  };
};

/** Changes in a repository that nobody committed or looked at. */
export const uncommitted = (c: Choice): Story => ({
  legs: [
    {
      steps: [
        { person: `Mend the totals; ${sentence(c)}.` },
        { run: 'git log --oneline -1', output: 'a1b2c3d Begin', code: 0 },
        { edit: path(c) },
        ...routine(c, 3),
        { agent: 'The totals are mended.' },
      ],
    },
  ],
  facts: [says('no commit')],
});
