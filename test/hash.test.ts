import { expect, test } from 'vitest';
import { testDatabase } from './database.ts';
import { hashAllTables } from './hash.ts';

const { pool } = await testDatabase();

test('equal tables have equal hashes, whatever their order on disk, and any change of a row changes its hash', async () => {
  const empty = await hashAllTables(pool);
  expect(empty.tables).toHaveProperty('sessions');
  expect(empty.tables).not.toHaveProperty('_prisma_migrations');
  expect(await hashAllTables(pool)).toEqual(empty);

  await pool.query('CREATE TABLE notes (id int, text text)');
  await pool.query(`INSERT INTO notes VALUES (1, 'a'), (2, NULL)`);
  const before = await hashAllTables(pool);
  await pool.query('DELETE FROM notes WHERE id = 1');
  expect((await hashAllTables(pool)).total).not.toBe(before.total);
  await pool.query(`INSERT INTO notes VALUES (1, 'a')`);
  expect(await hashAllTables(pool)).toEqual(before);

  await pool.query(`UPDATE notes SET text = 'A' WHERE id = 1`);
  const after = await hashAllTables(pool);
  expect(after.total).not.toBe(before.total);
  expect({ ...after.tables, notes: '' }).toEqual({ ...before.tables, notes: '' });
});
