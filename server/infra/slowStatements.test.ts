import { expect, test } from 'vitest';
import { testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { startApp } from '../../test/server.ts';
import { createLog } from './log.ts';

const lines: string[] = [];
const log = createLog({ destination: { write: (line) => void lines.push(line) } });
const database = await testDatabase({ log });
const { post } = client((await startApp(database, { log })).url);

interface Slow {
  msg: string;
  statement: string;
  name?: string;
  duration_ms: number;
}
const slow = (): Slow[] => lines.map((line) => JSON.parse(line) as Slow).filter(({ msg }) => msg === 'slow_statement');
const register = (id: string) =>
  post(
    `mutation { registerAgent(input: { id: "${id}", type: "CLAUDE", description: "Knows of $1,000 and 'quotes'" }) { __typename } }`,
    {},
    { 'x-request-id': 'of-a-register' },
  );

test('logs a slow statement of a mutation once, with name, shape, request and no values, and logs no fast ones', async () => {
  await register('quick');
  expect(slow()).toEqual([]);
  await database.pool
    .query(`CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.6); RETURN NEW; END $$;
    CREATE TRIGGER dawdle BEFORE INSERT ON agents FOR EACH ROW EXECUTE FUNCTION dawdle()`);
  expect((await register('slow-one')).errors).toBeUndefined();
  const [found, ...others] = slow();
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    requestId: 'of-a-register',
    name: expect.stringMatching(/^b_/) as string,
    statement: expect.stringMatching(/^WITH .*INSERT INTO agents/) as string,
  });
  expect(found?.duration_ms).toBeGreaterThanOrEqual(600);
  expect(lines.join('')).not.toMatch(/slow-one|Knows of/);
});

test('logs a slow read and a slow failing statement', async () => {
  lines.length = 0;
  await database.prisma.$queryRaw`SELECT pg_sleep(0.6)::text, ${'a value'}`;
  await expect(
    database.pool.query(`SELECT 'a literal', pg_sleep(0.6), 1 / (SELECT 0 FROM pg_class LIMIT 1)`),
  ).rejects.toThrow('division by zero');
  expect(slow().map(({ statement }) => statement)).toEqual([
    expect.stringContaining('pg_sleep(0.6)::text'),
    expect.stringMatching(/^SELECT \?, pg_sleep/),
  ]);
  expect(lines.join('')).not.toMatch(/a value|a literal/);
});
