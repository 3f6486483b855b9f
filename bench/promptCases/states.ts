import { says } from './facts.ts';
import type { Story } from './stories.ts';
import { type Choice, routine, sentence } from './vocabulary.ts';

/** A list of tasks in a file, written over a finished one, and ticked by commands since. */
export const ticked = (c: Choice): Story => {
  const file = `specs/tasks-${c.number()}.md`;
  const [old, open] = [0, 1].map(() => Array.from({ length: 4 }, (_, n) => `T00${n + 1} ${sentence(c)}`));
  const lines = (tasks: readonly string[], mark: string): string =>
    tasks.map((task) => `- [${mark}] ${task}`).join('\n');
  return {
    legs: [
      {
        steps: [
          { person: `Plan it so that ${sentence(c)}.` },
          { run: `cat ${file}`, output: lines(old!, 'x'), code: 0 },
          ...routine(c, 2),
          { run: `cat <<'EOF' > ${file}\n${lines(open!, ' ')}\nEOF`, output: '', code: 0 },
          { run: `sed -i '/T001/s/\\[ \\]/[x]/' ${file}`, output: '', code: 0 },
          { run: `sed -i 's/- \\[ \\] T002/- [x] T002/' ${file}`, output: '', code: 0 },
          { agent: `The list is new, and two of it are done: ${sentence(c)}.` },
        ],
      },
    ],
    facts: ['(2 open; written over a list with at least 4 done)', ...open!.slice(2)].map(says),
    forbidden: [...old!, ...open!.slice(0, 2)],
  };
};
