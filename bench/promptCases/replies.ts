import { says } from './facts.ts';
import type { Story } from './stories.ts';
import { type Choice, notice, routine, sentence } from './vocabulary.ts';

/** Few words of a person that answer an offer or a question, and what an agent announces in other languages. */
export const replies = (c: Choice): Story => {
  const [first, second, question, why] = [
    `Write it so that ${sentence(c)}`,
    `Drop it, ${c.number()}`,
    `Keep ${c.number()} rows?`,
    `Ich nehme eine Tabelle, weil ${sentence(c)}.`,
  ];
  const announced = [
    `Ich schaue mir jetzt die Datei ${c.number()} an.`,
    `Je vais maintenant lancer les tests ${c.number()}.`,
    `まずファイル${c.number()}を確認します。`,
    `接下来运行测试${c.number()}。`,
  ];
  const [done, request] = [`The table is there; ${sentence(c)}.`, `Move the table so that ${sentence(c)}.`];
  return {
    legs: [
      {
        steps: [
          { person: request },
          ...announced.flatMap((agent) => [{ agent, aside: true } as const, ...routine(c, 1)]),
          { agent: `It is moved; ${c.number()} rows. What next?\n1. ${first}\n2. ${second}` },
          { person: '2' },
          ...routine(c, 3),
          { agent: why },
          ...routine(c, 2),
          { agent: `That is done. ${question}` },
          { person: 'no' },
          ...routine(c, 3),
          { agent: done },
        ],
      },
    ],
    facts: [request, `2 (to: ${second})`, `no (to: ${question})`, why, done].map(says),
  };
};

/** Searches that found nothing, and pages that were brought for an answer that was never given. */
export const soughtInVain = (c: Choice): Story => {
  const request = `Which of them holds so that ${sentence(c)}?`;
  const pages = Array.from({ length: 12 }, () => ({
    found: sentence(c),
    rest: Array.from({ length: 6 }, () => sentence(c)).join('. '),
  }));
  return {
    legs: [
      {
        steps: [
          { person: request },
          { run: `rg -n ${c.number()} src; rg -n old${c.number()} src`, output: 'src/a.ts:3: x', code: 1 },
          { run: `npm ls pad${c.number()}`, output: '└── (empty)', code: 1 },
          ...pages.map(({ found, rest }) => ({
            web: `page ${c.number()}`,
            output: `# The page\n\nIt says that ${found}. ${sentence(c)}. ${sentence(c)}. ${sentence(c)}. ${rest}.`,
          })),
          { notice: 'interrupt', text: `The person stopped it after ${c.number()} s.` },
        ],
      },
    ],
    facts: [says(request), ...pages.slice(-3).map(({ found }) => says(found))],
    forbidden: [...pages.slice(0, -1).map(({ rest }) => rest), '└── (empty)'],
  };
};

/** A first request that was carried out, and a last one that nobody answered. */
export const unanswered = (c: Choice): Story => {
  const [first, between, last] = [
    `Describe the totals; ${sentence(c)}.`,
    `Now mend them, but ${sentence(c)}.`,
    `Also list them first, since ${sentence(c)}.`,
  ];
  return {
    legs: [
      {
        steps: [
          { person: first },
          { agent: `They are described: ${sentence(c)}.` },
          { person: between },
          ...routine(c, 3),
          { agent: `They are mended: ${sentence(c)}.` },
          { person: last },
          notice(c, 'interrupt'),
        ],
      },
    ],
    facts: [
      says(between),
      says(['## Latest request: the agent said nothing since', last, '## First request', first].join(' ``` ')),
    ],
  };
};
