import { says } from './facts.ts';
import type { Story } from './stories.ts';
import type { Program, Step } from './story.ts';
import { type Choice, routine, sentence, source } from './vocabulary.ts';

/** A summary of a cut window as Claude Code writes it. */
function summaryOf(c: Choice, request: string) {
  const [lesson, current, next, pending, thought] = Array.from({ length: 5 }, () => sentence(c)) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const code = source(c, 10);
  const compacted = `Analysis:
First I look at what was said: ${thought}.

Summary:
1. Primary Request and Intent:
   The person wants that ${sentence(c)}.

2. Files and Code Sections:
   - **\`src/ledger.ts\`** (NEW, NOT committed)
   \`\`\`ts
${code}
   \`\`\`

3. Errors and fixes:
   - **Locked rows**: ${lesson}.

4. All user messages:
   - "${request}"

5. Pending Tasks:
   - **part 2** (open): ${pending}

6. Current Work:
   Just now ${current}.

7. Optional Next Step:
   Go on until ${next}.

If you need specific details from before compaction (like exact code snippets), read the full transcript at: /x.jsonl`;
  return { compacted, lesson, current, next, pending, always: [thought, code] };
}

/** States that an agent told, and its later words: all is done. */
export const completed = (c: Choice, program: Program): Story => {
  const request = `Build the ledger; ${sentence(c)}.`;
  const { compacted, lesson, current, next, pending, always } = summaryOf(c, request);
  const before = `Half of it is built, because ${sentence(c)}.`;
  const found = `The rows are locked since ${sentence(c)}.`;
  const intent = `Now I have the full picture. Let me implement the parts:\n\n1. first ${sentence(c)}\n2. then ${sentence(c)}`;
  const done = `All parts are done and pushed: ${sentence(c)}. Besides, ${sentence(c)}, and ${sentence(c)}.`;
  return {
    legs: [
      {
        steps: [
          { person: request },
          { agent: before },
          ...routine(c, 10),
          ...cut(program, compacted),
          { tasks: [{ text: `Verify that ${current}`, begun: true }] },
          { agent: intent },
          ...routine(c, 10),
          { agent: found },
          { agent: done },
        ],
      },
    ],
    facts: [request, found, done, ...(program === 'Gemini CLI' ? [] : [lesson])].map(says),
    forbidden: [current, next, pending, intent, ...always, ...(program === 'Gemini CLI' ? [] : [before])],
  };
};

/** What is left after an account of a part. */
export const partlyDone = (c: Choice, program: Program): Story => {
  const request = `Build the ledger; ${sentence(c)}.`;
  const { compacted, lesson, current, next, pending, always } = summaryOf(c, request);
  const part = `The first part is built: ${sentence(c)}. Still open is the second, so that ${sentence(c)}, and that ${sentence(c)}.`;
  return {
    legs: [
      {
        steps: [{ person: request }, ...routine(c, 10), ...cut(program, compacted), ...routine(c, 10), { agent: part }],
      },
    ],
    facts: [request, part, ...(program === 'Gemini CLI' ? [] : [lesson, pending])].map(says),
    forbidden: [current, next, ...always],
  };
};

/** A window that was cut right before the end: its summary is the state. */
export const cutLast = (c: Choice, program: Program): Story => {
  const request = `Build the ledger; ${sentence(c)}.`;
  const { compacted, lesson, current, next, pending, always } = summaryOf(c, request);
  return {
    legs: [{ steps: [{ person: request }, ...routine(c, 10), ...cut(program, compacted), ...routine(c, 2)] }],
    facts: [request, ...(program === 'Gemini CLI' ? [] : [current, next, pending, lesson])].map(says),
    forbidden: always,
  };
};

/** Gemini CLI records no summary. */
const cut = (program: Program, compacted: string): Step[] => (program === 'Gemini CLI' ? [] : [{ compacted }]);
