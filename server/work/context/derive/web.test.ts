import { expect, test } from 'vitest';
import { gistCharacters, webGist } from './web.ts';

const links = 'Links: [{"title":"Scroll events","url":"https://a.dev"},{"title":"Fit \\"it\\"","url":"https://b.dev"}]';

test.each([
  [
    'the words after the links of a search',
    `Web search results for query: "x"\n\n${links}\n\nUse the  addon.\nIt is new.`,
    'Use the addon. It is new.',
  ],
  [
    'the titles of a search without words',
    `Web search results for query: "x"\n\n${links}`,
    '2 found: Scroll events; Fit "it"',
  ],
  ['the titles in data', '{"results":[{"title":"A","snippet":"b"}]}', '1 found: A'],
  ['the first words of a page', '# Guide\n\nInstall it first.', 'Guide Install it first.'],
  ['nothing of nothing', '', ''],
])('tells %s on one line', (_what, outcome, gist) => {
  expect(webGist(outcome)).toBe(gist);
});

test('is short', () => {
  expect(webGist('word '.repeat(1_000)).length).toBe(200);
  expect(webGist('word '.repeat(1_000), gistCharacters.newest).length).toBe(600);
});
