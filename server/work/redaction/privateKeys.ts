import type { Finding } from './finding.ts';

const begin = /-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
// The text between the two lines: base64, headers, and line breaks as in JSON, code and YAML. Never "-----".
const body = /(?:[A-Za-z0-9+/=\s:,.;"'`|>#()[\]_]|\\+[nrtu"']|\\\n|-(?!----))+/y;
const end = /-----END [A-Z0-9 ]{0,60}PRIVATE KEY(?: BLOCK)?-----/y;
const material = /[A-Za-z0-9+/]{32}|(?:[A-Za-z0-9+/]{8,}={0,2}(?:\s|\\+[nr])+){2}[A-Za-z0-9+/]/;

const ends = /-----END (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;

/** Finds private keys in PEM, from BEGIN to END, or to the last key line when the text is cut. Line breaks may be escaped. */
export function findPrivateKeys(text: string): Finding[] {
  if (!text.includes('PRIVATE KEY')) return [];
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
  return [...findings, ...withoutBeginnings(text, findings)];
}

/** Finds keys whose beginning is cut off: the END and the key lines before it. */
function withoutBeginnings(text: string, known: readonly Finding[]): Finding[] {
  const whole = new Set(known.map((finding) => finding.end));
  return [...text.matchAll(ends)].flatMap((match): Finding[] => {
    const end = match.index + match[0].length;
    if (whole.has(end)) return [];
    const start = keyBefore(text, match.index);
    return material.test(text.slice(start, match.index)) ? [{ kind: 'private key', from: start, start, end }] : [];
  });
}

const longestKey = 16_384;
const longestLine = 200;
const keyLine = /^[\s"'`,|>#+]*[A-Za-z0-9+/]{1,128}={0,2}[\s"'`,+\\]*$/;
/** A line number, or a file with one, which `withoutGutters` made a line of its own. */
const noLine = /^(?:[\s"'`,|>#\\\d]*|[\w./-]{1,120}[:-]\d{1,6}\n*)$/;

/** Position where the key lines before `at` begin. */
function keyBefore(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < longestKey) {
    const near = Math.max(0, start - longestLine - 1);
    const before = text.slice(near, start);
    const escaped = before.slice(-160).lastIndexOf('\\n');
    const escapedAt = escaped < 0 ? -1 : Math.max(near, start - 160) + escaped;
    const from = Math.max(near + before.lastIndexOf('\n') + 1, escapedAt < 0 ? 0 : escapedAt + 2);
    if (start - from > longestLine) return start;
    const line = text.slice(from, start);
    if (!noLine.test(line) && !keyLine.test(line)) return start;
    start = from === escapedAt + 2 ? escapedAt : from - 1;
  }
  return Math.max(0, start);
}

const line =
  /(?:[\s"'`,|>#*]|\\+[nrtu]|\d{1,6}(?=\n))*(?:(?:Proc-Type|DEK-Info|Version|Comment)[^\n\\]{0,200}|[A-Za-z0-9+/=]{16,})/y;
const lastLine = /^(?:\\+[nr]|\s|\d{1,6}(?=\n)){1,16}[A-Za-z0-9+/]{1,16}={0,2}(?=\s*$)/;

/** Length of a key without END, which prose may follow: its headers, its long base64 lines and one shorter last line. */
function lengthOfKey(inner: string): number {
  line.lastIndex = 0;
  let length = 0;
  while (line.test(inner)) length = line.lastIndex;
  const last = lastLine.exec(inner.slice(length, length + 64));
  return length + (last?.[0].length ?? 0);
}
