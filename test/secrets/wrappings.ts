import type { Sample, Written } from './samples.ts';

const escape = '\u001b';

/** Inserts invisible text into the middle of a secret. */
const inTheMiddle = (secret: string, unseen: string): string =>
  `${secret.slice(0, Math.ceil(secret.length / 2))}${unseen}${secret.slice(Math.ceil(secret.length / 2))}`;

/** Ways to write a secret of one line. */
const wrappings: Record<string, (secret: string) => Written> = {
  bare: (secret) => ({ text: secret }),
  'in a sentence': (secret) => ({ text: `Please use ${secret}, it is new.` }),
  quoted: (secret) => ({ text: `connect("${secret}")` }),
  'in backticks': (secret) => ({ text: `The value is \`${secret}\`.` }),
  'environment line': (secret) => ({ text: `A=1\nexport CREDENTIAL=${secret}\nB=2` }),
  json: (secret) => ({ text: JSON.stringify({ a: 1, given: secret }) }),
  'json in json': (secret) => ({ text: JSON.stringify({ body: JSON.stringify({ given: secret }) }) }),
  yaml: (secret) => ({ text: `service:\n  given: ${secret}\n  port: 80` }),
  'yaml list': (secret) => ({ text: `given:\n- ${secret}\n- b` }),
  'numbered listing with an arrow': (secret) => ({ text: `     1→a\n     2→${secret}\n     3→b` }),
  'numbered listing with a tab': (secret) => ({ text: `     1\ta\n     2\t${secret}\n     3\tb` }),
  'numbered listing in json': (secret) => ({
    text: JSON.stringify({ content: `     1→a\n     2→${secret}\n     3→b` }),
  }),
  'added line': (secret) => ({ text: `@@ -1,2 +1,3 @@\n a\n+${secret}\n b` }),
  'removed line': (secret) => ({ text: `@@ -1,3 +1,2 @@\n a\n-${secret}\n b` }),
  'search result': (secret) => ({ text: `config/app.conf:12:${secret}\nconfig/app.conf-13-b` }),
  coloured: (secret) => ({ text: `Made: ${escape}[32m${secret}${escape}[0m` }),
  'coloured, in 256 colours, before a word': (secret) => ({
    text: `${escape}[1m${escape}[38;5;208m${secret}${escape}[0mdone`,
  }),
  'coloured in the middle': (secret) => ({
    text: `a ${escape}[01;31m${escape}[K${inTheMiddle(secret, `${escape}[m${escape}[K`)} b`,
  }),
  'coloured and escaped': (secret) => ({ text: JSON.stringify({ stdout: `${escape}[32m${secret}${escape}[0m` }) }),
  'coloured, escaped for a shell': (secret) => ({
    text: `printf '\\033[32m${secret}\\033[0m'; echo -e "\\e[1m${secret}\\x1b[0m"`,
  }),
  'colours without their escape': (secret) => ({ text: `[32m${secret}[0m` }),
  'added line in colours': (secret) => ({
    text: `${escape}[36m@@ -1 +1,2 @@${escape}[m\n${escape}[32m+${secret}${escape}[m`,
  }),
  'zero-width characters around it': (secret) => ({ text: `a\u200b${secret}\ufeff` }),
  'a zero-width character in the middle': (secret) => ({ text: `x ${inTheMiddle(secret, '\u200b')} y` }),
  'a value': (secret) => ({ value: { steps: [{ input: { content: `a ${secret}` } }] } }),
  'a coloured value': (secret) => ({ value: { stdout: `${escape}[32m${secret}${escape}[39m` } }),
  'split over two messages': (secret) => ({
    texts: [
      `It begins with ${secret.slice(0, Math.ceil(secret.length * 0.6))}`,
      `${secret.slice(Math.ceil(secret.length * 0.6))} and that is all.`,
    ],
  }),
};

export const wrapped = (kind: string, secret: string): Sample[] =>
  Object.entries(wrappings).map(([form, write]) => ({ kind, form, written: write(secret), secrets: [secret] }));

const numbered =
  (between: string) =>
  (line: string, index: number): string =>
    `${String(index + 1).padStart(6)}${between}${line}`;

/** Ways to print a file of several lines. */
const listings: Record<string, (lines: readonly string[]) => Written> = {
  plain: (lines) => ({ text: lines.join('\n') }),
  'line ends of Windows': (lines) => ({ text: lines.join('\r\n') }),
  'numbered with an arrow': (lines) => ({ text: lines.map(numbered('→')).join('\n') }),
  'numbered with a tab': (lines) => ({ text: lines.map(numbered('\t')).join('\n') }),
  'numbered with a bar': (lines) => ({ text: lines.map(numbered(' | ')).join('\n') }),
  'numbered with a box': (lines) => ({ text: lines.map(numbered(' │ ')).join('\n') }),
  'numbered with a colon': (lines) => ({ text: lines.map((line, index) => `${index + 1}:${line}`).join('\n') }),
  'numbered in json': (lines) => ({ text: JSON.stringify({ output: lines.map(numbered('→')).join('\n') }) }),
  'a numbered value': (lines) => ({ value: { result: [{ type: 'text', text: lines.map(numbered('→')).join('\n') }] } }),
  added: (lines) => ({ text: ['@@ -0,0 +1,9 @@', ...lines.map((line) => `+${line}`)].join('\n') }),
  removed: (lines) => ({ text: ['@@ -1,9 +0,0 @@', ...lines.map((line) => `-${line}`)].join('\n') }),
  'added and coloured': (lines) => ({ text: lines.map((line) => `${escape}[32m+${line}${escape}[m`).join('\n') }),
  coloured: (lines) => ({ text: `${escape}[33m${lines.join('\n')}${escape}[0m` }),
  'each line coloured': (lines) => ({ text: lines.map((line) => `${escape}[33m${line}${escape}[0m`).join('\n') }),
  cited: (lines) => ({ text: lines.map((line) => `> ${line}`).join('\n') }),
  'zero-width': (lines) => ({ text: lines.map((line) => `\u200b${line}`).join('\n') }),
  indented: (lines) => ({ text: lines.map((line) => `    ${line}`).join('\n') }),
  json: (lines) => ({ text: JSON.stringify({ file: lines.join('\n') }) }),
};

/** A file of several lines, some of them secret. */
export const listed = (kind: string, lines: readonly string[], secrets: string[]): Sample[] =>
  Object.entries(listings).map(([form, write]) => ({ kind, form, written: write(lines), secrets }));
