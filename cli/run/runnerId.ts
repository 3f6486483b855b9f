import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/** The name by which Baton knows this process. */
export const newRunnerId = (): string => `${hostname().slice(0, 100)}-${process.pid}-${randomBytes(4).toString('hex')}`;
