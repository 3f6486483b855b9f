import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { readCatalog } from '../test/catalog.ts';
import { emptyDatabase } from '../test/database.ts';
import { migrateUp } from '../server/infra/migrate.ts';
import { diffSchemas } from './schemaEngine.ts';

const [fromSchema, fromMigrations] = [await emptyDatabase(), await emptyDatabase()];

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

async function drift() {
  const [said, built] = [await readCatalog(fromSchema.url), await readCatalog(fromMigrations.url)];
  const saidLines = said.map(({ line }) => line);
  const builtLines = built.map(({ line }) => line);
  return {
    missingInMigrations: saidLines.filter((line) => !builtLines.includes(line)),
    missingInSchema: built
      .filter(({ line, beyondPrisma }) => !beyondPrisma && !saidLines.includes(line))
      .map(({ line }) => line),
  };
}

test('the migrations build schema.prisma, and beyond it only what Prisma cannot express', async () => {
  await run(
    fromSchema.url,
    await diffSchemas(fromSchema.url, undefined, await readFile('prisma/schema.prisma', 'utf8')),
  );
  await migrateUp(fromMigrations.url);
  expect(await drift()).toEqual({ missingInMigrations: [], missingInSchema: [] });
});

test('the comparison finds a difference in a table, column, default, key, enum or index', async () => {
  await run(
    fromMigrations.url,
    `CREATE TABLE extra (id int);
     ALTER TABLE sessions ADD COLUMN extra int, ALTER COLUMN title DROP NOT NULL, ALTER COLUMN version SET DEFAULT 7;
     ALTER TABLE turns DROP CONSTRAINT turns_pkey CASCADE;
     CREATE INDEX extra_title ON sessions (title);
     ALTER TYPE role ADD VALUE 'EXTRA';
     CREATE UNIQUE INDEX fine ON sessions (title) WHERE version = 1;
     ALTER TABLE sessions ADD CONSTRAINT fine CHECK (version >= 0)`,
  );
  const { missingInMigrations, missingInSchema } = await drift();
  expect(missingInSchema.sort()).toEqual([
    'column extra.id integer',
    'column sessions.extra integer',
    expect.stringMatching(/^column sessions.title text$/),
    'column sessions.version integer not null default 7',
    expect.stringMatching(/^enum role: .*, EXTRA$/),
    'index CREATE INDEX extra_title ON public.sessions USING btree (title)',
    'table extra',
  ]);
  expect(missingInMigrations).toEqual(
    expect.arrayContaining([
      'column sessions.title text not null',
      expect.stringMatching(/^column sessions.version integer not null/),
      expect.stringMatching(/^constraint turns_pkey on turns: PRIMARY KEY/),
      expect.stringMatching(/^enum role: /),
    ]),
  );
});
