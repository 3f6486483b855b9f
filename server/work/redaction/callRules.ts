import type { Rule } from './finding.ts';
import { isPlaceholder, isPlain } from './values.ts';

// Passwords that are recognised by their place among the arguments of a call or a statement. Quotes may be escaped, as in JSON.

const quote = String.raw`\\{0,7}["'\x60]`;
/** An argument between quotes, and the comma after it. */
const argument = String.raw`${quote}[^"'\x60\\\n\0]{0,200}${quote},[ ]{0,4}`;
const open = String.raw`[bBrRuUfFN]?${quote}`;
const value = String.raw`[^\s"'\x60\\\0]{3,128}(?=${quote}`;
/** The end of a name that means a password or another secret. */
const named = String.raw`[\w.:-]{0,40}(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key)`;

const rule = (
  hints: string[],
  pattern: string,
  except: (secret: string) => boolean = isPlaceholder,
  flags = 'gi',
): Rule => ({ kind: 'password', hints, pattern: new RegExp(pattern, flags), except });

/** Whether it is no password after all: a placeholder, or another thing that a call takes at this place, such as an address. */
const isOther = (secret: string): boolean => isPlaceholder(secret) || /^[\w.+-]+@[\w-]+\.[\w.-]+$/.test(secret);

export const callRules: readonly Rule[] = [
  // Connections: address or name, user, password.
  rule(
    ['PDO(', 'mysqli', 'mysql_connect', 'pg_connect'],
    String.raw`(\b(?:new[ ](?:\\?PDO|mysqli)|mysqli?_connect|mysqli_real_connect)\([ ]?(?:\$\w{1,40},[ ]{0,4})?${argument}${argument}${open})${value}[,)])`,
  ),
  rule(
    ['bind'],
    String.raw`((?<![A-Za-z])(?:simple_)?bind(?:_s)?\([ ]?${open}(?:cn|uid|dc|ou|o|mail|userPrincipalName|samAccountName)=[^"'\x60\\\n\0]{0,200}${quote},[ ]{0,4}${open})${value}[,)])`,
  ),
  rule(['db.auth('], String.raw`(\bdb\.auth\([ ]?${argument}${open})${value}[,)])`),
  rule(
    ['create_user(', 'create_superuser(', 'createUser(', 'createSuperuser('],
    String.raw`((?<![A-Za-z])create_?(?:super)?user\([ ]?(?:${argument}){2}${open})${value}[,)])`,
    isOther,
  ),
  // Functions that set, check or hash a password.
  rule(
    ['assword', 'Hash::', 'bcrypt'],
    String.raw`((?<![A-Za-z])(?:(?:set|check|verify|hash|validate|change|update|generate|encode|encrypt)_?(?:user_?)?password(?:_?hash)?|password_(?:hash|verify)|password_?encoder\.(?:encode|matches)|Hash::(?:make|check)|bcrypt\.(?:hash|compare|hashpw|generate_?from_?password)(?:Sync)?)\([ ]?${open})${value}[,).])`,
    isPlain,
  ),
  // Options, variables and their values or defaults.
  rule(
    ['-Value'],
    String.raw`((?<![\w-])-Name[ \t]{1,4}["']?${named}["']?[ \t]{1,4}-Value[ \t]{1,4}["']?)[^\s"'\x60;|\\\0]{3,128}`,
  ),
  rule(['default'], String.raw`(${quote}--?${named}${quote}[^()\n\0]{0,120}?\bdefault[ ]?[:=][ ]?${open})${value})`),
  rule(
    ['ENV'],
    String.raw`(\bENV(?:\{["']?${named}["']?\}[ ]?=[ ]?|\.fetch\([ ]?["']${named}["'][ ]?\)[ ]?\{[ ]?)${open})${value})`,
  ),
  rule(
    ['${'],
    String.raw`(\$\{[\w.-]{0,40}(?:passw(?:or)?d|passphrase|pwd|secret)(?::[-=]?|-))[^\s"'\x60{}$\\\0]{4,128}(?=\})`,
    (secret) => isPlain(secret) || /^[?+]/.test(secret),
  ),
  rule(
    ['define(', 'SetEnv', 'setenv(', 'putenv(', 'setProperty('],
    String.raw`(\b(?:define|SetEnvironmentVariable|setenv|putenv|setProperty)\([ ]?${open}${named}(?:_(?:PROD|DEV|TEST|OLD|NEW|BASE|VALUE|\d{1,2}))?${quote},[ ]{0,4}${open})[^"'\\\n\0]{4,512}(?=${quote})`,
    isInstead,
  ),
  rule(
    ['define(', 'setenv(', 'putenv('],
    String.raw`(\b(?:define|setenv|putenv)\([ ]?${open}[A-Z0-9_]{0,40}_(?:KEY|SALT)(?:_[A-Z0-9]{1,8})?${quote},[ ]{0,4}${open})[^"'\\\n\0]{8,512}(?=${quote})`,
    isInstead,
    'g',
  ),
  // Input of a browser test that names the field in another way.
  rule(['.type('], String.raw`(\.type\([^,\n\0]{0,80}?passw[^,\n\0]{0,40},[ ]{0,4}${open})${value})`, isPlain),
  rule(
    ['target'],
    String.raw`(passw[\w.()[\]"'/ ]{0,40},[ ]{0,4}\{[ ]?target:[ ]?\{[ ]?value:[ ]?${open})${value})`,
    isPlain,
  ),
  rule(['fill_in'], String.raw`(\bfill_in[ (][^\n\0]{0,60}?passw[^\n\0]{0,30}?,[ ]?with:[ ]?${open})${value})`),
  rule(
    ['assword'],
    String.raw`(passw[^,;\n\0"'\x60]{0,30}${quote}?[)\]]{0,3}\.(?:value[ ]?=[ ]?|(?:val|sendKeys|send_keys|setText|perform\(typeText)\([ ]?)${open})${value})`,
    isPlain,
  ),
  rule(
    ['forKey'],
    String.raw`(\b(?:set|save|store|setValue)\([ ]?${open})${value},[ ]?forKey:[ ]?${quote}\w{0,20}password)`,
    isPlain,
  ),
  rule(
    ['fill in', 'fills in'],
    String.raw`(\bfills?[ ]in[ ]${quote}[^"'\n\0]{0,40}passw[^"'\n\0]{0,20}${quote}[ ]with[ ]${quote})${value})`,
  ),
  rule(
    ['assword'],
    String.raw`(<[\w:.-]{0,30}password[ ](?:[^<>\n\0]{0,60}[ ])?value=${quote})[^"'\x60\\<>\n\0]{3,128}(?=${quote})`,
  ),
  // Statements
  rule(
    ['sp_addlogin', 'sp_password'],
    String.raw`(\b(?:sp_addlogin[ ]+${argument}|sp_password[ ]+(?:NULL|${quote}[^"'\n\0]{0,100}${quote}),[ ]{0,4})N?${quote})${value})`,
  ),
  rule(
    ['KEY ', 'key'],
    String.raw`(\b(?:pragma[ ](?:\w{1,30}\.)?(?:re)?key[ ]?=[ ]?|attach[ ][^\n;\0]{1,120}[ ]key[ ])${quote})${value})`,
  ),
  rule(
    ['DENTIFIED BY ', 'dentified by '],
    String.raw`(\bidentified[ ]by[ ])[^\s"'\x60;,()\\\0]{4,64}(?=\s|;|$)`,
    (secret) => isPlain(secret) || !/^[A-Za-z].*\d/.test(secret),
  ),
  rule(
    ['assword', 'ASSWORD'],
    String.raw`(\bpassword[\x60"\]]?[ ]{0,4}(?:FOR[ ][^\n\0=]{1,120})?=[ ]{0,4}(?:old_password|password|md5|sha1?|sha2|sha256|crypt|encrypt)\([ ]?${open})${value}[,)])`,
  ),
  rule(
    ['sqlplus', 'expdp', 'impdp', 'CONN', 'conn'],
    String.raw`((?:(?<![\w-])(?:sqlplus|expdp|impdp|sqlldr)[ \t]{1,4}(?:-\w{1,10}[ \t]{1,4}){0,3}|(?:^|\n)[ \t]{0,8}conn(?:ect)?[ \t]{1,4})["']?[A-Za-z][\w$#]{0,29}\/)[^\s"'/\\\0]{3,64}?(?=@[\w/]|\s|["']|$)`,
    isPlain,
  ),
];

function isInstead(secret: string): boolean {
  return isPlaceholder(secret) || /^put your/.test(secret);
}
