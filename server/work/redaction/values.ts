// Placeholders for secrets: variables, templates, words, marks of earlier redactions.
const placeholderStart =
  /^(?:\[redacted|\[?%[sdv@]|#\{|[./]{0,3}\$|\{\{|<|%[({]|%[sdr](?![0-9a-f])|%\w+%|!(?:ref|sub|getatt|vault|env|secret)\b|op:\/\/|vault:|ref\+|(?:var|local|module|each|data|random_password)\.[a-z_]|process\.|import\.|os\.|env[.(]|secrets\.|self\.|this\.|config\.|settings\.|req\.|ctx\.|\.\.\.|…)/i;
const placeholderWord =
  /\$\{|\{\{|(?:^|[^a-z])your[-_ ]?[a-z]|placeholder|replace[-_]?(?:me|with|this)|redacted|insert[-_]|dummy|todo\b|fixme|\.\.\.|…|x{4,}|\*{3,}|_here$|process\.env/i;
// Not in capitals: the example keys in the manuals of AWS contain EXAMPLE and are redacted like real ones.
const example = /example|Example/;
const placeholderWhole =
  /^(?:(?:my|the|some|a|test|fake|new|old|user|db|default|dein|ihr|mein|tu|su|mi|votre|mon|sua|minha)?[-_ ]?(?:password|passwort|kennwort|contraseña|contrasena|clave|mot[-_ ]de[-_ ]passe|senha|wachtwoord|пароль|passwd|passphrase|pass|pwd|pw|secret|secrets|token|access[-_]?token|api[-_]?key|key|credentials?|string|value|text|hash)|none|null|nil|undefined|true|false|yes|no|on|off|empty|unset|required|optional|hidden|masked|passed|failed|skipped|ok|success|valid|invalid|missing|present|set|match(?:es|ed)?|changed|wrong|incorrect|correct|strong|weak|inherit|change[-_ ]?(?:me|this|it)|str|int|bool|boolean|number|any|object|bytes|unknown|bearer|basic|sha\d+|hs\d+|rs\d+|es\d+|aes[-_]?\d+.*|base64|md5|rsa|bcrypt|argon2(?:id)?|(?:un)?defined|hashed|encrypted|encoded|\[?filtered\]?|debug\d|\{[\w.@-]{1,40}\}|--?[a-z][\w-]*=?|x+|0+|1+|0x[0-9a-f]{1,8})$/i;
// `API_PASSWORD`, `NOT_LOGGED`; `@PASSWORD@` in a template; `required|confirmed`, rules of a form.
const constant = /^(?:@[A-Z][A-Z0-9_]*@?|[A-Z]+(?:_[A-Z]+)+)$/;
const rules = /^(?:required|nullable|sometimes|confirmed|current_password|string)(?:[|:][\w|:,.-]*)?$/i;
// The scope of a signature of AWS, which gives nothing away.
const scope = /^[\w%-]{1,64}\/\d{8}\/[\w-]{1,40}\/[\w-]{1,40}\/\w{1,12}_request$/;
const sameCharacter = /^(.)\1*$/;

export function isPlaceholder(value: string): boolean {
  return (
    value === '' ||
    sameCharacter.test(value) ||
    placeholderStart.test(value) ||
    placeholderWord.test(value) ||
    example.test(value) ||
    placeholderWhole.test(value) ||
    constant.test(value) ||
    rules.test(value) ||
    scope.test(value)
  );
}

// Passwords contain no Chinese, Japanese or Korean characters; accented letters only with a digit or a sign.
const label = /[\u2e80-\u9fff\uac00-\ud7af]|^(?=.*[^\x00-\x7f])[\p{L}\p{M}\s.…:?!'’-]*$/u;

/** Whether the value is the label or a hint of a form field. */
export const isLabel = (value: string): boolean => label.test(value);

const words = /^[A-Za-z]+(?:[-_./:@][A-Za-z]+)*\d{0,2}$/;
const place =
  /^(?:\.{0,2}\/|~\/|[A-Za-z]:\\|[a-z][a-z0-9+.-]*:\/\/)|\.(?:[cm]?[jt]sx?|json|ya?ml|toml|py|rb|go|rs|java|md|txt|pem|key|crt|env|sh|html?|css|scss|png|svg|lock)$/;
const member = /^[A-Za-z_$][\w$]{0,23}(?:\??\.[A-Za-z_$][\w$]{0,23})+$/;
const version = /^[v^~]?\d+(?:\.\d+)+(?:-[\w.]+)?$/;
// Base64 may look like a path.
const padded = /^(?=.*\d)(?=.*[A-Z])[A-Za-z0-9+/]{40,}={1,2}$/;
const base64 = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+/]{32,}={0,2}$/;
const moment = /^\d{4}-\d\d-\d\d/;

/** Whether it is a member such as `config.apiKey`, not two halves of a key. */
export const isMember = (value: string): boolean => member.test(value) && !/\d.*\d/.test(value);

export const isVersion = (value: string): boolean => version.test(value);

/** Whether a value looks random, and is no word, path, version or date. */
export function looksRandom(value: string, least: number): boolean {
  if (value.length < least || /\s/.test(value)) return false;
  if (padded.test(value) || isBase64Key(value)) return true;
  if ([place, version, moment, member].some((harmless) => harmless.test(value))) return false;
  if (/\d/.test(value) && /[A-Za-z]/.test(value)) return !words.test(value);
  return value.length >= 24 && caseChanges(value) >= value.length / 5 && /^[\w+/=.~-]+$/.test(value);
}

/**
 * Whether it is a long key in base64, although it may look like a path: `/` is one in 64 of its characters. Between two characters of
 * random base64 the case rises, or a letter meets a digit, in 42 of 100 places; in a path in fewer than 15.
 */
export const isBase64Key = (value: string): boolean =>
  base64.test(value) && (value.match(/[a-z](?=[A-Z])|[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0) >= value.length / 5;

function caseChanges(value: string): number {
  return value.match(/[a-z][A-Z]/g)?.length ?? 0;
}

/** Whether it is `name:password` in base64. */
export function isBasicCredentials(base64: string): boolean {
  if (base64.length < 8) return false;
  const decoded = Buffer.from(base64, 'base64').toString('latin1');
  return /^[\x20-\x7e]{1,200}$/.test(decoded) && /^[^:]*:.+/.test(decoded);
}

/** Whether a value is too plain to be a password in prose: no letters, or neither digit nor sign, or a path, a call or a pattern. */
export const isPlain = (value: string): boolean => isPlaceholder(value) || (!isBase64Key(value) && hasPlainLook(value));

/** A mark at the end may belong to the sentence: "The password works!" */
const hasPlainLook = (value: string): boolean =>
  !/\p{L}/u.test(value) ||
  !/[\d!#$%&*?+=^~]/.test(value.replace(/!+$/, '')) ||
  /[/\\<>(){}]|^\w+:|\.\*|^[a-z_]+=|^[A-Z][A-Za-z]*\d$/.test(value);
