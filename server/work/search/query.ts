import type { Rights } from '../../core/rights.ts';
import type { Kind, Named, Terms } from './terms.ts';
import { wordsIn } from './words.ts';

export interface Found extends Named {
  /** 3: every word as it is, in a title or name; 2: every word as it is; 1: the last word is the beginning of one. */
  rank: number;
  /** Greatest UUID of all records when the first page was read: later pages have no newer ones. Null without a record. */
  newest: string | null;
}

export interface Search {
  /** The newest twentieth of all records has greater UUIDs, as far as PostgreSQL knows; null: not known. */
  newestFrom: string | null;
  terms: Terms;
  /** Records that the query names; with any, words are not looked for. */
  named: readonly Named[];
  types: readonly Kind[];
  caller: Rights;
  /** All Sessions that the caller may read; null: too many to list, or all. */
  sessionIds: readonly string[] | null;
  after: Found | null;
  /** Finds only what belongs to this Session; null: anywhere. */
  sessionId: string | null;
}

/** Makes a value a parameter of the statement, and gives its SQL. */
export type Place = (value: unknown) => string;

/** SQL of `tsquery`s. */
export interface Queries {
  /** The words as they are. */
  exact: string;
  /** The words, of which the last may be the beginning of a word. It equals `exact` when the query does not end in a word. */
  any: string;
}

const hasWords = (text: string): boolean => wordsIn(text).length > 0;
const inAnyOrder = (text: string): string => `plainto_tsquery('pg_catalog.simple', search_text(${text}))`;
const inOrder = (text: string): string => `phraseto_tsquery('pg_catalog.simple', search_text(${text}))`;
const all = (parts: readonly string[]): string => `(${parts.join(' && ')})`;

/** Null without a word to look for. */
export function queriesOf({ words, endsInWord, phrases, excluded }: Terms, place: Place): Queries | null {
  const plain = hasWords(words) ? place(words) : null;
  const others = phrases.filter(hasWords).map((text) => inOrder(place(text)));
  if (plain === null && others.length === 0) return null;
  const rest = [...others, ...excluded.filter(hasWords).map((text) => `!! ${inOrder(place(text))}`)];
  const exact = plain === null ? [] : [inAnyOrder(plain)];
  return {
    exact: all([...exact, ...rest]),
    any: all([...(plain === null ? [] : endsInWord ? [`search_query(${plain})`] : exact), ...rest]),
  };
}

/** SQL of a `tsquery` of what is looked for beside a last word that is a prefix. Null when nothing is, or when there is no prefix. */
export function besidePrefix({ words, endsInWord, phrases }: Terms, place: Place): string | null {
  const before = wordsIn(words).slice(0, -1).join(' ');
  const parts = phrases.filter(hasWords);
  if (!endsInWord || !hasWords(words) || before + parts.join('') === '') return null;
  return all([...(before === '' ? [] : [inAnyOrder(place(before))]), ...parts.map((text) => inOrder(place(text)))]);
}
