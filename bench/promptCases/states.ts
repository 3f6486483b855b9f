import { file, says } from './facts.ts';
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

/** A persona, what it was then set to do by its menu, and answers to its questions. */
export const chosen = (c: Choice): Story => {
  const review = `Code Review: ${sentence(c)}`;
  const items = `Write them into the story, ${c.number()}`;
  const path = `_out/stories/0-1-${c.number()}-by-\n  table.md`;
  const persona =
    "You must fully embody this agent's persona and follow all activation instructions exactly as specified.\n\n1. LOAD the FULL agent file from @team/agents/dev.md";
  return {
    legs: [
      {
        steps: [
          { person: persona },
          { agent: `1) [DS] Develop: ${sentence(c)}\n2) [CR] ${review}\n3) [DA] Dismiss` },
          { person: 'CR' },
          { agent: 'Which file holds the story? Please give its path.' },
          { person: path },
          ...routine(c, 4),
          { agent: `Three findings: ${sentence(c)}.\n\nWhat next?\n1. Mend them\n2. ${items}` },
          { person: '2' },
          ...routine(c, 2),
          { agent: `They are in the story: ${sentence(c)}.` },
        ],
      },
    ],
    facts: [
      `First request \`\`\` CR (to: ${review}`,
      `Latest request \`\`\` 2 (to: ${items})`,
      path,
      'persona of dev',
    ].map(says),
    forbidden: ['/dev', 'LOAD the FULL agent file'],
  };
};

/** The same request for two parts of the work. */
export const askedTwice = (c: Choice): Story => {
  const request = `Run the phase again so that ${sentence(c)}.`;
  const other = `Now the second part: ${sentence(c)}.`;
  return {
    legs: [
      {
        steps: [
          { person: request },
          ...routine(c, 3),
          { agent: `The first phase is done: ${sentence(c)}.` },
          { person: other },
          ...routine(c, 3),
          { agent: `That is done too: ${sentence(c)}.` },
          { person: request },
          ...routine(c, 3),
          { agent: `The second phase is done: ${sentence(c)}.` },
        ],
      },
    ],
    facts: [`${request} (given 2 times: #1, #`, other].map(says),
  };
};

/** A proposal that was carried out in another way, a file that was made and removed, and what was found before all was done. */
export const carriedOutElse = (c: Choice): Story => {
  const [probe, kept] = [`docs/${c.number()}.md`, `docs/${c.number()}-all.md`];
  const proposal = `I suggest a column for it: ${sentence(c)}, and ${sentence(c)}.\n\nShould I go on?`;
  const report = `It is done, with a table instead: a column cannot hold that ${sentence(c)}. In addition, ${sentence(c)}.`;
  const [made, gone] = [`I created \`${probe}\` for it.`, `Removed \`${probe}\` again.`];
  const cause = `The rows of \`${kept}\` can't be read by the ${c.number()} tests.`;
  const done = `All of it is done and pushed: ${sentence(c)}, ${sentence(c)}, and ${sentence(c)}.`;
  return {
    legs: [
      {
        steps: [
          { person: `Plan it so that ${sentence(c)}.` },
          ...routine(c, 3),
          { agent: proposal },
          { person: 'yes, go ahead' },
          ...routine(c, 3),
          { run: `cat > ${probe} <<'EOF'\nx\nEOF`, output: '', code: 0 },
          { agent: made },
          { run: `rm ${probe}`, output: '', code: 0 },
          { agent: gone },
          { run: `cat > ${kept} <<'EOF'\nx\nEOF`, output: '', code: 0 },
          { agent: report },
          { person: `Now the rest, so that ${sentence(c)}.` },
          { agent: `${cause} Let me look.` },
          ...routine(c, 2),
          { agent: 'I misread the output. My apologies.' },
          { agent: done },
        ],
      },
    ],
    facts: [
      says(`tells what was done): ${proposal}`),
      says(report),
      says(`from before the last message (1) \`\`\` - #`),
      says(cause),
      says(done),
      file(kept),
    ],
    forbidden: [made, gone, 'My apologies'],
  };
};
