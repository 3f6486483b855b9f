import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { compareDryRuns } from '../../../test/dryRuns.ts';
import { adminKey } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';

const database = await testDatabase();
const { url } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } });

it('says before each of a thousand acts in random worlds what the act then does', async () => {
  expect((await compareDryRuns(database, url, 1_000)).size).toBeGreaterThan(8);
}, 900_000);
