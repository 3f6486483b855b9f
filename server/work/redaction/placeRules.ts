import { callRules } from './callRules.ts';
import { commandRules } from './commandRules.ts';
import type { Rule } from './finding.ts';
import { isProse } from './named.ts';
import { placedRules } from './placedRules.ts';
import { hashRules } from './hashRules.ts';
import { saidRules } from './saidRules.ts';
import { isBasicCredentials, isMember, isPlaceholder, looksRandom } from './values.ts';

// Secrets that are recognised by their context: a header, a URL, a cookie, a command, a sentence.

const quote = String.raw`\\{0,7}["'` + '`]?';
const comma = String.raw`\\{0,7}["'` + '`]' + String.raw`[ \t]{0,4},[ \t]{0,4}\\{0,7}["'` + '`]';
// As in `cookie: x`, `"cookie": "x"`, `\"cookie\": \"x\"`, and `set("cookie", "x")`.
const separator = String.raw`(?:${quote}[ \t]{0,4}[:=][ \t]{0,4}${quote}|${comma})`;

// A line break, possibly escaped, with the line prefixes of tools; line numbers are lines of their own.
const nextLine = String.raw`[ \t]{0,8}(?:[\r\n]|\\{1,7}[nr]){1,4}[ \t"'>|]{0,40}(?:\d{1,6}[ ]?\n)?[ \t|>"']{0,40}`;

/** Whether it is a plain word without a digit or a change of case: "Bearer authentication" is prose. */
const isWord = (secret: string): boolean => isPlaceholder(secret) || /^[a-z]+$|^[A-Z]?[a-z]+$|^[A-Z]+$/.test(secret);

export const placeRules: readonly Rule[] = [
  {
    kind: 'bearer token',
    pattern: new RegExp(
      String.raw`(authorization${separator}(?:bearer|token|apikey|api-key|key|digest|negotiate|oauth)(?:\s|\\{1,7}[nrt]){1,8})[\w.~+/=:-]{6,4096}`,
      'gi',
    ),
    except: isWord,
  },
  {
    kind: 'bearer token',
    pattern: /((?<![A-Za-z])bearer(?:(?:\s|\\{1,7}[nrt]){1,8}|%20|\+))[\w.~+/-]{16,4096}={0,2}/gi,
    except: (secret) => !looksRandom(secret, 16) || isPlaceholder(secret),
  },
  {
    kind: 'basic credentials',
    pattern: new RegExp(String.raw`(authorization${separator}basic[ \t]{1,4})[A-Za-z0-9+/_-]{4,1024}={0,2}`, 'gi'),
    except: isWord,
  },
  {
    kind: 'basic credentials',
    pattern: /((?<![A-Za-z])basic[ \t]{1,4})[A-Za-z0-9+/]{8,1024}={0,2}/gi,
    except: (secret) => !isBasicCredentials(secret),
  },
  {
    kind: 'authorization header',
    pattern: new RegExp(
      String.raw`((?<![A-Za-z])(?:proxy-)?authorization${separator}(?:[a-z][\w-]{1,20}[ \t]{1,4})?)[\w.~+/=:-]{16,4096}`,
      'gi',
    ),
    // The scope of a signature of AWS, and the name of its algorithm; a variable of a class that is called so.
    except: (secret) =>
      !looksRandom(secret, 16) ||
      isPlaceholder(secret) ||
      /^Credential=|^[A-Z0-9]+-HMAC-SHA\d+$|^(?:[A-Z]{1,3}[a-z]{2,}\d?)+$/.test(secret),
  },
  {
    kind: 'api key',
    pattern: new RegExp(
      String.raw`((?<![A-Za-z])(?:x-(?:[a-z]{1,20}-){0,2}(?:api-?key|key|token|secret|auth)|api-key|ocp-apim-subscription-key|private-token|job-token|x-vault-token)${quote}[ \t]{0,4}:[ \t]{0,4}${quote})[\w.~+/=-]{8,1024}`,
      'gi',
    ),
    except: (secret) => isWord(secret) || isMember(secret) || /^[./~]/.test(secret),
  },
  {
    kind: 'vault key',
    hints: ['Key '],
    pattern: /((?:Unseal|Recovery) Key \d{1,2}:[ \t]{1,4})[A-Za-z0-9+/=]{32,100}/g,
  },
  // A browser sends several cookies, all secret; a server sets one, followed by its attributes.
  {
    kind: 'cookie',
    pattern: new RegExp(
      String.raw`((?<![\w-])set-cookie${separator}[\w!#$%&*.^|~+-]{1,128}=)[^;\s"'\\\0]{4,4096}`,
      'gi',
    ),
    except: (secret) => isPlaceholder(secret) || /^[A-Za-z]?[a-z]{1,11}$/.test(secret),
  },
  {
    kind: 'cookie',
    pattern: new RegExp(
      String.raw`((?<![\w-])cookies?${separator})[\w!#$%&*.^|~+-]{1,128}=[^;\s"'\\\0]{2,4096}(?:;[ \t]{0,4}[\w!#$%&*.^|~+-]{1,128}=[^;\s"'\\\0]{0,4096}){0,200}`,
      'gi',
    ),
    except: (secret) => isPlaceholder(secret.slice(secret.indexOf('=') + 1)),
  },
  {
    kind: 'cookie',
    hints: ['curl'],
    pattern:
      /((?<![\w-])curl\b(?:(?!(?<![\w-])curl\b)[^\n\0]){0,400}?[ \t](?:-b|--cookie)[ \t=]{1,4}\\{0,7}["']?)[\w!#$%&*.^|~+-]{1,128}=[^\s"'\\\0]{2,4096}(?:;[ \t]{1,4}[^\s"'\\;\0]{1,4096}){0,100}/g,
  },
  {
    kind: 'cookie',
    hints: ['TRUE', 'FALSE'],
    // A line of a cookie file: domain, flag, path, flag, time, name, value, separated by tabs, which JSON escapes.
    pattern:
      /((?<![\w.-])[\w.-]{3,255}(?:\t|\\{1,7}t)(?:TRUE|FALSE)(?:\t|\\+t)\/[^\t\n\\]{0,255}(?:\t|\\+t)(?:TRUE|FALSE)(?:\t|\\+t)\d{1,20}(?:\t|\\+t)[^\t\n\\]{1,255}(?:\t|\\+t))[^\s\0"'\\]{1,4096}/g,
  },

  {
    kind: 'url password',
    hints: ['://'],
    // Allows guest:guest on the local machine, as in the manuals of servers.
    pattern:
      /(:\/\/(?<user>[^\s:@/"'<>?#\\`\0]{0,100}):)(?!\k<user>@(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|host\.docker\.internal)(?![\w.-]))[^\s/"'<>?#\\`\0]{1,256}(?=@[A-Za-z0-9[$%{_-])/g,
    // `://[user[:pass]]@host` in a manual
    except: (secret) => isPlaceholder(secret) || /^[a-z]+\]+$/.test(secret),
  },
  {
    kind: 'url password',
    hints: ['://'],
    pattern: /(:\/\/)[\w-]{16,256}(?=@[A-Za-z0-9])/g,
    except: (secret) => !looksRandom(secret, 16),
  },
  {
    kind: 'url password',
    hints: ['@tcp(', '@unix('],
    pattern: /((?<![\w.-])[\w.-]{1,64}:)[^\s:@/"'`\\\0]{1,128}(?=@(?:tcp|unix)\()/g,
    except: isPlaceholder,
  },
  {
    kind: 'signed url',
    pattern:
      /([?&;](?:X-Amz-(?:Signature|Security-Token|Credential)|X-Goog-(?:Signature|Credential)|sig|signature|key|code|apikey|auth|hmac)=)[\w%+/=.~-]{16,4096}/gi,
    except: (secret) => !looksRandom(secret.replace(/%[0-9A-Fa-f]{2}/g, '/'), 16),
  },

  {
    kind: 'secret',
    hints: ['value='],
    pattern:
      /((?:key|name)=\\{0,7}["'][\w.:-]{0,64}(?:password|secret|token|api-?_?key|connectionstring)\\{0,7}["'][ \t]{1,8}value=\\{0,7}["'])[^\s"'\\\0]{8,2048}(?=\\{0,7}["'])/gi,
    except: isWord,
  },
  {
    kind: 'password',
    hints: ['login'],
    pattern: new RegExp(
      String.raw`(\blogin(?:[ \t]{1,40}|${nextLine})[^\s\\]{1,100}(?:[ \t]{1,40}|${nextLine})password[ \t]{1,8})[^\s"'\\\0]{3,256}`,
      'g',
    ),
    except: (secret) => isPlaceholder(secret) || isProse(secret),
  },
  {
    kind: 'password',
    pattern: /(\bpassword[ \t]{1,4}\\{0,7}['"])[^\s"'\\\0]{3,256}(?=\\{0,7}['"])/gi,
    except: isWord,
  },
  {
    kind: 'password',
    pattern:
      /(\b(?:identified[ \t]{1,4}(?:with[ \t]{1,4}\w{1,40}[ \t]{1,4})?by|(?:user|role|login)[ \t][^\n\0;]{1,120}[ \t]password)[ \t]{1,4}\\{0,7}['"])[^"'\\\n\0]{3,256}(?=\\{0,7}['"])/gi,
    except: isPlaceholder,
  },
  {
    kind: 'password',
    hints: ['</'],
    pattern:
      /(<[\w:.-]{0,40}(?:password|passwd|passphrase|secret|token|api-?key|secret-?key)(?:[ ][^<>\n\0]{1,120})?>)[^<\s][^<\n\0]{2,512}(?=<\/)/gi,
    except: (secret) => isPlaceholder(secret) || /\s/.test(secret),
  },

  {
    kind: 'jwt',
    hints: ['eyJ'],
    pattern:
      /(?:(?<![\w-])|(?<=\\[nrt]|%[0-9A-Fa-f]{2}))eyJ[\w-]{8,}\.(?:eyJ[\w-]{8,}(?:\.[\w-]*)?|[\w-]{0,1024}(?:\.[\w-]{8,}){3})/g,
  },
  { kind: 'private key', hints: ['kty'], pattern: /(\\{0,7}"d\\{0,7}"[ \t]{0,4}:[ \t]{0,4}\\{0,7}")[\w-]{40,2048}/g },
  {
    kind: 'private key',
    hints: ['Private-Lines'],
    pattern: new RegExp(
      String.raw`(Private-Lines: \d{1,3}${nextLine})[A-Za-z0-9+/]{16,128}={0,2}(?:${nextLine}[A-Za-z0-9+/]{1,128}={0,2}(?![\w:+/-])){0,400}`,
      'g',
    ),
  },
  {
    kind: 'private key',
    hints: ['LS0tLS1CRUdJTi'],
    pattern:
      /LS0tLS1CRUdJTi(?:BSU0EgUFJJV|BQUklWQVRF|BPUEVOU1NI|BFQyBQUklW|BFTkNSWVBU|BEU0EgUFJJ|BQR1AgUFJJ)[A-Za-z0-9+/=]{40,}/g,
  },
  ...commandRules,
  ...callRules,
  ...saidRules,
  ...placedRules,
  ...hashRules,
];
