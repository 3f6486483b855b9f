import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { rules } from '../server/work/custody/mayChangeHands.ts';

const names = new Set(
  [...readFileSync('docs/rules.md', 'utf8').matchAll(/^(?:\| )?\*\*(.+?)\*\*/gm)].map(([, name]) => name!),
);

const files = ['server', 'cli', 'client', 'test', 'bench', 'prisma']
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`))
  .filter((path) => /\.tsx?$/.test(path) && !/\/generated\/|^client\/gql\//.test(path));

it('every rule cited in a comment or a test is in docs/rules.md', () => {
  const cited = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\(rules?: ([a-z][a-z,*\s]+)\)/g)].flatMap(([, list]) =>
      list!.split(/, /).map((name) => ({ file, name: name.replace(/\s+\*?\s*/g, ' ') })),
    ),
  );
  expect(cited.length).toBeGreaterThan(40);
  expect(cited.filter(({ name }) => !names.has(name))).toEqual([]);
});

it('the rules of a move have the names and the order of docs/rules.md', () => {
  const all = [...names];
  const from = all.indexOf(rules[0].name);
  expect(all.slice(from, from + rules.length)).toEqual(rules.map(({ name }) => name));
});

it('no comment cites a rule by number or a missing document', () => {
  const comments = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^\s*(?:\/\/|\/?\*).*$/gm)].map(([text]) => ({ file, text })),
  );
  const missing = (text: string): boolean => [...text.matchAll(/[\w/-]+\.md\b/g)].some(([name]) => !existsSync(name));
  expect(comments.filter(({ text }) => /\b(rule|invariant) \d+/i.test(text) || missing(text))).toEqual([]);
});
