import { it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { openTabAfterColdLoad } from '../../../test/graphiql.ts';
import { startApp } from '../../../test/server.ts';
import { readTabs } from './tabs.ts';

const { url } = await startApp(await testDatabase(), { graphiqlTabs: readTabs() });

// `browser.test.ts` does it with the other tabs.
it.each(['Handoff', 'Reject', 'Chain', 'Graph', 'Work'])(
  'GraphiQL opens %s by the first press after a cold load',
  async (name) => {
    await openTabAfterColdLoad(url, name);
  },
  90_000,
);
