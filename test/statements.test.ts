import { expect, test } from 'vitest';
import { silentLog } from '../server/infra/log.ts';
import { createDatabase } from '../server/infra/prisma.ts';
import { atEnd, testDatabase } from './database.ts';
import { countOnTheWire, logStatements } from './statements.ts';

const direct = await testDatabase();
const wire = await countOnTheWire(direct.url);
const { pool, prisma, close } = createDatabase(wire.url, silentLog);
atEnd(close);

test('the wire counts round trips and statements', async () => {
  await pool.query('SELECT 1');
  const work = async () => {
    const client = await pool.connect();
    await client.query('BEGIN; SELECT 1');
    await client.query({ name: 'two', text: 'SELECT $1::int', values: [2] });
    await client.query({ name: 'two', text: 'SELECT $1::int', values: [3] });
    await client.query('COMMIT');
    client.release();
    return 'done';
  };
  const expected = {
    roundTrips: 4,
    statements: ['BEGIN; SELECT 1', 'SELECT $1::int', 'SELECT $1::int', 'COMMIT'],
    result: 'done',
  };
  expect(await wire.during(work)).toEqual(expected);
  expect(await wire.during(work)).toEqual(expected);
});

test('the wire does not count connecting', async () => {
  const { statements, roundTrips } = await wire.during(() =>
    Promise.all([1, 2, 3, 4].map(() => pool.query('SELECT 1'))),
  );
  expect({ roundTrips, statements: statements.length }).toEqual({ roundTrips: 4, statements: 4 });
});

test("the wire counts Prisma's reads, prepared or not", async () => {
  const first = await wire.during(() => prisma.agent.findMany());
  expect(first).toMatchObject({ roundTrips: 1, result: [] });
  expect(first.statements).toHaveLength(1);
  expect(await wire.during(() => prisma.agent.findMany())).toEqual(first);
});

test('a log of a pool has the texts of statements until it is stopped', async () => {
  const log = logStatements(pool);
  await prisma.agent.count();
  await pool.query('SELECT 2');
  log.stop();
  await pool.query('SELECT 3');
  expect(log.texts).toHaveLength(2);
  expect(log.texts[0]).toContain('"agents"');
  expect(log.texts[1]).toBe('SELECT 2');
});
