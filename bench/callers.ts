import type { Pool } from 'pg';
import { secretFor } from '../test/keyring.ts';

/** Enough keys that none of them exceeds its rate limit. */
const many = 100;

/** `Authorization` headers. A server that starts after this requires keys. */
export async function callers(pool: Pool, role: 'OPERATOR' | 'ADMIN' = 'OPERATOR'): Promise<string[]> {
  const headers: string[] = [];
  for (let n = 0; n < many; n += 1) headers.push(`Bearer ${await secretFor(pool, role)}`);
  return headers;
}
