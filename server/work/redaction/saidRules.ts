import type { Rule } from './finding.ts';
import { isPlaceholder, isPlain } from './values.ts';

// Passwords in prose, in a table, or on a line of a credentials file.

const bare = '[^\\s"\'`,;|\\\\\\0]{4,128}(?<![.:?)])';

const rule = (pattern: string, hints?: string[], except = isPlain): Rule => ({
  kind: 'password',
  ...(hints && { hints }),
  pattern: new RegExp(pattern, 'gim'),
  except,
});

const toLogIn = String.raw`(?:user(?:name)?[ ]?\/[ ]?pass(?:word)?|log(?:ged|ging)?[ -]?in|sign(?:ed|ing)?[ -]?in|credentials|creds|zugangsdaten|anmeldedaten|anmelden|einloggen|inicia(?:r)?[ ]sesi[oó]n|credenciales|connecte[rz]?|identifiants|(?:test|demo|admin|service)[ -]?(?:account|user|konto|login))`;
const between = String.raw`(?:[ ](?:with|as|using|mit|als|con|como|avec|is|are|the|user|login|account))*[ ]?:?[ ]{0,2}\x60?`;

/** Names of a password in languages in which no program names a field, and words for "is" after them. */
const further = String.raw`(?:mots?[ ]de[ ]passe|parola[ ]d['’]ordine|palabra[ ]de[ ]paso|senha|has(?:ł|l)o|heslo|geslo|lozinka|l(?:ö|o)senord|adgangskode|kodeord|passord|salasana|jelsz(?:ó|o)|(?:ş|s)ifre(?:si|niz|m)?|parol(?:a|ă|ė|ē)|slapta(?:ž|z)odis|κωδικός(?:[ ]πρόσβασης)?|пароль|парола|лозинка|كلمة[ ](?:المرور|السر)|סיסמ(?:ה|א)|पासवर्ड|m(?:ậ|a)t[ ]kh(?:ẩ|a)u|kata[ ]sandi|รหัสผ่าน|গুপ্তসংকেত)`;
const means = String.raw`(?:[ ]{0,2}[:：=—–-][ ]{0,2}|[ ]{1,2}(?:est|è|é|es|jest|je|är|er|on|este|is|là|adalah|yra|है|είναι)[ ]{0,2}:?[ ]{1,2}|[ ]{0,2}คือ[ ]{0,2})`;

export const saidRules: readonly Rule[] = [
  rule(String.raw`((?<![\w-])${further}${means}["'\x60]?)[^\s"'\x60,;|\\\0]{4,128}(?<![.:?)])`),
  // "log in with bob / ...", "Test account: demo@example.net / ..."
  rule(
    String.raw`((?<![\w-])${toLogIn}\b${between}(?![.])(?=[\w.@+-]{0,63}[a-z])[\w.@+-]{2,64}\x60?(?:[ ]?\/[ ]?|:[ ]?(?!\/\/)|[ ]\|[ ])\x60?)${bare}`,
  ),
  rule(
    String.raw`((?<![\w-])use[ ](?=[\w.@+-]{0,63}[a-z])[\w.@+-]{2,64}[ ]?[/:][ ]?)${bare}(?=[^\n]{0,40}\b(?:log|sign)[ -]?in)`,
  ),
  rule(
    String.raw`((?<![\w-])${toLogIn}\b${between}[\w.+-]{1,64}@[\w.-]{1,100}[ ](?:and|with|using|mit|und|con|y|avec|et)[ ])${bare}`,
  ),
  rule(
    String.raw`((?<![\w-])(?:password|passwort|kennwort|contrase(?:ñ|n)a|clave|senha|mots?[ _]de[ _]passe|wachtwoord|parola d.ordine|пароль)[ ]{1,2}["'\x60]?)${bare}(?=["'\x60]?(?:[.,;!)\s]|$))`,
  ),
  rule(
    String.raw`(\|[ \t]{1,20}(?:\*\*)?(?:password|passwort|kennwort|contraseña|passphrase|api[ _-]?key|secret|token)(?:\*\*)?[ \t]{1,20}\|[ \t]{1,20}\x60?)${bare}(?=\x60?[ \t]{0,20}(?:\||$))`,
  ),
  // "user bob, pass ...", "Wifi password - ...", with marks of Markdown or HTML: <b>Password:</b> ...
  rule(
    String.raw`((?<![\w-])(?:user(?:name)?|login)[:= ]{1,3}(?=[\w.@+-]{0,63}[a-z])[\w.@+-]{2,64}(?:[ ]?[,;/|]|[ ]and)[ ]{1,2}(?:pass|pw|pwd)(?:word|code)?[:= ]{1,3}["'\x60]?)${bare}`,
    ['pass', 'Pass', 'PASS', 'pw', 'PW'],
  ),
  rule(String.raw`((?<![\w-])(?:password|passphrase)[ ][–—-][ ]["'\x60]?)${bare}(?=["'\x60]?[ \t]{0,4}(?:[\n\\]|$))`, [
    'assword',
    'ASSWORD',
    'assphrase',
  ]),
  rule(
    String.raw`((?<![\w-])(?:password|passphrase|passwort|kennwort)[ ]?:?(?:\*{2}|__|<\/\w{1,10}>)?:?[ ]?(?:\*{1,2}|__|<(?:code|b|strong|tt|kbd|i|em)>)?(?:(?<=[*_>])[ ]?\x60?|\x60))[^\s"'\x60,;|<\\\0]{4,128}(?<![.:?)])`,
    ['assword', 'ASSWORD', 'assphrase', 'asswort', 'ennwort'],
    (secret) => isPlain(secret.replace(/[*_]{1,2}$/, '')),
  ),
  // "The password for the staging box is ...", "use ... as the password"
  rule(
    String.raw`((?<![\w-])(?:password|passphrase|passwort|kennwort|contraseña|senha)[ ](?:for|of|on|at|to|für|von|de|para)[ ][\w@./ '-]{1,80}?(?:[ ](?:is|was|ist|lautet|es|é)[ ]|:[ ])["'\x60]?)${bare}(?=["'\x60]?(?:[.,;!)\s]|$))`,
  ),
  rule(
    String.raw`((?<![\w-])(?:use|using|set|enter|type|try|with)[ ]["'\x60]?)${bare}(?=["'\x60]?[ ]as[ ](?:(?:the|my|your|a|its|our)[ ])?(?:[\w-]{1,20}[ ]){0,3}pass(?:word|phrase)\b(?![ ](?:hash|manage|store|field|key|polic|input)))`,
  ),
  // The answer of a script to a question: expect "password:" { send "...\r" }
  rule(
    String.raw`(passw[^"\\\n\0]{0,30}\\{0,7}"[ \t]{0,4}[{;]?(?:[ \t]|\n|\\n){0,8}(?:exp_)?send(?:[ ]--)?[ ]\\{0,7}")[^"\\\s\0]{3,128}`,
    ['send'],
    isPlaceholder,
  ),
  // In a query that was encoded once more.
  rule(
    String.raw`((?:password|passwd|passphrase|pwd|secret|token|api_?key)%(?:25){0,2}3D)(?:[\w.~+-]|%(?!(?:25){0,2}26)[0-9A-F]{2}){4,512}`,
    ['%3D', '%3d', '%253'],
  ),
  // Input of a browser test: getByLabel('Password').fill('...'), page.type('#password', '...')
  rule(
    String.raw`(["'\x60][^"'\x60\n]{0,60}passw[^"'\x60\n]{0,40}["'\x60][)]{0,2}\.(?:fill|type|send_?keys|setValue|typeText|pressSequentially)\(\\{0,7}["'])[^\s"'\\\n\0]{4,128}(?=\\{0,7}["'])`,
    ['fill', 'type', 'send', 'setValue', 'press'],
  ),
  rule(
    String.raw`(\b(?:fill|type|setValue)\([ ]?\\{0,7}["'\x60][^"'\x60\n]{0,60}passw[^"'\x60\n]{0,40}["'\x60],[ ]{0,4}\\{0,7}["'])[^\s"'\\\n\0]{4,128}(?=\\{0,7}["'])`,
    ['fill(', 'type(', 'setValue('],
  ),
  rule(
    String.raw`((?:\bauth=|(?:Basic_?Auth|basic_auth|NetworkCredential|PasswordCredentials))\([ ]?\\{0,7}["'][^"'\\\n\0]{1,64}\\{0,7}["'],[ ]{0,4}\\{0,7}["'])[^\s"'\\\n\0]{4,128}(?=\\{0,7}["'])`,
    ['uth', 'redential'],
    isPlaceholder,
  ),
  // The second argument of a call that logs in: client.login("...", "...")
  rule(
    String.raw`((?<![A-Za-z])(?:log_?in|sign_?in|authenticate|wifi\.begin|(?:set|with)_?credentials)\([ ]?[^,()\n\0]{1,100},[ ]{0,4}\\{0,7}["'])[^\s"'\\\n\0]{6,256}(?=\\{0,7}["'][,)])`,
    ['login(', 'log_in(', 'logIn(', 'signIn(', 'sign_in(', 'authenticate(', 'WiFi.begin(', 'redentials('],
  ),
  rule(
    String.raw`(\btemporary password is generated for [\w.@-]{1,100}: )\S{4,64}`,
    ['temporary password'],
    isPlaceholder,
  ),
  rule(
    String.raw`(\bgetConnection\([^,\n\0]{1,200},[ ]{0,4}\\{0,7}"[^"\n\0]{1,64}",[ ]{0,4}\\{0,7}")[^\s"\\\n\0]{4,128}(?=\\{0,7}")`,
    ['getConnection('],
  ),
  rule(
    String.raw`(\.(?:password|passphrase|clientSecret|apiKey|authToken|accessToken)\(\\{0,7}["'])[^\s"'\\\n\0]{4,256}(?=\\{0,7}["']\))`,
    ['.pass', '.clientSecret', '.apiKey', '.authToken', '.accessToken'],
  ),
  // Setters of builders and beans: setPassword("...")
  rule(
    String.raw`((?<![\w])(?:set|with)(?:User|Db|Admin)?(?:Password|Passphrase|Secret|ClientSecret|ApiKey|AuthToken|AccessToken)\(\\{0,7}["'])[^"'\\\n\0]{3,256}(?=\\{0,7}["'][,)])`,
    ['assword', 'assphrase', 'ecret', 'piKey', 'Token'],
    isPlaceholder,
  ),
  // A line of .pgpass: host, port, database, user, password.
  rule(
    String.raw`((?:^|\\n|")[ \t]{0,40}(?=[\w.-]{0,60}[a-z*]|\d+\.)[\w.*-]{1,253}:(?:\d{4,5}|\*):(?:[a-z_][\w.-]{0,62}|\*):(?:[a-z_][\w.-]{0,62}|\*):)[^\s:"'\\\0]{3,128}(?=\s|["\\]|$)`,
    undefined,
    isPlaceholder,
  ),
];
