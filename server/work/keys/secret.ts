import { createHash, randomBytes } from 'node:crypto';

/** Lets people and secret scanners recognize a key. */
const prefix = 'baton_';
const characters = { random: 43, checksum: 6 } as const;

const checksumOf = (random: string): string =>
  createHash('sha256').update(random).digest('base64url').slice(0, characters.checksum);

/** Returns 256 random bits and a checksum, which refuses most invalid secrets without a look-up. */
export function newSecret(): string {
  const random = randomBytes(32).toString('base64url');
  return `${prefix}${random}${checksumOf(random)}`;
}

const form = new RegExp(`^${prefix}([\\w-]{${characters.random}})([\\w-]{${characters.checksum}})?$`);

/** Whether a credential is a well-formed secret; only these are looked up. Older secrets have no checksum. */
export function looksLikeSecret(credential: string): boolean {
  const [, random, checksum] = form.exec(credential) ?? [];
  return random !== undefined && (checksum === undefined || checksum === checksumOf(random));
}

/** Whether a credential has the prefix of secrets, even when it is malformed. */
export const isMeantAsSecret = (credential: string): boolean => credential.startsWith(prefix);

/**
 * The stored hash of a secret. A fast hash is safe: 256 random bits cannot be guessed, unlike passwords.
 */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
