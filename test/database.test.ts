import { expect, test } from 'vitest';
import { testDatabase } from './database.ts';

const db = await testDatabase();
const other = await testDatabase();

test('a test database has the migrated tables and belongs to one test file', async () => {
  expect(await db.prisma.agent.count()).toBe(0);
  expect(db.name).not.toBe(other.name);
  expect((await db.pool.query('SELECT current_database() AS name')).rows).toEqual([{ name: db.name }]);
});
