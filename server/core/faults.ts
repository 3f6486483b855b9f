/** What is wrong with a value, as the rest of a sentence; null when nothing is. Pure: the dashboard checks while one types. */
export type FaultOf<Value> = (value: Value) => string | null;

export const shown = (value: string): string => (value.length > 60 ? `'${value.slice(0, 60)}...'` : `'${value}'`);

const loneSurrogate = /\p{Surrogate}/u;

/** A text that PostgreSQL or UTF-8 cannot hold. */
export function unstorable(text: string): string | null {
  if (text.includes('\0')) return 'contains NUL (U+0000): remove it';
  if (loneSurrogate.test(text)) return 'contains an unpaired surrogate: remove it';
  return null;
}

export const overlong = (actual: number, limit: number, unit: string): string | null =>
  actual > limit ? `has ${actual} ${unit}; the limit is ${limit}: shorten it` : null;

export const tooManyCharacters = (text: string, limit: number): string | null =>
  text.length > limit ? overlong([...text].length, limit, 'characters') : null;

export const blank: FaultOf<string> = (text) => (text.trim() === '' ? 'is blank: give a text' : null);

export const faultOfName =
  (characters: number): FaultOf<string> =>
  (text) =>
    unstorable(text) ?? tooManyCharacters(text, characters) ?? blank(text);

export const faultOfInteger =
  (least: number, most = 2 ** 31 - 1): FaultOf<number> =>
  (value) =>
    Number.isInteger(value) && value >= least && value <= most ? null : `is ${value}: give ${least} to ${most}`;

export const faultOfAgentType: FaultOf<string> = (type) =>
  /^[A-Z][A-Z0-9_]{0,49}$/.test(type)
    ? null
    : `is ${shown(type)}, which is not an agent type: an upper-case letter, then up to 49 upper-case letters, digits and '_'`;

const slug = /^[a-z0-9]([a-z0-9_-]{0,50}[a-z0-9])?$/;
export const isSlug = (text: string): boolean => slug.test(text);

export const faultOfSlug: FaultOf<string> = (text) =>
  isSlug(text)
    ? null
    : "is no slug: give 1 to 52 lower-case letters, digits, '-' and '_', a letter or digit at both ends";
