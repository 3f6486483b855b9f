import { expect, test, vi } from 'vitest';
import { atEnd, testDatabase } from '../../test/database.ts';
import { postgresProxy } from '../../test/postgresProxy.ts';
import { onOwnConnection } from '../core/ownConnection.ts';
import { createLog, silentLog } from './log.ts';
import { createDatabase, type Database } from './prisma.ts';

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

/** What a PostgreSQL sends whose postmaster was killed. */
const fatal = (() => {
  const fields = Buffer.from('SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0');
  const head = Buffer.from('E....');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
})();

test.each([
  ['a statement', (database: Database) => database.pool.query('SELECT 1')],
  ['a transaction', (database: Database) => onOwnConnection(database.pool, (client) => client.query('BEGIN'))],
])(
  'a connection that ends with the answer of the statement before is refused to %s, and ends nothing else',
  async (_who, next) => {
    let isLast = false;
    const proxied = await postgresProxy(url, () => ({
      asked: (_chunk, pass) => pass(),
      answered(chunk, pass, cut) {
        if (!isLast || !chunk.includes('the last one')) return pass();
        isLast = false;
        pass(Buffer.concat([chunk, fatal]));
        setImmediate(cut);
      },
    }));
    const database = createDatabase(proxied, silentLog);
    atEnd(() => database.close());
    database.pool.options.max = 1;
    await database.pool.query('SELECT 1');
    isLast = true;
    const [last, refused] = await Promise.allSettled([
      database.pool.query(`SELECT 'the last one' AS said`),
      next(database),
    ]);
    expect(last).toMatchObject({ status: 'fulfilled', value: { rows: [{ said: 'the last one' }] } });
    expect(refused.status).toBe('rejected');
    expect((await database.pool.query('SELECT 2 AS n')).rows).toEqual([{ n: 2 }]);
  },
);
