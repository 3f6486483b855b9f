import { describe, expect, it } from 'vitest';
import { seed } from '../../prisma/seed.ts';
import { silentLog } from '../infra/log.ts';
import { testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { brokenInvariants } from '../../test/invariants.ts';
import { startApp } from '../../test/server.ts';
import { sseStream } from '../../test/socket.ts';
import { readTabs } from './tabs.ts';

const db = await testDatabase();
await seed({ pool: db.pool, log: silentLog });
const { url } = await startApp(db);
const { post } = client(url);

const isSubscription = ({ query }: { query: string }): boolean => /^subscription/m.test(query);
const nameOf = (query: string): string => /(?:query|mutation|subscription) (\w+)/.exec(query)![1]!;

describe('an example tab of GraphiQL', () => {
  const [subscriptions, others] = [readTabs().filter(isSubscription), readTabs().filter((tab) => !isSubscription(tab))];

  it.each(subscriptions.map(({ query }) => [nameOf(query), query]))(
    '"%s" starts its subscription on the demonstration data',
    async (_name, query) => {
      const stream = await sseStream(url, query);
      expect(await stream.result()).toMatchObject({ data: { handoffEvents: { type: 'READY' } } });
      stream.close();
    },
  );

  it.each(others.map(({ query }) => [nameOf(query), query]))(
    '"%s" runs unchanged on the demonstration data',
    async (name, query) => {
      const { status, data, errors } = await post<Record<string, { __typename?: string } | null>>(query);
      expect(errors).toBeUndefined();
      expect(status).toBe(200);
      expect(Object.values(data)).not.toContain(null);
      const answers: Record<string, string> = {
        Reassign: 'ReassignSessionPayload',
        Reject: 'RejectHandoffPayload',
        Work: 'InvalidStateError',
      };
      if (answers[name] !== undefined) expect(Object.values(data)[0]!.__typename).toBe(answers[name]);
    },
  );

  it('returns the same answer or a typed error when it runs again, and keeps the invariants', async () => {
    for (const { query } of others) expect((await post(query)).errors).toBeUndefined();
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });
});
