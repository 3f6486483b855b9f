import { file, says, type Case } from './facts.ts';
import { path, sentence, Choice } from './vocabulary.ts';

const block = (name: string, lines: readonly string[]): string =>
  [name, '```ts', '<<<<<<< SEARCH', ...lines, '=======', ...lines.toReversed(), '>>>>>>> REPLACE', '```'].join('\n');
const notices = (...lines: string[]): string => lines.map((line) => `> ${line}  `).join('\n');

/** Aider's history keeps edits as text only: those that it applied, one that did not match, and a proposal. */
export function aiderCases(seed: number): Case[] {
  return Array.from({ length: 4 }, (_, number): Case => {
    const c = new Choice(seed * 1_000 + 900 + number);
    const [whole, partly, refused, proposed] = Array.from({ length: 4 }, () => path(c));
    const code = Array.from({ length: 12 }, () => `  const value = ${c.below(10_000)}; // ${sentence(c)}`);
    const requests = [`Mend the prices so that ${sentence(c)}.`, `How would you tell that ${sentence(c)}?`];
    const why = `The prices were wrong because ${sentence(c)}.`;
    const proposal = '  const proposal = 1;';
    const text = [
      '# aider chat started at 2026-11-03 09:00:00',
      notices('Main model: gpt-5.4 with diff edit format', 'Git working dir: /home/ada/shop'),
      `\n#### ${requests[0]!}  \n`,
      `${why}\n\n${[whole!, partly!, partly!, refused!].map((name) => block(name, code)).join('\n\n')}\n`,
      notices(
        'The LLM did not conform to the edit format.',
        'https://aider.chat/docs/troubleshooting/edit-errors.html',
      ),
      `> # 2 SEARCH/REPLACE blocks failed to match!`,
      ...[partly!, refused!].map(
        (name) =>
          `\n## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in ${name}\n<<<<<<< SEARCH\n${code.join('\n')}\n=======\n>>>>>>> REPLACE\n`,
      ),
      'The SEARCH section must exactly match an existing block of lines\n',
      '# The other 2 SEARCH/REPLACE blocks were applied successfully.',
      "Don't re-send them.",
      'Just reply with fixed versions of the blocks above that failed to match.  ',
      notices(`Commit 1a2b3c${number} fix: mend the prices`),
      `\n#### /ask ${requests[1]!}  \n`,
      `With one more line:\n\n${block(proposed!, [proposal])}\n`,
    ].join('\n');
    return {
      name: `edits as text ${number + 1} (Aider)`,
      legs: [{ text, reason: '' }],
      facts: [...requests, why, proposal, `last commit 1a2b3c${number}`]
        .map(says)
        .concat([whole!, partly!].map(file), says(`edit /home/ada/shop/${refused!}`)),
      forbidden: [...code, `- ${refused!}`, 'SEARCH section must exactly match'],
    };
  });
}
