/** Meaning of a name for its value. */
export interface Naming {
  /** Kind of the secret, in words. */
  kind: string;
  /** How closely the value itself must look like a secret: a password may be any word unless the name is weak; tokens are random. */
  strength: 'password' | 'weak' | 'secret' | 'key' | 'token' | 'vague';
  /** Whether the value may also be a working folder, as for `pwd`. */
  orFolder?: boolean;
}

// Suffixes that qualify a name: DB_PASSWORD_PROD, SECRET_KEY_BASE, API_KEY_2.
const qualifier =
  /^(?:value|string|str|b64|base64|base|raw|plain|plaintext|text|hex|data|pem|prod|production|dev|development|staging|test|live|old|new|current|confirm|confirmation|again|default|primary|secondary|v?\d+)$/;
const password =
  /(?:password|passwd|pswd|psw|passwrd|pword|passphrase|passcode|pwd|passwort|kennwort|contrasena|(?:store|key|ssh|db|user|become|root)pass|motdepasse|wachtwoord|пароль|密码|密碼|パスワード|비밀번호)$/;
// Names with other meanings: a key, a word, a passed test, a folder. Below: words about a password, not for one.
const weakPassword = /^(?:pass|pw|clave|parola|passe)$/;
const aboutPassword =
  /^(?:enter|forgot|forgotten|reset|show|hide|no|missing|invalid|wrong|incorrect|check|has|is|require|required|need|needs|validate|verify|compare|set|update|change|ask|prompt|save|remember|toggle|send|request|expired|short|repeat|retype|choose|create|mismatch)$/;
// A constant with the name of a field, the length of a buffer, a flag of an account: ATT_PASSWORD, DONT_EXPIRE_PASSWD.
const aboutField = /^(?:att|attr|attribute|buflen|cant|dont|expire|field|header|label|param|parameter|prop|property)$/;
const secret = /(?:secret|secretkey|secretaccesskey)$/;
const key =
  /(?:api|access|account|private|signing|encryption|encrypt|auth|master|service|servicerole|shared|sharedaccess|deploy|license|hmac|webhook|subscription|client|admin|storage|functions?|instrumentation|ingest|consumer|ssh|write|crypto)key$/;
const token = /token$/;
// Tokens that are counted, or that continue a list.
const otherToken =
  /(?:page|next|continuation|sync|cancel|cancellation|abort|design|eos|bos|pad|stop|special|mask|unk|sep|cls|first|last|max|min|num|start|end|color|syntax|injection|json|prev|previous|current|lex|per)$/;

/** Meaning of a name such as `DB_PASSWORD`, `clientSecret`, `x-api-key`; null when it does not name a secret. */
export function namingOf(name: string): Naming | null {
  const known = meanings.get(name);
  if (known !== undefined) return known;
  const naming = readName(name);
  if (name.length > 100) return naming;
  if (meanings.size >= 1_000) meanings.clear();
  meanings.set(name, naming);
  return naming;
}

/** A text repeats its names, and reading one takes ten times as long as finding it. */
const meanings = new Map<string, Naming | null>();

function readName(name: string): Naming | null {
  const parts = (
    /^[\x20-\x7e]*$/.test(name)
      ? name
      : name
          .normalize('NFKD')
          .replaceAll(/[\u0300-\u036f]/g, '')
          .normalize('NFC')
  )
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '');
  while (parts.length > 1 && qualifier.test(parts.at(-1)!)) parts.pop();
  // A blank: YOUR_API_KEY.
  if (parts[0] === 'your' && parts.length > 1) return null;
  const whole = parts.join('');
  const last = parts.at(-1) ?? '';
  const isOfField = parts.slice(0, -1).some((part) => aboutField.test(part));
  if (password.test(whole) || /^(?:pass|pw|psk|clave|senha)$/.test(last)) {
    const isWeak =
      weakPassword.test(whole) ||
      isOfField ||
      (/[a-z]/.test(name) && parts.slice(0, -1).some((part) => aboutPassword.test(part)));
    return { kind: 'password', strength: isWeak ? 'weak' : 'password', orFolder: /^(?:old)?pwd$/.test(whole) };
  }
  if (secret.test(whole)) return { kind: 'secret', strength: isOfField ? 'vague' : 'secret' };
  if (key.test(whole)) return { kind: whole.endsWith('apikey') ? 'api key' : 'key', strength: 'key' };
  if (token.test(whole))
    return otherToken.test(whole.slice(0, -'token'.length)) ? null : { kind: 'token', strength: 'token' };
  if (/^(?:credentials?|creds)$/.test(last)) return { kind: 'credentials', strength: 'key' };
  if (/^(?:auth|jwt)$/.test(last)) return { kind: last === 'auth' ? 'credentials' : last, strength: 'token' };
  // Too common in code, except as names of environment variables.
  if (/^(?:pat|salt|otp)$/.test(last) && /^[A-Z0-9_]+$/.test(name)) return { kind: last, strength: 'token' };
  if (/^(?:key|secrets)$/.test(last) && parts.length > 1 && /^[A-Z0-9_]+$/.test(name))
    return { kind: 'key', strength: 'vague' };
  return null;
}
