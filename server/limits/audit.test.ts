import { serverAudits, type AuditResult } from 'graphql-http';
import { describe, expect, test } from 'vitest';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';

const database = await testDatabase();
const { url } = await startApp(database);

describe('GraphQL over HTTP, with every limit on', () => {
  const audits = serverAudits({ url: `${url}/graphql`, fetchFn: fetch });

  test('the audit is there', () => {
    expect(audits.length).toBeGreaterThanOrEqual(60);
  });

  test.each(audits.map((audit) => [`${audit.id}: ${audit.name}`, audit.fn] as const))('%s', async (_name, run) => {
    const result: AuditResult = await run();
    expect(result.status === 'ok' ? 'ok' : `${result.status}: ${result.reason}`).toBe('ok');
  });
});
