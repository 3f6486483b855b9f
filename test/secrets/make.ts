// No real credentials: every secret is generated at run time from parts and a fixed sequence of numbers, so that scanners do
// not report this folder.

let state = 20_240_601;

/** The next number of a linear congruential sequence, below `limit`. */
function next(limit: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
}

const alphabets = {
  lower: 'abcdefghijklmnopqrstuvwxyz0123456789',
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  hex: '0123456789abcdef',
  digits: '0123456789',
  letters: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  mixed: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  url: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  base64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
};

/** This number of characters of an alphabet; with more than five, at least one is a digit and one a letter, as in random text. */
export function some(alphabet: keyof typeof alphabets, length: number): string {
  const letters = alphabets[alphabet];
  const made = Array.from({ length }, () => letters[next(letters.length)]!);
  if (length > 5 && alphabet !== 'letters' && alphabet !== 'digits') {
    made[1] = '7';
    made[2] = alphabet === 'upper' ? 'K' : 'b';
    made[3] = alphabet === 'upper' ? 'Q' : alphabet === 'hex' || alphabet === 'lower' ? 'e' : 'Q';
  }
  return made.join('');
}

export const parts = (...texts: string[]): string => texts.join('');
export const base64 = (text: string): string => Buffer.from(text).toString('base64');
const base64url = (text: string): string => Buffer.from(text).toString('base64url');

export const jwt = (): string =>
  [
    base64url('{"alg":"HS256","typ":"JWT"}'),
    base64url(`{"sub":"${some('digits', 10)}","name":"A B","iat":1516239022}`),
    some('url', 43),
  ].join('.');

export function privateKey(label: string, lines = 12): string {
  const body = [
    'MII' + some('base64', 61),
    ...Array.from({ length: lines }, () => some('base64', 64)),
    some('base64', 30) + '==',
  ];
  return [`-----BEGIN ${label}-----`, ...body, `-----END ${label}-----`].join('\n');
}

export const uuid = (): string => [8, 4, 4, 4, 12].map((length) => some('hex', length)).join('-');
