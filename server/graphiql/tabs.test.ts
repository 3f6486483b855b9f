import { describe, expect, it } from 'vitest';
import { seed } from '../../prisma/seed.ts';
import { silentLog } from '../infra/log.ts';
import { testDatabase } from '../testing/database.ts';
import { client } from '../testing/graphql.ts';
import { brokenInvariants } from '../testing/invariants.ts';
import { startApp } from '../testing/server.ts';
import { readTabs } from './tabs.ts';

const db = await testDatabase();
await seed({ pool: db.pool, log: silentLog });
const { url } = await startApp(db);
const { post } = client(url);

const nameOf = (query: string): string => /(?:query|mutation) (\w+)/.exec(query)![1]!;

describe('the tabs that GraphiQL opens with', () => {
  it.each(readTabs().map(({ query }) => [nameOf(query), query]))('"%s" runs as it stands on the demonstration', async (name, query) => {
    const { status, data, errors } = await post<Record<string, { __typename?: string } | null>>(query);
    expect(errors).toBeUndefined();
    expect(status).toBe(200);
    expect(Object.values(data)).not.toContain(null);
    const answers: Record<string, string> = { Reassign: 'ReassignSessionPayload', Reject: 'RejectHandoffPayload', Work: 'InvalidStateError' };
    if (answers[name] !== undefined) expect(Object.values(data)[0]!.__typename).toBe(answers[name]);
  });

  it('answer the same again, or a typed error, when they are run twice, and leave a sound database', async () => {
    for (const { query } of readTabs()) expect((await post(query)).errors).toBeUndefined();
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });
});
