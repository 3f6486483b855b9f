import { createHash, randomBytes } from 'node:crypto';

/** By which people and scanners know what it is. */
const prefix = 'baton_';
const characters = { random: 43, checksum: 6 } as const;

const checksumOf = (random: string): string => createHash('sha256').update(random).digest('base64url').slice(0, characters.checksum);

/** A new key's secret: 256 random bits, and a checksum by which most of what is no key is known without a look-up. */
export function newSecret(): string {
  const random = randomBytes(32).toString('base64url');
  return `${prefix}${random}${checksumOf(random)}`;
}

const form = new RegExp(`^${prefix}([\\w-]{${characters.random}})([\\w-]{${characters.checksum}})?$`);

/** Whether it could be a secret of ours: only such ones are looked up. Those made before there were checksums have none. */
export function looksLikeSecret(credential: string): boolean {
  const [, random, checksum] = form.exec(credential) ?? [];
  return random !== undefined && (checksum === undefined || checksum === checksumOf(random));
}

/** Whether it is meant as a secret of ours, a damaged one too. */
export const isMeantAsSecret = (credential: string): boolean => credential.startsWith(prefix);

/**
 * What is kept of a secret. Not slow on purpose, as for passwords: nobody finds 256 random bits by trying, and each
 * request asks.
 */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
