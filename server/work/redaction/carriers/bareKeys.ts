import { nextMatch, type Search } from '../finding.ts';

// Private keys without BEGIN and END: the DER of PKCS 1, PKCS 8, PKCS 12 and SEC 1 in base64, and the format of OpenSSH.

const begin = /(?<![A-Za-z0-9+/=])(?:M[A-J][A-Za-z0-9+/]{22}|b3BlbnNzaC1rZXktdjE)/g;
/** Between two lines: quotes, signs of joining, comments and citations. */
const between = /["'`]?[ \t]{0,8}[+.,\\]?[ \t\r]{0,8}\n[\s>|#*+/"'`]{0,40}/y;
const run = /[A-Za-z0-9+/]+={0,2}/y;
const longest = 16_384;

export function* findBareKeys(page: string): Search {
  for (let at = 0; ;) {
    const found = yield* nextMatch(begin, page, at);
    if (found === null) return;
    const { index, match } = found;
    at = index + match[0].length;
    const wanted = match[0].startsWith('b3') ? longest : lengthOf(Buffer.from(match[0], 'base64'));
    if (wanted === null) continue;
    const end = endOfKey(page, index, wanted);
    at = Math.max(at, end);
    if (end - index >= 60) yield { kind: 'private key', from: index, start: index, end };
    yield undefined;
  }
}

/** Characters of base64 that hold a private key; null when the DER begins another thing, such as a certificate. */
function lengthOf(der: Buffer): number | null {
  const long = der[1]! - 0x80;
  if (der[0] !== 0x30 || long > 2) return null;
  const [head, length] = long <= 0 ? [2, der[1]!] : [2 + long, der.readUIntBE(2, long)];
  // A version, or the encryption PBES2.
  const isVersion = der[head] === 2 && der[head + 1] === 1 && [0, 1, 3].includes(der[head + 2]!);
  const isEncrypted = der[head] === 0x30 && der.subarray(head + 2, head + 4).equals(Buffer.from([6, 9])) && der[head + 12] === 13; // prettier-ignore
  return isVersion || isEncrypted ? Math.ceil((head + length) / 3) * 4 : null;
}

/** Where the key ends that begins at a place: after the wanted characters, or after the last line of base64. */
function endOfKey(page: string, start: number, wanted: number): number {
  let [end, left] = [start, wanted];
  for (let at = start; left > 0 && at - start < 2 * longest;) {
    run.lastIndex = at;
    const length = run.exec(page)?.[0].length ?? 0;
    if (length === 0 || (at > start && length < 16 && length < left)) return end;
    end = at + Math.min(length, left);
    left -= length;
    between.lastIndex = end;
    if (!between.test(page)) return end;
    at = between.lastIndex;
  }
  return end;
}
