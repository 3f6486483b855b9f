import { createHash, randomBytes } from 'node:crypto';

/** A new key's secret: 256 random bits behind a prefix by which people and scanners know what it is. */
export const newSecret = (): string => `baton_${randomBytes(32).toString('base64url')}`;

const form = /^baton_[A-Za-z0-9_-]{43}$/;

/** Whether it could be a secret of ours: of what could not, nobody asks the database. */
export const looksLikeSecret = (credential: string): boolean => form.test(credential);

/**
 * What is kept of a secret. Not slow on purpose, as for passwords: nobody finds 256 random bits by trying, and each
 * request asks.
 */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
