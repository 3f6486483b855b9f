import type { Role } from '../../core/work.ts';

/**
 * Roles that may select a field. `core/rights.ts` limits the records that an AGENT may read, `rules.ts` those that it may
 * change (checked under the lock).
 */
export type Access =
  /** Every caller that may read the field's record. */
  | 'inherit'
  /** The same, but an AGENT only for its own Agent. */
  | 'ownAgent'
  | Roles;
export type Roles = readonly Role[];

export const everybody: Roles = ['AGENT', 'OPERATOR', 'ANALYST', 'ADMIN'];
export const workers: Roles = ['AGENT', 'OPERATOR', 'ADMIN'];
export const operators: Roles = ['OPERATOR', 'ADMIN'];
/** Roles that read everything but keys. */
export const people: Roles = ['OPERATOR', 'ANALYST', 'ADMIN'];
export const admins: Roles = ['ADMIN'];
