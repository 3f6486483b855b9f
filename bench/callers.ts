import type { Pool } from 'pg';
import { secretFor } from '../test/keyring.ts';

/** So many share the requests that none of them meets the limit of what a key may ask in a minute. */
const many = 100;

/** Operators' `Authorization` headers. A server that starts after this asks for one. */
export async function callers(pool: Pool): Promise<string[]> {
  const headers: string[] = [];
  for (let n = 0; n < many; n += 1) headers.push(`Bearer ${await secretFor(pool, 'OPERATOR')}`);
  return headers;
}
