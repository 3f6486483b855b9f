import { expect, it, vi } from 'vitest';
import { testDatabase } from '../test/database.ts';
import { adminKey } from '../test/keyring.ts';
import { runFolder, startRun } from '../test/running.ts';
import { startServer } from '../test/server.ts';

vi.setConfig({ testTimeout: 60_000 });

const database = await testDatabase();
const { url } = await startServer({ databaseUrl: database.url, env: { BATON_ADMIN_KEY: adminKey } });

it.each([
  ['ask', 'Count'],
  ['run'],
  ['agent', 'ada'],
  ['watch', '--agent', 'ada', '--exec', 'true'],
  ['inbox', 'ada'],
  ['handoff', 'ada', '--session', 'session_01kc000000e008000000000004'],
  ['pipelines', 'import', 'story'],
  ['export', 'session_01kc000000e008000000000004', '--as', 'codex'],
  ['import', 'new', 'transcript.jsonl', '--agent', 'ada'],
])('%s says what to do without a key, and with a wrong one', async (...command) => {
  const end = async (env: Record<string, string>): Promise<string> => {
    const { exited, stderr } = await startRun(
      runFolder({ 'transcript.jsonl': '{}' }),
      [],
      { BATON_URL: url, ...env },
      command,
    );
    expect(await exited).toBe(1);
    return stderr().trim();
  };
  expect(await end({})).toContain(`Baton at ${url} needs a key: set BATON_KEY (`);
  expect(await end({ BATON_KEY: `baton_${'x'.repeat(43)}` })).toContain(
    `Baton at ${url} does not know the key in BATON_KEY: set it to one that is valid (`,
  );
});
