import { expect, test } from 'vitest';
import { lastError } from './server.ts';

test('finds the reason in the output of a PostgreSQL that stopped', () => {
  const said = [
    '2026-11-22 00:44:33.554 UTC [29255] FATAL:  the database system is not yet accepting connections',
    '2026-11-22 00:44:33.555 UTC [29255] FATAL:  could not write to file "pg_wal/xlogtemp.29255": No space left on device',
    '2026-11-22 00:44:33.557 UTC [29249] LOG:  startup process (PID 29255) exited with exit code 1',
    '2026-11-22 00:44:33.561 UTC [29249] LOG:  database system is shut down',
  ];
  expect(lastError(said.join('\n'))).toBe(said[1]);
  expect(lastError('initdb: error: invalid locale\n')).toBe('initdb: error: invalid locale');
  expect(lastError('')).toBe('');
});
