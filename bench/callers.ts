import type { Pool } from 'pg';
import { secretFor } from '../test/keyring.ts';

/** Enough keys that none of them exceeds its rate limit. */
const many = 100;

/** `Authorization` headers of operators. A server that starts after this requires keys. */
export async function callers(pool: Pool): Promise<string[]> {
  const headers: string[] = [];
  for (let n = 0; n < many; n += 1) headers.push(`Bearer ${await secretFor(pool, 'OPERATOR')}`);
  return headers;
}
