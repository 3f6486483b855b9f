import { file, says } from './facts.ts';
import type { Story } from './stories.ts';
import type { Step } from './story.ts';
import { type Choice, path, sentence } from './vocabulary.ts';

/** Changes that git or the session itself took back, between one that stays and one that waits in a stash. */
export const takenBack = (c: Choice): Story => {
  const [kept, checked, reset, stashed, committed, probe] = Array.from({ length: 6 }, () => path(c));
  const ok = (run: string, output = ''): Step => ({ run, output, code: 0 });
  return {
    legs: [
      {
        steps: [
          { person: `Mend the totals; ${sentence(c)}.` },
          ok(`sed -i 's/a/b/' ${checked}`),
          ok(`git checkout -- ${checked}`),
          ok(`sed -i 's/a/b/' ${committed} && git commit -qam try`),
          ok('git revert --no-edit HEAD'),
          ok(`sed -i 's/a/b/' ${reset}`),
          ok('git reset --hard', 'HEAD is now at 1234567 before'),
          ok(`sed -i 's/a/b/' ${stashed}`),
          ok('git stash'),
          ok(`cat > ${probe} <<'EOF'\nconsole.log(1)\nEOF\nnode ${probe}`),
          ok(`rm ${probe}`),
          ok(`sed -i 's/a/b/' ${kept}`),
          { agent: 'The totals are mended.' },
        ],
      },
    ],
    facts: [file(kept!), says('(in git stash)')],
    forbidden: [checked!, reset!, committed!, probe!],
  };
};
