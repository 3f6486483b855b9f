import type { Rule } from './finding.ts';
import { isPlaceholder, isPlain } from './values.ts';

// Passwords that only their place shows: after a user's name, below a heading, in a list of options. Such a value must look typed.

const open = String.raw`\\{0,7}["'\x60]?`;
const quote = String.raw`\\{0,7}["'\x60]`;
const word = String.raw`[^\s"'\x60,;|<>()\\\0]{4,128}`;
/** A word that is all of the rest of its line. */
const lastWord = String.raw`${word}(?=${open}[ \t]{0,4}(?:[\r\n]|\\{1,2}n|["'\x60]|$))`;
/** A word that is all of its line, without the signs of an address, a path or a setting. */
const ownLine = String.raw`[A-Za-z][^\s"'\x60,;:|=/\\.<>\0]{5,40}(?=[ \t]{0,4}(?:\r?\n|\\n|["'\x60]|$))`;
const between = String.raw`${quote},[ ]{0,4}`;
const lineStart = String.raw`(?:^|\\n|["'\x60])[ \t>$#]{0,8}`;
const user = String.raw`[\w.@+\\-]{1,64}`;

/** Letters and then digits, or digits and signs among letters, as people type them, and no name with a number: `node-20`, `step1`. */
const typed =
  /^(?:[A-Za-z]{4,}\d{2,}|(?=(?:\D*\d){3})[A-Za-z0-9]+|(?=.*\d)(?=.*[A-Za-z])[^-_]*[!#$%&*?@^~][^-_]*)[!?]?$/;
const isNotTyped = (secret: string): boolean => isPlain(secret) || !typed.test(secret);

const rule = (hints: string[], pattern: string, except: (secret: string) => boolean = isPlain, flags = 'gm'): Rule => ({
  kind: 'password',
  hints,
  pattern: new RegExp(pattern, flags),
  except,
});

export const placedRules: readonly Rule[] = [
  // A person's name, and below it a password on a line of its own.
  rule(
    ['admin', 'root', 'postgres', 'sa', 'user', 'User', 'login', 'Login', 'mail', 'ccount', '@'],
    String.raw`((?:^|\\n|["'\x60])[ \t>]{0,8}(?:(?:the[ ])?(?:user(?:[ _-]?name)?|login|e-?mail|account)(?:[:=][ ]?|[ ](?:is[ ])?)[\w.@+-]{2,64}|admin|administrator|root|postgres|sa|[\w.+-]{1,64}@[\w-]{1,40}\.[\w.-]{1,40})[ \t]{0,4}(?:\r?\n|\\n)[ \t>]{0,8})${ownLine}`,
    isNotTyped,
    'gim',
  ),
  // A heading: "Password:", "The password is:"
  rule(
    ['assword', 'asswort', 'ASSWORD', 'assphrase', 'asscode', 'ontraseñ', 'enha'],
    String.raw`((?:passwor[dt]|passphrase|passcode|contraseña|senha)(?:[ ](?:is|ist|es|é))?[ ]?:?(?:\*\*)?[ \t]{0,4}(?:(?:\r?\n|\\n)[ \t>]{0,8}){1,2}(?:${quote}{3}\w{0,10}(?:\r?\n|\\n))?\x60?)${ownLine}`,
    isNotTyped,
    'gim',
  ),
  // Options of any program: -u bob -p ..., -u bob:..., --proxy-user bob:...
  rule(
    [' -p ', ' -p=', ' -pw ', ' -P ', ' -w '],
    String.raw`([ \t](?:-[uUDl]|--user(?:name)?)[ \t=]{1,2}${open}${user}${open}(?:[ \t]{1,4}[^\s-][^\s\\]{0,64}|[ \t]{1,4}-{1,2}[\w-]{1,30}(?:[ =][^\s\\-][^\s\\]{0,64})?){0,2}?(?<!\bmkdir)[ \t]{1,4}-(?:pw?|P|w)[ \t=]{1,2}${open})${word}`,
    isNotTyped,
  ),
  rule(
    [' -u', ' -a', ' -A', '-user', '--auth', '--basic-auth', '--credential'],
    String.raw`([ \t](?:-[uaA]|--(?:proxy-)?user|--(?:basic-)?auth|--credentials?)[ \t=]{1,2}${open}${user}:)${word}`,
    isNotTyped,
  ),
  // Names and values as two options or words.
  rule(
    ['--value'],
    String.raw`(--name[ \t=]{1,2}${open}[\w./-]{0,60}(?:password|passwd|secret|token|api-?key)${open}[ \t]{1,4}--value[ \t=]{1,2}${open})${word}`,
  ),
  rule(
    ['env:set', 'config set', 'config:set'],
    String.raw`((?:env|config)[: ]set[ \t]{1,4}(?:--?[\w-]{1,20}[ \t]{1,4}){0,2}[\w.:/-]{0,60}(?:password|passwd|secret|token|api_?key)[ \t=]{1,4}${open})${word}`,
    isPlain,
    'gim',
  ),
  rule(
    ['<<<'],
    String.raw`((?:passw|passphrase|secret|PASSW|SECRET|--with-token|\bpass[ ]insert|kinit|cryptsetup|pwprompt|\bage[ ]-p)[^\n\0<]{0,100}<<<[ ]?${open})${word}`,
  ),
  rule(
    ['passwd'],
    String.raw`((?<![\w-])echo[ \t]{1,4}(?:-[en]{1,2}[ \t]{1,4})?${open})[^\s"'\\|;\0]{4,128}(?=[^\n\0|]{0,140}\|[ \t]{0,4}(?:sudo[ \t]{1,4})?(?:vnc|smb)?passwd\b)`,
  ),
  rule(
    ['passwd', 'openssl'],
    String.raw`((?<![\w-])(?:mosquitto_passwd[ \t]{1,4}-b[ \t]{1,4}\S{1,200}[ \t]{1,4}${user}|ldappasswd\b[^\n\0]{0,100}?[ \t]-s|openssl[ \t]{1,4}passwd(?:[ \t]{1,4}-\w{1,6}){0,3}|mkpasswd(?:[ \t]{1,4}-{1,2}\w{1,10}(?:[ =][\w-]{1,12})?){0,3})[ \t]{1,4}${open})${word}`,
  ),
  rule(['rar', '7z'], String.raw`((?<![\w-])(?:7z[ar]?|(?:un)?rar)[ \t]{1,4}\w[ \t][^\n\0]{0,80}?-h?p${open})${word}`),
  rule(
    ['input_pw', '--encrypt', 'encrypt_string', 'keyMaterial', 'setairportnetwork', '.psk', 'psk ', '/rp'],
    String.raw`((?:\binput_pw|\bqpdf[ ][^\n\0]{0,60}?--encrypt|\bencrypt_string|\bkeyMaterial=|-setairportnetwork[ \t]{1,4}\w{1,10}[ \t]{1,4}\S{1,64}|\bpsk(?=[ \t])|[ ]\/rp)[ \t]{0,4}${open})${word}`,
  ),
  // Lines of protocols and of files whose words are separated by spaces.
  rule(
    ['PASS ', 'AUTH ', 'LOGIN ', 'IDENTIFY '],
    String.raw`((?:${lineStart}PASS|${lineStart}AUTH(?:[ ]${user})?|\bLOGIN[ ]${open}${user}${open}|\bIDENTIFY)[ ]${open})(?!%)${lastWord}`,
    isNotTyped,
  ),
  rule(
    ['pw ', 'pass ', 'psk ', 'community ', 'password ', 'secret ', 'auth '],
    String.raw`(${lineStart}(?:(?:bind|root)pw|auth_pass|wpa-psk|r[ow]community|user[ ]${user}[ ](?:insecure-)?password|remotename[ ]${user}[ ]secret|secret)[ \t]{1,20}${open}|${lineStart}stats[ ]auth[ ]${user}:)${lastWord}`,
    isNotTyped,
  ),
  rule(
    ['{PLAIN}', '{CLEAR', '{noop}', '{plain}', '{clear'],
    String.raw`(\{(?:PLAIN|CLEAR|CLEARTEXT|noop)\})${word}`,
    (secret) => isPlaceholder(secret),
    'gi',
  ),
  rule([':/'], String.raw`(^[a-z_][\w-]{0,31}:)[^\s:"'\\\0]{6,64}(?=:\d{1,6}:\d{1,6}:[^:\n]{0,80}:\/)`),
  // Code: several variables at once, a function that returns it, a constructor, the pair of a login.
  rule(
    ['pass', 'Pass', 'PASS'],
    String.raw`((?:user\w{0,12}|login|name)['"]?,[ ]{0,4}[$@]?['"]?\w{0,12}pass\w{0,8}['"]?[ ]?[\])]?[ ]{0,4}:?=[ ]{0,4}[[(]?[ ]?${quote}[^"'\x60\\\n\0]{0,100}${between}${quote})${word}(?=${quote})`,
    isPlain,
    'gi',
  ),
  rule(
    ['assword'],
    String.raw`(password(?:\(\)|:[ ]?\(\)|[ ]by[ ]lazy)[^\n\0"'\x60=]{0,40}?(?:[{:]|=>)\s{0,12}(?:return[ ])?${quote})${word}(?=${quote})`,
    isPlain,
    'gi',
  ),
  rule(
    ['ass'],
    String.raw`(\bstring[ ]\w{0,20}(?:password|passwd|passphrase)[{(]${quote})${word}(?=${quote})`,
    isPlain,
    'gi',
  ),
  rule(
    ['uth', 'redential', 'asic(', '_pw_set'],
    String.raw`((?:\w{0,40}(?:Auth|Authentication|Credentials?|_pw_set)\(|[. _]auth\.?(?:basic)?[ ]?=?[ ]?\(|\bbasic(?:_?auth)?\()[ ]?${quote}[^"'\x60\\\n\0]{1,64}${between}(?:${quote}\w{1,20}${between})?(?:Some\()?${quote})${word}(?=${quote})`,
    isPlain,
    'gi',
  ),
  rule(
    ['toCharArray'],
    String.raw`((?:[Kk]ey|[Pp]ass|[Ss]tore|[Cc]red|[Aa]uth)[^\n\0"]{0,60}${quote}(?:[\w.-]{1,40}${between}${quote})?)${word}(?=${quote}\.toCharArray\(\))`,
  ),
  rule(
    ['auth(', 'AUTH('],
    String.raw`(\b(?:redis|r|conn|client|jedis)(?:->|\.)auth\(${quote})${word}(?=${quote}\))`,
    isPlain,
    'gi',
  ),
  // Forms and messages
  rule(
    ['assword'],
    String.raw`(type=${quote}password${quote}[^<>\n\0]{0,100}?\bvalue=${quote})[^"'\x60\\\n\0<>]{4,128}(?=${quote})`,
  ),
  rule(
    ['assword', 'ASSWORD', 'assphrase', 'asswort'],
    String.raw`((?<![\w-])(?:password|passphrase|passwort)[ ](?:[(\[][\w ,.-]{1,40}[)\]][ ]?[:=]|is[ ]now:?)[ ]{1,2}${open})${word}`,
    isPlain,
    'gi',
  ),
  rule(
    ['password', 'Password', 'passphrase'],
    String.raw`((?<![\w-])(?:(?:re)?set|changed|change)[ ](?:it|this|that|mine)[ ](?:back[ ])?to[ ]${open})${word}(?=${open}[ ](?:for|as|on)\b[^\n.]{0,40}pass(?:word|phrase)\b)`,
    isPlain,
    'gi',
  ),
  rule(
    ['password', 'Password', 'passphrase'],
    String.raw`((?<![\w-])pass(?:word|phrase)[ ](?:(?:should|must|has[ ]to|needs[ ]to)[ ]be|(?:has|was|is)[ ](?:been[ ])?(?:re)?set[ ]to|as|use)[ ]${open})${word}`,
    isNotTyped,
    'gi',
  ),
  rule(
    ['log', 'Log', 'sign', 'Sign'],
    String.raw`((?<![\w-])(?:log|sign)[ ]?in[ ]as[ ]${user}(?:[ ]with|,)[ ]{1,2}${open})${word}`,
    isNotTyped,
    'gi',
  ),
  rule(
    ['admin:', 'root:', 'admin/', 'root/'],
    String.raw`((?<![\w.@/:-])(?:admin|root)[:/])${word}(?=${open}(?:[ ](?:works|is|for|on|to|does|did)\b|[.,]?[ \t]{0,4}(?:[\r\n]|$)))`,
    isNotTyped,
  ),
  rule(
    ['/W', '/w', '@ssword'],
    String.raw`((?<![\w/])(?:p\/w|p@ss(?:word)?)[ ]?[:=][ ]{0,2}${open})${word}`,
    isPlain,
    'gi',
  ),
  rule(
    ['u:', 'U:', 'u/p', 'creds', 'redentials', ' the login'],
    String.raw`((?<![\w-])(?:u:[ ]?${user}[ ,/]{1,3}p:[ ]?|u\/p[:=]?[ ]{0,2}${user}[ ]?\/[ ]?|cred(?:ential)?s[:=][ ]{0,2}${user},[ ]{1,2}|(?<![\w.@/-])${user}[ ]\/[ ](?=\S{4,64}[ ]{1,2}(?:is|are)[ ]the[ ](?:login|credentials))))${word}`,
    isPlain,
    'gi',
  ),
];
