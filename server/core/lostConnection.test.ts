import type { PoolClient } from 'pg';
import { expect, test } from 'vitest';
import { silentLog } from '../infra/log.ts';
import { testDatabase } from '../../test/database.ts';
import { hashAllTables } from '../../test/hash.ts';
import { operator, world } from '../../test/world.ts';
import { statement } from './changes.ts';
import { UnavailableError } from './errors.ts';
import { runWork } from './runWork.ts';

const db = await testDatabase();

test('a connection that dies between two statements of a command rejects with UNAVAILABLE and writes nothing', async () => {
  const { agent, session } = world(db.pool);
  await agent('ada');
  const sessionId = await session('ada');
  const before = await hashAllTables(db.pool);
  let client: PoolClient | undefined;
  db.pool.once('acquire', (acquired: PoolClient) => {
    client = acquired;
  });
  const lost = runWork(
    { pool: db.pool, log: silentLog, caller: operator, mutation: 'test', input: {} },
    async (work) => {
      await work.lockSession(sessionId);
      const [row] = await work.query<{ pid: number }>(statement('SELECT pg_backend_pid() AS pid'), []);
      // The news arrives while no statement runs; without a listener it would be an uncaught exception, and end a server.
      const gone = new Promise((resolve) => client?.once('end', resolve));
      await db.pool.query('SELECT pg_terminate_backend($1, 5000)', [row?.pid]);
      await gone;
      work.change('sessions', { id: sessionId }, { title: 'never' });
      return { sessionId };
    },
  );
  await expect(lost).rejects.toThrow(UnavailableError);
  await expect(lost, 'the cause is for the log').rejects.toMatchObject({
    cause: { message: expect.stringMatching(/terminat|connection error/) as string },
  });
  expect(await hashAllTables(db.pool)).toEqual(before);
});
