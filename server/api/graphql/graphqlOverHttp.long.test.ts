import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { npmTool } from '../../../test/npmTool.ts';
import { startApp } from '../../../test/server.ts';

interface Audit {
  id: string;
  name: string;
  fn(): Promise<{ status: 'ok' | 'notice' | 'warn' | 'error'; reason?: string }>;
}

it('every audit of graphql-http finds GraphQL over HTTP as its specification says', async () => {
  const { url } = await startApp(await testDatabase());
  const file = join(npmTool('graphql-http', '1.22.4'), 'lib/index.mjs');
  const { serverAudits } = (await import(pathToFileURL(file).href)) as {
    serverAudits(options: { url: string }): Audit[];
  };
  const audits = serverAudits({ url: `${url}/graphql` });
  expect(audits.length).toBeGreaterThanOrEqual(60);
  const found = await Promise.all(audits.map(async ({ id, name, fn }) => ({ id, name, ...(await fn()) })));
  expect(found.filter(({ status }) => status !== 'ok')).toEqual([]);
});
