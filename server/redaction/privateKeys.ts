import type { Finding } from './finding.ts';

const begin = /-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
// What stands between the two lines: base64, its headers, and whatever breaks lines in JSON, in code and in YAML. Never "-----".
const body = /(?:[A-Za-z0-9+/=\s:,.;"'`|>#()[\]_]|\\+[nrtu"']|\\\n|-(?!----))+/y;
const end = /-----END [A-Z0-9 ]{0,60}PRIVATE KEY(?: BLOCK)?-----/y;
const material = /[A-Za-z0-9+/]{32}|(?:[A-Za-z0-9+/]{8,}={0,2}(?:\s|\\+[nr])+){2}[A-Za-z0-9+/]/;

/** Private keys in PEM, from BEGIN to END or, when a text is cut, as far as there is key; line breaks may be escaped. */
export function findPrivateKeys(text: string): Finding[] {
  const findings: Finding[] = [];
  for (const match of text.matchAll(begin)) {
    const from = match.index;
    if (from < (findings.at(-1)?.end ?? 0)) continue;
    const bodyFrom = from + match[0].length;
    body.lastIndex = bodyFrom;
    const inner = body.exec(text)?.[0] ?? '';
    end.lastIndex = bodyFrom + inner.length;
    const closed = end.exec(text);
    if (!material.test(inner)) continue;
    const stop = closed === null ? bodyFrom + lengthOfKey(inner) : end.lastIndex;
    findings.push({ kind: 'private key', from, start: from, end: stop });
  }
  return findings;
}

const line = /[\s"'`,|>#]*(?:\\+[nrtu]|[\s"'`,|>#])*(?:(?:Proc-Type|DEK-Info|Version|Comment)[^\n\\]{0,200}|[A-Za-z0-9+/=]{16,})/y;

/** Without an END, prose may follow: the key is its headers and its long lines of base64, and one shorter last line. */
function lengthOfKey(inner: string): number {
  line.lastIndex = 0;
  let length = 0;
  while (line.test(inner)) length = line.lastIndex;
  const last = /^(?:\\+[nr]|\s){1,4}[A-Za-z0-9+/]{1,16}={0,2}(?=\s*$)/.exec(inner.slice(length, length + 64));
  return length + (last?.[0].length ?? 0);
}
