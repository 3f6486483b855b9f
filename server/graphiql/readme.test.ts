import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { seed } from '../../prisma/seed.ts';
import { silentLog } from '../infra/log.ts';
import { testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { startApp } from '../../test/server.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const queries = [...readme.matchAll(/```graphql\n(.*?)```/gs)].map(([, query]) => query!);

const db = await testDatabase();
await seed({ pool: db.pool, log: silentLog });
const { url } = await startApp(db);
const { post } = client(url);

describe('the queries of the README', () => {
  it('are there', () => expect(queries.length).toBeGreaterThanOrEqual(5));

  it.each(queries.map((query) => [/(?:query|mutation) (\w+)/.exec(query)![1]!, query]))('"%s" runs as it stands on the demonstration', async (_name, query) => {
    const { data, errors } = await post<Record<string, object | null>>(query);
    expect(errors).toBeUndefined();
    for (const answer of Object.values(data)) expect(answer ?? {}).not.toHaveProperty('code');
  });
});
