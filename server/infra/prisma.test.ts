import { expect, test, vi } from 'vitest';
import { testDatabase } from '../../test/database.ts';
import { createLog } from './log.ts';
import { createDatabase } from './prisma.ts';

const { url, pool } = await testDatabase();

test('a connection that PostgreSQL ends is reported, but not after the database is closed: a command may stop PostgreSQL first', async () => {
  const lines: string[] = [];
  const database = createDatabase(
    url,
    createLog({ level: 'warn', redactLine: (line) => line, destination: { write: (line) => void lines.push(line) } }),
  );
  const { rows } = await database.pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  await pool.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
  await vi.waitFor(() => expect(lines).toEqual([expect.stringContaining('A connection to PostgreSQL was lost')]), {
    timeout: 30_000,
  });
  const closed = database.close();
  database.pool.emit('error', new Error('terminating connection due to administrator command'), undefined!);
  await closed;
  expect(lines).toHaveLength(1);
});
