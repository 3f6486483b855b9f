import { serverAudits, type AuditResult } from 'graphql-http';
import { describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { startApp } from '../../../test/server.ts';

const database = await testDatabase();
const { url } = await startApp(database);

/** Bodies of unknown length are read and answered by Yoga. */
const streaming: typeof fetch = (input, { body, ...init } = {}) =>
  fetch(
    input,
    typeof body === 'string' ? ({ ...init, body: new Blob([body]).stream(), duplex: 'half' } as RequestInit) : init,
  );

describe.each([
  ['a body of known length', fetch],
  ['a body of unknown length', streaming],
])('GraphQL over HTTP, with every limit on and %s', (_name, fetchFn) => {
  const audits = serverAudits({ url: `${url}/graphql`, fetchFn });

  test('has at least 60 audits', () => {
    expect(audits.length).toBeGreaterThanOrEqual(60);
  });

  test.each(audits.map((audit) => [`${audit.id}: ${audit.name}`, audit.fn] as const))('%s', async (_name, run) => {
    const result: AuditResult = await run();
    expect(result.status === 'ok' ? 'ok' : `${result.status}: ${result.reason}`).toBe('ok');
  });
});
