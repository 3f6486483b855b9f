import { shorten } from '../shorten.ts';
import { membersIn } from './json.ts';

/** The call says where the rest is. */
export const gistCharacters = { newest: 600, earlier: 200 };
const mostTitles = 3;
/** What a search writes before the words that it found. */
const frame = /^(?:Web search results for query: .*|Links: .*|\s*|REMINDER: .*)$/;

/** What a page or a search of the web says, on one line: its first words, else the titles that it found. */
export function webGist(outcome: string, characters = gistCharacters.earlier): string {
  const said = outcome
    .split('\n')
    .filter((line) => !frame.test(line))
    .join(' ');
  const titles = membersIn(outcome).flatMap(({ name, value }) => (name === 'title' ? [value.trim()] : []));
  const isData = /^\s*[{[]/.test(said);
  const text =
    titles.length > 0 && (said.trim() === '' || isData)
      ? `${titles.length} found: ${titles.slice(0, mostTitles).join('; ')}`
      : said;
  return shorten(
    text
      .replace(/^[#\s]+/, '')
      .replace(/\s+/g, ' ')
      .trim(),
    characters,
  );
}
