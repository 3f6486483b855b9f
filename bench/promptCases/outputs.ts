import { says } from './facts.ts';
import type { Story } from './stories.ts';
import { type Choice, sentence } from './vocabulary.ts';

/** JSON, progress and colours; a part of a check; a last message that only asks. */
export const outputs = (c: Choice): Story => {
  const [why, id] = [`The key of ${sentence(c)} has expired`, `dep-${1_000 + c.below(9_000)}`];
  const progress = Array.from({ length: 40 }, (_, n) => `Pulling layer ${c.below(100)} of the image ${n}%`);
  const question = `Shall I ask for another key, so that ${sentence(c)}?`;
  return {
    legs: [
      {
        steps: [
          { person: `Deploy the shop; ${sentence(c)}.` },
          { run: 'npx vitest run', output: 'Tests  1 failed (5)', code: 1 },
          { run: 'npx vitest run --reporter=dot src/a.test.ts', output: 'Tests  1 passed (1)', code: 0 },
          { run: 'deploy create', output: `{"id":"${id}","state":"ready","region":"${progress[0]!}"}`, code: 0 },
          { run: `deploy logs ${id}`, output: 'ok', code: 0 },
          {
            run: 'docker push shop',
            output: `${progress.join('\r')}\r\u001B[K\u001B[31merror: denied\u001B[0m`,
            code: 1,
          },
          { run: 'curl -f shop/key', output: `{"request":"${progress[1]!}","error":{"message":"${why}"}}`, code: 22 },
          { agent: `**${question}**` },
        ],
      },
    ],
    facts: [says(why), says(id), says('error: denied'), says(question), { check: 'npx vitest run', outcome: 'failed' }],
    forbidden: progress,
  };
};
