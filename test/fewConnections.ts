import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { atEnd } from './database.ts';

/** The URL of a role with the owner's rights but a connection limit: beyond it PostgreSQL answers 53300. */
export async function fewConnections({ pool, url }: { pool: pg.Pool; url: string }, most: number): Promise<string> {
  const role = `few_${randomBytes(6).toString('hex')}`;
  await pool.query(`CREATE ROLE ${role} LOGIN PASSWORD '${role}' CONNECTION LIMIT ${most}`);
  for (const kind of ['TABLES', 'SEQUENCES', 'FUNCTIONS'])
    await pool.query(`GRANT ALL ON ALL ${kind} IN SCHEMA public TO ${role}`);
  atEnd(async () => {
    await pool.query(`DROP OWNED BY ${role}`);
    await pool.query(`DROP ROLE ${role}`);
  });
  return url.replace(/^(postgres(?:ql)?:\/\/)[^@/]*@/, `$1${role}:${role}@`);
}
