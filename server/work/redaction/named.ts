import { matchesOfStep, type Finding, type Search } from './finding.ts';
import { namingOf, type Naming } from './names.ts';
import { isBase64Key, isBasicCredentials, isLabel, isPlain, isPlaceholder, isVersion, looksRandom } from './values.ts';

/**
 * Notation of a name and its value, which tells how likely the value is data and not code. `entry`: the value of a name
 * in JSON, a .env line, a flag or a query. `field`: one of several fields, as in a connection string. `quoted`: a
 * string in code. `cell`: in a table or a list, which may also describe a name. `line`: a line of its own, `name: value`. `tight`: `name=value`. `loose`: `name: value` or `name = value`.
 */
export type Form = 'entry' | 'field' | 'cell' | 'quoted' | 'line' | 'tight' | 'loose';

const maxValueLength = 4096;
const nameThenValue =
  /(?:pass|pwd|psw|secret|token|key|cred|auth|jwt|salt|otp|pat\b|pw\b|psk\b|kennwort|contrase(?:ñ|n)a|clave|senha|wachtw|пароль|密码|密碼|パスワード|비밀번호)[\w.-]{0,32}(\\{0,7}["'`]?\]?)((?:\[\d{0,4}\](?=[ \t]{0,4}=[ \t]{0,4}["']))?(?:\*\*|__)?[ \t]{0,40}(?:=>|[:?]=|:[ \t]{0,4}&?(?:'[a-z]{1,8}[ ])?[A-Za-z][\w.?<>|]{0,30}[ \t]{1,4}=(?!=)|[ \t](?:as[ \t])?string[ \t]=(?!=)|[ \t]{1,4}(?:->|→)(?=[ \t])|[ \t]{0,4}<-(?=[ \t]{0,4}["'])|[ \t]{1,4}(?:\|\||\?\?|or)(?=[ \t]["'])|[:=,：])(?:\*\*|__)?(?:[ \t]|\\{1,2}t){0,40}|[ \t]{1,8}(?:(?:is|was|to|ist|war|lautet|auf|es|est|è|é)[ \t]{0,4}:?[ \t]{1,4})?|[是为為は][ \t]{0,4})/gi;
// Strings of many languages, and what makes a value of one: `Some("...")`, `new SecretString("...")`.
const wrapper = String.raw`(?:new[ ])?(?:Some|Just|Ok|Optional\.of|[Ss]tr(?:ing)?(?:::from)?|Buffer\.from|bytes|pulumi\.secret|(?:[\w.]{0,30}[._])?(?:Secret|Sensitive|Password|Passphrase|Token|ApiKey)(?:Str|String|Value|Text)?(?:(?:::|\.)(?:new|of|from|unsafePlainText))?)\([ ]?`;
const opening = new RegExp(`(?:${wrapper}){0,2}(?:[bBrRuUfFNL]{1,2}|[@$]{1,2})?#{0,3}(\\\\{0,7})("""|'''|["'\`])`, 'y');
// q{...} in Perl, %q(...) in Ruby, [[...]] in Lua
const bracketed =
  /(?:q[qw]?|%[qQ])(?:\{([^\s{}]{3,256})\}|\(([^\s()]{3,256})\)|\[([^\s[\]]{3,256})\])|\[\[([^\s[\]]{3,256})\]\]/y;
// Values are judged by their beginning, so that a text of many names takes linear time.
const judgedLength = 160;
const bareValue = /[^\s"'`,;&<>(){}[\]\\|\0]+/y;
const lineValue = /[^\s"'`\\\0]+/y;
const semicolonValue = /[^\s"'`;,()\\\0]+/y;
const nearbyFields =
  /\b(?:host|hostname|user|username|uid|user id|dbname|database|server|data source|port|endpoint|accountname|endpointsprotocol)=/i;

/** Finds values whose name marks them as secret: `"password": "..."`, `DB_SECRET=...`, `--token ...`, `?api_key=...`. */
export function* findNamed(text: string): Search {
  for (let at = 0, matches = 1; ; matches += 1) {
    nameThenValue.lastIndex = at;
    const match = nameThenValue.exec(text);
    if (match === null) return;
    at = nameThenValue.lastIndex;
    const found =
      text[at] === '[' && text[at + 1] !== '['
        ? valuesIn(text, match, at)
        : [valueOf(text, match, at)].filter((one) => one !== null);
    yield* found;
    at = found.at(-1)?.end ?? at;
    if (matches % matchesOfStep === 0) yield undefined;
  }
}

function valueOf(text: string, match: RegExpExecArray, at: number): Finding | null {
  const [, closing, operator] = match as unknown as [string, string, string];
  const nameEnd = at - operator.length - closing.length;
  const from = nameStart(text, match.index);
  const name = text.slice(from, nameEnd);
  const spaced = /^[ \t]+$/.test(operator);
  const before = text[from - 1];
  // Accepts `--token ...`, `set aws_secret_access_key ...`, and `storePassword '...'` in Groovy.
  const isSet = spaced && setting.test(text.slice(Math.max(0, from - 60), from));
  if (
    spaced &&
    !isSet &&
    (closing !== '' || !(/^--?[A-Za-z]|_/.test(name) || (/[a-z][A-Z]/.test(name) && /["']/.test(text[at] ?? ''))))
  )
    return null;
  // ["--password", "..."], {password, "..."} in Erlang
  const isTuple = operator.includes(',') && closing === '' && tupleStart.test(text.slice(Math.max(0, from - 3), from));
  if (operator.includes(',') && !isTuple && (!name.startsWith('--') || closing === '')) return null;
  const isFallback = fallback.test(operator);
  if (isFallback && closing !== '') return null;
  const naming = namingOf(name.replace(/^-+/, ''));
  if (naming === null) return null;
  // "a value that we pass to ..."
  if (naming.strength === 'weak' && /\bto\b/.test(operator)) return null;

  if (/["'`]/.test(closing) && !isSet && !isQuotedName(text, from)) return null;
  const quoted = quotedValue(text, at);
  if (quoted !== null) {
    const form: Form =
      isFallback || isTuple
        ? 'cell'
        : (closing !== '' && naming.strength !== 'weak') || spaced || isEnvName(name)
          ? 'entry'
          : 'quoted';
    const value = text.slice(quoted.start, quoted.end);
    if (isSameName(name, value) || (/\bto\b/.test(operator) && isPlain(value) && !isChange(text, from))) return null;
    return isSecret(naming, value, form) ? { kind: naming.kind, from, ...quoted } : null;
  }
  if (operator.includes(',') || isFallback) return null;
  if (closing !== '') return numberValue(text, at, from, naming);
  const tight = operator === '=' || spaced;
  const whole = match.index + match[0].length;
  const { form, reads } = bareForm({ text, from, name, before, tight, spaced, operator, end: whole });
  const judged = text.slice(at, at + judgedLength);
  const value = (isData(form) ? null : wholeLine(text, from, judged)) ?? readFirst(reads, judged);
  // Nothing was given: `--password --now`, `?password= HTTP/1.1`.
  if (value === null || (spaced && /^--?[A-Za-z]|^\w+=$/.test(value))) return null;
  if (/[?&]/.test(before ?? '') && /\s$/.test(operator)) return null;
  const trimmed = isData(form) ? value : value.replace(/[.:!?]+$/, '');
  if (operator.startsWith(':') && value.startsWith(':')) return null;
  if (isData(form) && !spaced && isVariable(name, trimmed, operator, text[at + value.length] ?? '')) return null;
  if (form === 'field' && /^[A-Za-z_$][\w$.]*$/.test(value) && text[at + value.length] === '(') return null;
  if (spaced && isProse(trimmed)) return null;
  const said: Form = !isData(form) && isAlone(text, from, at, value) ? 'line' : form;
  if (!isData(form) && !saying.test(operator) && isCode(text, at + value.length, trimmed, said, tight)) return null;
  if (!isSecret(naming, trimmed, said) || (spaced && !name.startsWith('-') && !looksRandom(trimmed, isSet ? 8 : 20)))
    return null;
  if (value.length < judgedLength) return { kind: naming.kind, from, start: at, end: at + trimmed.length };
  reads.lastIndex = at;
  return { kind: naming.kind, from, start: at, end: reads.test(text) ? reads.lastIndex : at + trimmed.length };
}

// `setenv NAME value`, `dotnet user-secrets set "Name" "value"`
const setting =
  /(?:^|[ \t])(?:set|put|add|setenv)(?:[ \t]{1,4}--?[\w-]{1,20}){0,2}[ \t]{1,4}(?:\\{0,7}["'])?(?:[A-Za-z]{1,20}:)?$/;
const tupleStart = /\{[ ]?:?$/;
// `process.env.DB_PASSWORD || "..."`, `os.getenv("...") or "..."`
const fallback = /\|\||\?\?|[ \t]or[ \t]/;
/** Options that take `name=value`. */
const takesPair = /--(?:set(?:-string)?|build-arg|env|from-literal)$/;

function readFirst(reads: RegExp, text: string): string | null {
  reads.lastIndex = 0;
  return reads.exec(text)?.[0] ?? null;
}

/** A password with separators in it, alone on its line: `password: p,ss;w0rd`. Null when it may be code. */
function wholeLine(text: string, from: number, judged: string): string | null {
  if (!lineStart.test(text.slice(Math.max(0, from - 40), from))) return null;
  const value = readFirst(lineValue, judged);
  if (value === null || !/[,;&|]/.test(value) || !/\d/.test(value)) return null;
  return /[()[\]{}<>]|[,;&|]$|\w[,;]\w+[=:]/.test(value) || !lineEnd.test(judged.slice(value.length)) ? null : value;
}

// "The password is ...", "I changed the password to ..."
const saying = /[a-z是为為は]/i;
// Words that follow the name of a flag in a sentence.
export const isProse = (value: string): boolean =>
  /^(?:after|also|an?|and|any|are|arguments?|as|at|be|because|before|but|by|can|cannot|does|each|flags?|for|from|has|if|in|instead|into|is|it|may|must|not|on|only|options?|or|parameters?|should|so|that|the|then|these|they|this|to|unless|until|values?|via|was|we|when|which|while|will|with|without|you)$/.test(
    value,
  );

/** {"tokens": ["...", "..."]} */
function valuesIn(text: string, match: RegExpExecArray, at: number): Finding[] {
  const from = nameStart(text, match.index);
  const [name = ''] = /^[\w$.-]+/.exec(text.slice(from, at)) ?? [];
  const naming = namingOf(name.replace(/s$/i, ''));
  if (naming === null) return [];
  const list = text.slice(at, at + maxValueLength).split(']', 1)[0]!;
  return [...list.matchAll(/(\\{0,7}["'])([^\s"'\\]{8,512})(?=\1)/g)].flatMap(({ index, 1: quote, 2: value }) => {
    const start = at + index + quote!.length;
    return looksRandom(value!, 16) ? [{ kind: naming.kind, from, start, end: start + value!.length }] : [];
  });
}

const digits = /\d{4,32}(?=[\s,}\]]|\\+n|$)/y;

/** {"password": 19750423} */
function numberValue(text: string, at: number, from: number, { kind, strength }: Naming): Finding | null {
  digits.lastIndex = at;
  return strength === 'password' && digits.test(text) ? { kind, from, start: at, end: digits.lastIndex } : null;
}

/** Start of the name, which may be before the matched word. */
function nameStart(text: string, found: number): number {
  let start = found;
  while (start > 0 && found - start < 64 && /[\w$.-]/.test(text[start - 1]!)) start -= 1;
  // Excludes an escaped line break or tab, as in "a\nPASSWORD=".
  if (start < found && text[start - 1] === '\\' && /[nrt]/.test(text[start]!)) start += 1;
  return start;
}

const isData = (form: Form): boolean => form === 'entry' || form === 'field';
const isQuotedOrData = (form: Form): boolean => isData(form) || form === 'quoted';

/** Whether the closing quote of a name also opens it. In `'not PASS' : 'FAIL'` and `x ? 'pass' : 'fail'` it does not. */
function isQuotedName(text: string, from: number): boolean {
  const opening = /(\?\s{0,4})?\\{0,7}["'`][\w .$@/-]{0,40}$/.exec(text.slice(Math.max(0, from - 60), from));
  return from === 0 || (opening !== null && opening[1] === undefined);
}

const isEnvName = (name: string): boolean => /^[A-Z][A-Z0-9_]*$/.test(name);

interface Bare {
  text: string;
  from: number;
  name: string;
  before: string | undefined;
  tight: boolean;
  spaced: boolean;
  operator: string;
  end: number;
}

// Ends with the line, whose break JSON escapes.
const aloneOnLine = /^[^\s"'`\\,;(){}[\]]{4,512}[ \t]*(?:\n|\r|\\+[nr]|["']|$)/;
const lineStart = /(?:^|\n|\\n|["'`])[ \t>*#+-]*(?:(?:export|set|setx|my|the|a)[ \t]+)?$/i;
const lineEnd = /^["'`]?[ \t.]*(?:[#|][^\n]*)?(?:\n|\r|\\+[nr]|["'`]|\0|$)/;

/** Whether the name and its value are all of their line, also of one in JSON. */
const isAlone = (text: string, from: number, at: number, value: string): boolean =>
  lineStart.test(text.slice(Math.max(0, from - 40), from)) &&
  value.length < judgedLength &&
  lineEnd.test(text.slice(at + value.length, at + value.length + 40));

// A line beside a password in a file of settings or in a message, without a comma at its end.
const settingsLine =
  /(?:^|\n|\\n)[ \t>*-]*(?:export[ \t]+)?[\w.-]{0,20}(?:user(?:[ _-]?name)?|login|e-?mail|host(?:name)?|port|database|db|dbname|server|account|url|adapter)["'`]?[ \t]*[:=][ \t]*[^\s"'`,;(){}[\]\\]{1,100}[ \t]*(?=\r?\n|\\n|$|["'])/i;
const nearbySettings = (text: string, from: number, end: number): boolean => {
  const before = text.slice(Math.max(0, from - 160), from);
  const after = text.slice(end, end + 300);
  return settingsLine.test(before) || settingsLine.test(after.slice(Math.max(0, after.search(/\n|\\n/))).slice(0, 160));
};

function bareForm({ text, from, name, before, tight, spaced, operator, end }: Bare): { form: Form; reads: RegExp } {
  if (tight && before === ';') return { form: 'field', reads: semicolonValue };
  if (spaced || (tight && /^--|^-[DP][a-z]/.test(name))) return { form: 'entry', reads: bareValue };
  if (tight && isPairOfOption(text, from)) return { form: 'entry', reads: bareValue };
  if (tight && (before === '?' || before === '&')) return { form: 'entry', reads: bareValue };
  if (tight && isEnvName(name)) return { form: 'entry', reads: lineValue };
  if (
    tight &&
    !name.includes('.') &&
    (nearbyFields.test(text.slice(Math.max(0, from - 120), from)) ||
      nearbyFields.test(text.slice(end, end + 120).split('\n')[0]!))
  ) {
    return { form: 'field', reads: semicolonValue };
  }
  // DB_PASSWORD: x in a compose file; spring.datasource.password=x in a properties file.
  const named = operator.startsWith(':') ? isEnvName(name) && name.includes('_') : tight && name.includes('.');
  if (
    named &&
    lineStart.test(text.slice(Math.max(0, from - 40), from)) &&
    aloneOnLine.test(text.slice(end, end + judgedLength))
  )
    return { form: 'entry', reads: bareValue };
  if (
    lineStart.test(text.slice(Math.max(0, from - 40), from)) &&
    aloneOnLine.test(text.slice(end, end + judgedLength)) &&
    nearbySettings(text, from, end)
  )
    return { form: 'entry', reads: lineValue };
  return { form: tight ? 'tight' : 'loose', reads: bareValue };
}

/** `--set auth.password=...,b=1` */
function isPairOfOption(text: string, from: number): boolean {
  const before = text.slice(Math.max(0, from - 200), from);
  const space = before.lastIndexOf(' ');
  return space >= 0 && takesPair.test(before.slice(0, space));
}

/** The range between the quotes that open at `at`, with equal escaping: `"x"`, `\"x\"` in JSON, `\\\"x\\\"` in JSON in JSON. */
export function quotedValue(text: string, at: number): { start: number; end: number } | null {
  opening.lastIndex = at;
  const match = opening.exec(text);
  if (match === null) return bracketedValue(text, at);
  const start = opening.lastIndex;
  const rest = text.slice(start, start + maxValueLength);
  const close = match[1]! + match[2]!;
  let end = rest.indexOf(close);
  while (end > 0 && rest[end - 1] === '\\') end = rest.indexOf(close, end + close.length);
  if (end < 0 || rest.slice(0, end).includes('\n')) return null;
  return { start, end: start + end };
}

function bracketedValue(text: string, at: number): { start: number; end: number } | null {
  bracketed.lastIndex = at;
  const match = bracketed.exec(text);
  if (match === null) return null;
  const value = match.slice(1).find((one) => one !== undefined)!;
  const start = at + match[0].lastIndexOf(value);
  return { start, end: start + value.length };
}

// What a line may say of a password instead of giving it.
const state =
  /^(?:binary|digest|disabled|email|enabled|encoded|encrypted|expired|field|hashed|input|label|login|plain|plaintext|prompt|provided|reset|stdin|supplied|username|varchar)$/;

/** Whether the value is code: a call, an index, a member, a type or a variable. */
export function isCode(text: string, end: number, value: string, form: Form, tight: boolean): boolean {
  const next = text[end] ?? '';
  if (/[([{<]/.test(next) || text.startsWith('=>', end)) return true;
  if (/^\s{1,40}\??\.[A-Za-z_]\w*\(/.test(text.slice(end, end + 80))) return true;
  if (/^[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*)+$/.test(value)) return true;
  if (!/^[A-Za-z_$][\w$]*$/.test(value)) return false;
  if (!/\d/.test(value)) {
    const isGiven = tight || (/: $/.test(text.slice(end - value.length - 2, end - value.length)) && !state.test(value));
    return form !== 'line' || !isGiven || !/^[a-z]{5,}$/.test(value) || namesItself(value);
  }
  // `password2`, `new_password_1`, `authToken2`
  const isVariable =
    /^(?:password|passwd|pass|pwd|pw|token|secret|key)_?\d{1,2}$/i.test(value) ||
    (namesItself(value) && /_|[a-z][A-Z]/.test(value));
  if (form === 'line') return isVariable && !tight;
  if (/[,;)}\]|&?:]/.test(next) || /^[ \t]*(?:[+*/?|)\]}]|&&)/.test(text.slice(end, end + 8)))
    return isVariable || /^[A-Za-z_$]+\d{0,2}$/.test(value);
  return isVariable && (!tight || namesItself(value.replace(/^(?:pass|my)/i, '')));
}

/** Whether the value of a bare pair is code after all: a call, an index, or a variable that is called as the name is. */
function isVariable(name: string, value: string, operator: string, next: string): boolean {
  if (/^[A-Za-z_][\w.]*(?:\[["']?$|\([\w.()\[\]"', ]*,?$)/.test(value) && /[[(]/.test(value + next)) return true;
  const variable = /^[A-Za-z_][A-Za-z_.]*(?=,?$)/.exec(value)?.[0];
  if (variable === undefined) return false;
  const isArgument = value.endsWith(',') || /[,)]/.test(next);
  if (isArgument && /^[A-Z]+$/.test(variable)) return true;
  return (
    (isArgument || /^[ \t]+=/.test(operator)) &&
    /[_.]|[a-z][A-Z]/.test(variable) &&
    lettersOf(variable).endsWith(lettersOf(/[A-Za-z]+$/.exec(name)?.[0] ?? name))
  );
}

const lettersOf = (text: string): string => text.replaceAll(/[^A-Za-z]/g, '').toLowerCase();

/** A constant whose value is its own name: `CLIENT_SECRET = "client_secret"`, `SECRET_KEY_BASE = "app.secret_key_base"`. */
const isSameName = (name: string, value: string): boolean =>
  /^[a-z]+(?:[A-Z_.-][A-Za-z]+)+$/.test(value) &&
  (lettersOf(value) === lettersOf(name) || lettersOf(/[^.]*$/.exec(value)![0]) === lettersOf(name));

/** "changed the password to `...`" */
const isChange = (text: string, from: number): boolean =>
  /\b(?:set|re-?set|chang|updat)/i.test(text.slice(Math.max(0, from - 40), from));

const namesItself = (value: string): boolean => /pass|pwd|secret|token|key|cred|auth/i.test(value);
// As in "is bcrypt2-hashed".
const compound = /^[A-Za-z]+\d?(?:-[A-Za-z]+)+$/;
const label = /password|passphrase|passwort/i;
const sentence =
  /\b(?:is|are|was|be|must|should|may|can|cannot|not|your|the|a|an|too|please|enter|at least|for|to|of|and|or|with|this|that)\b/i;

// Of a label or a message that has a number: "at least 8 characters".
const instruction =
  /\b(?:is|are|was|be|must|should|may|can|cannot|not|your|please|enter|least|most|characters?|digits?|letters?|minutes?|hours?|days?|chars|min|max|required|invalid|too|step|line|error|see|test|use|using|hash(?:ed)?)\b|[.:=<>|{}()\[\]/\\]/i;

/** Whether the value looks like a chosen password, for names with several meanings: letters with digits, and no path, test or sentence. */
const isChosen = (value: string): boolean =>
  value.length >= 6 &&
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  !/[/\\]|::/.test(value) &&
  (/[!#$%&*@?+^~]|^[A-Za-z]+(?:\d{1,6}|[._-]\d{3,6})$/.test(value) ||
    (value.match(/\d[A-Za-z]|[A-Za-z]\d/g)?.length ?? 0) > 2);

/** Whether people may have typed it: letters and digits, and neither words with a number, nor a path, an address or a moment. */
const isTyped = (value: string): boolean =>
  value.length <= 64 &&
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  !/[/\\()[\]{}<>|=]|::|^\d{4}-\d\d|^v?\d+(?:[.-]\w+)*$/.test(value) &&
  (/^[A-Za-z]{3,}\d{2,}[!#$%&*?]?$/.test(value) || /[!#$%&*?^~]/.test(value) || looksRandom(value, 6));

// A pointer, a member, a call, the path of a package, the name of a migration.
const code = /^\d{4}_[a-z]|^[*&<[({]\w*[A-Za-z]|^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|\(|^[a-z][\w-]*(?:\.[\w-]+)+\//;

const relative = /^\.{1,2}\/[\w./-]+$/;
// `tokenAuth "github.com/owner/name/auth"` in Go
const packagePath = /^[a-z][a-z0-9-]*(?:\.[a-z]{2,})+(?:\/[a-z][a-z0-9._-]*)+$/;

/** Whether a value is a secret, given what its name means. */
export function isSecret({ strength, orFolder }: Naming, value: string, form: Form): boolean {
  if (isPlaceholder(value) || isVersion(value) || isLabel(value)) return false;
  if (/\s/.test(value))
    return (
      strength === 'password' &&
      value.length <= 128 &&
      !label.test(value) &&
      (/\d/.test(value) ? isQuotedOrData(form) && !instruction.test(value) : form === 'entry' && !sentence.test(value))
    );
  if (/^(?:\.{0,2}|~)\/[\w.-]+(?:\/[\w.-]*)*$/.test(value) && value.length < 200 && !/\d/.test(value)) return false;
  if (relative.test(value) || packagePath.test(value)) return false;
  if (isBase64Key(value) && strength !== 'weak' && strength !== 'vague') return true;
  if (orFolder === true && /^(?:[/~.]|[A-Za-z]:)/.test(value)) return false;
  if (form === 'cell' && code.test(value)) return false;
  if (strength === 'vague')
    return isData(form) && looksRandom(value, 16) && !/^_?[a-z]+\d{0,3}(?:[_:.][a-z]+\d{0,3})+$/.test(value);
  if (strength === 'weak' && form !== 'field') return isChosen(value) || (isData(form) && looksRandom(value, 16));
  if (strength === 'password' || strength === 'weak') {
    if (isData(form)) return value.length >= 3;
    if (form === 'cell')
      return (
        value.length >= 4 && /\d|[!#$%&*@?+^~]/.test(value) && !compound.test(value) && !/[:=<>|{}()[\]/\\]/.test(value)
      );
    if (form === 'quoted') return value.length >= 4 && !/^[\w-]*(?:pass|pwd)[a-z_-]*$/i.test(value);
    if (form === 'line')
      return (
        value.length >= 4 && (/\d|[!#$%&*@?+^~]/.test(value) || /^[a-z]{5,}$/.test(value)) && !compound.test(value)
      );
    if (form === 'tight') return value.length >= 4 && /[\d\W]/.test(value);
    return (
      value.length >= 6 &&
      /\d/.test(value) &&
      /[A-Za-z]/.test(value) &&
      !compound.test(value) &&
      (/[^\w]/.test(value) || looksRandom(value, 6) || /^[a-z]+\d+$/i.test(value))
    );
  }
  if (strength === 'token' && isBasicCredentials(value) && isData(form)) return true;
  if (strength === 'secret' && isData(form))
    return (
      value.length >= 6 &&
      (!/^[a-z]+(?:[-_/.][a-z]+)*$/i.test(value) || value.length >= 10) &&
      !/^[a-z]+(?:[/.:][\w-]+)+$/i.test(value)
    );
  const least =
    { entry: 8, field: 8, cell: 8, quoted: 10, line: 10, tight: 12, loose: 12 }[form] +
    (strength === 'token' && !isData(form) ? 4 : 0);
  if (form !== 'loose' && isTyped(value)) return value.length >= (strength === 'token' ? 8 : 6);
  if (isData(form) && strength === 'key' && /^[A-Za-z]+\d+$/.test(value)) return value.length >= 8;
  return (
    looksRandom(value, least) ||
    (isData(form) && value.length >= 32 && /^[\w+/=.~-]+$/.test(value) && !/[-_.]/.test(value))
  );
}
