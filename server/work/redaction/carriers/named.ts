import type { Finding } from '../finding.ts';
import { isSecret, type Form } from '../named.ts';
import { namingOf, type Naming } from '../names.ts';

/** A name in a page that means a secret, and its line. */
export interface Named {
  page: string;
  start: number;
  end: number;
  naming: Naming;
  line: { from: number; to: number };
}

const shortKey = /^keys?$/i;
const kindOfKey = /(?<![A-Za-z])(?:api|access|account|private|secret|signing|encryption|auth|master|shared|license|service|client|admin|ssh|deploy)[ ]$/i; // prettier-ignore

const longest = 64;
const restOfName = /(?:[\w$-]|\.(?=\w)|[^\x00-\x7f\s“”「」│┃║：，。]){0,65}/y;
const isOfName = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 45 && code <= 57 && code !== 47) || (code >= 65 && code <= 90) || code === 95 || code === 36; // prettier-ignore

/** The whole name around a word in it, when something other than a bare value follows; null when it names no secret. A list has the plural of its name. */
export function nameAround(
  page: string,
  at: number,
  isList = false,
): { start: number; end: number; naming: Naming } | null {
  let start = at;
  while (start > 0 && at - start < longest && isOfName(page.charCodeAt(start - 1))) start -= 1;
  restOfName.lastIndex = at;
  restOfName.test(page);
  const end = restOfName.lastIndex;
  if (end - start > longest || /^(?:[=:](?!\$\(|<<|"""|'''|\()[^\s{|>]|[([])/.test(page.slice(end, end + 4)))
    return null;
  const name = page.slice(start, end).replace(/^[-.$]+/, '');
  if (shortKey.test(name)) start -= kindOfKey.exec(page.slice(Math.max(0, start - 16), start))?.[0].length ?? 0;
  const naming =
    namingOf(page.slice(start, end).replace(/^[-.$]+/, '')) ?? (isList ? namingOf(name.replace(/s$/i, '')) : null);
  return naming === null ? null : { start, end, naming };
}

const sign = /[\s"'`]/;

/** A finding for a part of the page when it is a secret of this name, without the spaces and quotes around it. */
export function judged(
  page: string,
  { naming, start: from }: Pick<Named, 'naming' | 'start'>,
  start: number,
  end: number,
  form: Form,
): Finding | null {
  let [first, last] = [start, end];
  while (first < last && sign.test(page[first]!)) first += 1;
  while (last > first && sign.test(page[last - 1]!)) last -= 1;
  if (last === first || last - first > 8_192) return null;
  const value = page.slice(first, last);
  return isSecret(naming, value, form)
    ? { kind: naming.kind, from: Math.min(from, first), start: first, end: last }
    : null;
}
