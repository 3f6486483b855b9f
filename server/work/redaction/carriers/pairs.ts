import type { Finding } from '../finding.ts';
import { isCode } from '../named.ts';
import { judged, type Named } from './named.ts';

// A name and its value as two fields, elements, attributes or items.

const reach = 320;
const separator = String.raw`[ \t]{0,8}(?:=>|:=|[:=|│])[ \t]{0,8}`;
const nameField =
  /(?<![A-Za-z])(?:[\w-]{0,24}(?:name|key|variable|header|field|option|param(?:eter)?|setting|property|label|attribute|entry)|id|path)(?:[ ]{0,7}["'`])?(?:[ \t]{0,8}(?:=>|:=|[:=|│])[ \t]{0,8}|>\s{0,8})["'`]?[\w ./:$-]{0,64}$/i;
const valueField = new RegExp(
  String.raw`(?<![\w.-])["'\`]?(?:[\w-]{0,24}value|val|content|default|data|string|plain(?:text)?)(?:[ ]{0,7}["'\`])?(?:${separator}|>)`,
  'gi',
);
/** Where an object, an element or an item ends, or the next one begins. */
const border = /\n[ \t]*\n|[}\])\0]|\/>|<(?:input|button|option|select)\b|\n[ \t]*-[ \t]|<\/(?:property|entry|item|dict|parameter|bean)>|(?<![A-Za-z-])(?:\w{0,24}(?:name|key)|variable)(?:[ ]{0,7}["'`])?[ \t]{0,8}[:=]/i; // prettier-ignore
const openings = /[{\0]|\/>|\n[ \t]*(?=\n)|(?:^|\n)[ \t>+]*-[ \t]/g;

/** Before the name in a pair: `("NAME", "...")`, `Map.of("a", "...", "NAME", "...")`. */
const firstItem = /(?:[({[][ ]{0,8}|\b(?:of|map|Map|pairs|hash)\([^()]{0,90},[ ]?)["'`]$/;

/**
 * A quoted value that something stands before: its default in `env("A", "...")`, the accessors of C#, the type and length of PHP, the
 * number of a reply of Redis, the value that was before in a plan of Terraform.
 */
const valueApart =
  /^["'\]]{0,2}(?:[ \t]*(?:=>|:=|[:=])[ \t]*(?:[\w.]{1,40}\([ ]?["'][\w.-]{1,60}["'],[ ]?|["'][^"'\n]{0,200}["'][ ]->[ ])|[ ]\{[ ](?:get|set)[^{}\n]{0,20}\}[ ]=[ ]|[ \t]*=>\s{1,40}string\(\d{1,5}\)[ ]|[ \t]*\n[ \t]*\d{1,4}\)[ ])["'`]/;

export function* findBeside(named: Named): Generator<Finding, void, void> {
  const { page, start, end } = named;
  const before = page.slice(Math.max(0, start - 100), start);
  const after = page.slice(end, end + reach);
  const closing = /^(?:[ ]{0,7}["'`])?/.exec(after)![0].length;
  const next = after.slice(closing);
  // The token of a form against forged requests is worth nothing without its cookie.
  if (/<meta\b[^<>]*$/i.test(before)) return;
  // `passwd->name` in C
  if (page[end - 1] === '-' && next.startsWith('>')) return;
  if (nameField.test(before)) {
    const inner = /^(?:[ ]\w{1,24}=["'][^"'<>]{0,40}["']){0,3}[ \t]*(?:\/?>|[ \t]*\n[ \t]*\n)[ \t]*(?=[^<\s])/.exec(
      next,
    );
    const isForm = /form-data;/i.test(before);
    const found =
      inner === null || (!isForm && inner[0].includes('\n'))
        ? besides(named, closing, next)
        : judgedIn(named, end + closing + inner[0].length, /[<\n]/, 'entry');
    if (found !== null) yield found;
    return;
  }
  const apart = after.match(valueApart);
  if (apart !== null) {
    const found = valueAt(named, end + apart[0].length - 1, 'entry');
    if (found !== null) yield found;
    return;
  }
  // [password] => ...
  if (/^\] => \S/.test(next)) {
    const found = judgedIn(named, end + closing + '] => '.length, /\n/, 'entry');
    if (found !== null) yield found;
    return;
  }
  const opened = /^\]?[ \t]*(?:(?:[:=]|=>|:=)?[ \t]*\{|(?:[:=]|=>|:=)[ \t]*\n(?=[ \t>+]+\w)|(?<=^\][ \t]*)\n)/.exec(
    next,
  );
  if (opened !== null) {
    const found = forward(named, closing + opened[0].length, next.slice(opened[0].length));
    if (found != null) yield found;
    return;
  }
  // <password>...</password>
  if (/<[\w:.-]*$/.test(page.slice(Math.max(0, start - 40), start)) && next.startsWith('>')) {
    const data = /^>\s*(?:<!\[CDATA\[)?/.exec(next)![0].length;
    const found = judgedIn(named, end + closing + data, /\]\]>|\s*<\/|[<\n]/, 'entry');
    if (found !== null && /^(?:\]\]>|\s*<\/)/.test(page.slice(found.end, found.end + 80))) yield found;
    return;
  }
  // ("API_KEY", "...")
  const item = closing > 0 && firstItem.test(before) ? /^[ \t]*,[ \t]*["'`]/.exec(next) : null;
  if (item !== null) {
    const found = valueAt(named, end + closing + item[0].length - 1, 'cell');
    if (found !== null) yield found;
  }
}

/** The value in the field after the name; without such a field, in the one before the name. */
function besides(named: Named, skipped: number, text: string): Finding | null {
  const after = forward(named, skipped, text);
  return after === undefined ? backward(named) : after;
}

/** The value in a field after the name, within the same object; undefined when there is no such field. */
function forward(named: Named, skipped: number, text: string): Finding | null | undefined {
  const limit = border.exec(text)?.index ?? text.length;
  valueField.lastIndex = 0;
  const match = valueField.exec(text);
  if (match === null || match.index > limit) return undefined;
  return valueAt(named, named.end + skipped + valueField.lastIndex, 'entry');
}

/** The value in a field before the name. */
function backward(named: Named): Finding | null {
  const from = Math.max(0, named.start - reach);
  const text = named.page.slice(from, named.start);
  let begin = 0;
  for (const match of text.matchAll(openings)) begin = match.index + match[0].length;
  let at = -1;
  for (const match of text.matchAll(valueField)) if (match.index >= begin) at = match.index + match[0].length;
  return at < 0 ? null : valueAt({ ...named, start: from + at }, from + at, 'entry');
}

/** The value at a place: between quotes, in an element, or bare. */
export function valueAt(named: Named, at: number, form: 'entry' | 'cell'): Finding | null {
  const { page } = named;
  const quote = page[at];
  if (page[at - 1] === '>') return judgedIn(named, at, /[<\n]/, form);
  if (quote === '"' || quote === "'" || quote === '`') {
    const text = page.slice(at + 1, at + 4_096);
    const end = text.indexOf(quote);
    return end < 0 || text.lastIndexOf('\n', end) >= 0 ? null : judged(page, named, at + 1, at + 1 + end, form);
  }
  const rest = /^[^\n\0]*/.exec(page.slice(at, at + 2_048))![0];
  const value = /^[^\s"'`,;&<>(){}[\]\0]+/.exec(rest)?.[0] ?? '';
  const isWhole = /^[ \t\r]*(?:#.*)?$/.test(rest.slice(value.length));
  const isYaml = isWhole && /:[ \t]*$/.test(page.slice(at - 8, at));
  if (!isYaml && isCode(page, at + value.length, value, isWhole ? 'line' : 'loose', false)) return null;
  return judged(page, named, at, at + value.length, isYaml ? form : 'cell');
}

function judgedIn(named: Named, at: number, stop: RegExp, form: 'entry' | 'cell'): Finding | null {
  const text = named.page.slice(at, at + 2_048);
  const end = stop.exec(text)?.index ?? text.length;
  return /[ \t]/.test(text.slice(0, end).trim()) ? null : judged(named.page, named, at, at + end, form);
}
