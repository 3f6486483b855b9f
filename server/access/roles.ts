import type { Role } from '../core/work.ts';

/**
 * Who may ask for a field. Which records an AGENT may read is another matter (core/readable.ts), and so is which of them
 * it may change (rules.ts, asked under the lock).
 */
export type Access =
  /** Every caller that may read the record that it is a field of. */
  | 'inherit'
  /** The same, but an AGENT only on its own Agent. */
  | 'ownAgent'
  | Roles;
export type Roles = readonly Role[];

export const everybody: Roles = ['AGENT', 'OPERATOR', 'ANALYST', 'ADMIN'];
export const workers: Roles = ['AGENT', 'OPERATOR', 'ADMIN'];
export const operators: Roles = ['OPERATOR', 'ADMIN'];
export const admins: Roles = ['ADMIN'];
