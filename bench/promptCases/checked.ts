import { says } from './facts.ts';
import type { Story } from './stories.ts';
import type { Step } from './story.ts';
import { type Choice, path, routine, sentence } from './vocabulary.ts';

/** Checks before changes of what they cover, and before changes of what they do not. */
export const covered = (c: Choice): Story => {
  const [before, after] = [path(c), path(c)];
  const ok = (run: string): Step => ({ run, output: 'ok', code: 0 });
  return {
    legs: [
      {
        steps: [
          { person: `Mend the totals; ${sentence(c)}.` },
          { edit: before },
          ok('npm run lint'),
          { edit: after },
          ok('npm test'),
          ok('cd site && npx vitest run'),
          { edit: 'README.md' },
          { edit: 'CLAUDE.md' },
          ...routine(c, 4),
          { agent: 'The totals are mended.' },
        ],
      },
    ],
    facts: [says('passed: npm test'), says('passed: cd site && npx vitest run'), says('changed since: npm run lint')],
    forbidden: ['changed since: npm test'],
  };
};
