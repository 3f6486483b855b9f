import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seed } from '../../../prisma/seed.ts';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { startApp } from '../../../test/server.ts';
import { sseStream } from '../../../test/socket.ts';
import { silentLog } from '../../infra/log.ts';
import { readTabs } from './tabs.ts';

const db = await testDatabase();
await seed({ pool: db.pool, log: silentLog });
const { url } = await startApp(db);
const { post } = client(url);

const tabs = readTabs().map(({ query }) => ({
  name: /(?:query|mutation|subscription) (\w+)/.exec(query)![1]!,
  kind: /^(query|mutation|subscription)/m.exec(query)![1]!,
  query,
}));

/** What a tab answers wherever it stands in an order. */
async function run({ name, kind, query }: (typeof tabs)[number]): Promise<void> {
  if (kind === 'subscription') {
    const stream = await sseStream(url, query);
    expect(await stream.result(), name).toMatchObject({ data: { handoffEvents: { type: 'READY' } } });
    stream.close();
    return;
  }
  const { status, data, errors } = await post<Record<string, { __typename?: string } | null>>(query);
  expect({ name, status, errors }).toEqual({ name, status: 200, errors: undefined });
  for (const [field, answer] of Object.entries(data)) {
    expect(answer, name).not.toBeNull();
    if (kind === 'mutation')
      expect(answer, name).toHaveProperty('__typename', `${field[0]!.toUpperCase()}${field.slice(1)}Payload`);
  }
}

describe('an example tab of GraphiQL', () => {
  it('succeeds in any order with the others, and again and again, on the demonstration data', async () => {
    for (const tab of tabs) await run(tab);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...tabs), { minLength: 1, maxLength: 10 }), async (order) => {
        for (const tab of order) await run(tab);
      }),
      { numRuns: 15 },
    );
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it.each(tabs.map(({ name, query }) => [name, query]))('"%s" says in its first line what it shows', (_name, query) => {
    expect(query.split('\n', 1)[0]).toMatch(/^# [A-Z][a-z]+s .{10,47}\.$/);
  });
});
