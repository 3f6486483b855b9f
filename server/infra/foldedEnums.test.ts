import { expect, test } from 'vitest';
import { foldedEnums } from './foldedEnums.ts';
import { readMigrations, readUpgrade } from './migrate.ts';

test('the steps of the upgrade and the migrations add no value to an enum type after its creation', async () => {
  const scripts = [...(await readUpgrade()), ...(await readMigrations())].map(({ sql }) => sql);
  expect(scripts.filter((script) => script.includes('ADD VALUE')).length).toBeGreaterThan(5);
  const folded = foldedEnums(scripts);
  expect(folded.filter((script) => /^[^-]*ADD VALUE/m.test(script))).toEqual([]);
  expect(folded[0]).toMatch(/CREATE TYPE "event_type" AS ENUM \('SESSION_CREATED', .*'WEBHOOK_DISABLED'.*\);/);
  expect(folded.join('\n')).toMatch(/CREATE TYPE "handoff_status" AS ENUM \('PROPOSED', 'INITIATED', .*'DECLINED'\);/);
});

test('a value stands where it was added', () => {
  const scripts = [
    `CREATE TYPE "a" AS ENUM ('X', 'Y');`,
    `ALTER TYPE "a" ADD VALUE 'W' BEFORE 'X';\nALTER TYPE "a" ADD VALUE 'XX' AFTER 'X';`,
    `ALTER TYPE "a" ADD VALUE 'Z';`,
  ];
  expect(foldedEnums(scripts)).toEqual([`CREATE TYPE "a" AS ENUM ('W', 'X', 'XX', 'Y', 'Z');`, '\n', '']);
});

test('other types and statements stay as they are', () => {
  const script = `CREATE TYPE "a" AS ENUM ('X', 'Y');\nCREATE TYPE "b" AS ENUM ('X');\nSELECT 1;`;
  expect(foldedEnums([script, `ALTER TYPE "b" ADD VALUE 'Z';\nSELECT 2;`])).toEqual([
    `CREATE TYPE "a" AS ENUM ('X', 'Y');\nCREATE TYPE "b" AS ENUM ('X', 'Z');\nSELECT 1;`,
    '\nSELECT 2;',
  ]);
});
