import type { Finding } from './finding.ts';
import { isSecret, quotedValue } from './named.ts';
import { namingOf } from './names.ts';
import { isPlaceholder } from './values.ts';

/** `{"name": "API_KEY", "value": "..."}`: the form of headers, variables and cookies in lists. */
const pair =
  /(?<slashes>\\{0,7})["'](?:name|key|header)\k<slashes>["']\s{0,8}:\s{0,8}\k<slashes>["'](?<name>[^"'\\\n]{1,80})\k<slashes>["']\s{0,8},\s{0,20}\k<slashes>["']value\k<slashes>["']\s{0,8}:\s{0,8}/g;

const cookieJar = /\b(?:httpOnly|domain|sameSite)\b/;

export function findPairs(text: string): Finding[] {
  if (!text.includes('value')) return [];
  return [...text.matchAll(pair)].flatMap((match): Finding[] => {
    const at = match.index + match[0].length;
    const value = quotedValue(text, at);
    if (value === null) return [];
    const isCookie = cookieJar.test(text.slice(value.end, value.end + 60));
    const kind = kindOfPair(match.groups!['name']!, text.slice(value.start, value.end), isCookie);
    return kind === null ? [] : [{ kind, from: match.index, ...value }];
  });
}

/** Kind of a value in such a list; null when it is not secret. */
export function kindOfPair(name: string, value: string, isCookie: boolean): string | null {
  if (isPlaceholder(value)) return null;
  if (/^(?:set-)?cookie$/i.test(name)) return value.includes('=') ? 'cookie' : null;
  if (/^(?:proxy-)?authorization$/i.test(name))
    return value.length >= 12 && !isPlaceholder(value.replace(/^\w+ /, '')) ? 'authorization header' : null;
  if (isCookie) return value.length >= 8 ? 'cookie' : null;
  const naming = namingOf(name);
  return naming !== null && isSecret(naming, value, 'entry') ? naming.kind : null;
}
