import { expect, test } from 'vitest';
import { parts, some } from '../../../test/secrets/make.ts';
import { createLog } from '../../infra/log.ts';
import { redactLogLine } from './logLine.ts';

test('redacts secrets anywhere in an error in the log, and keeps each line valid JSON', () => {
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    redactLine: redactLogLine,
    destination: { write: (line) => void lines.push(line) },
  });
  const secret = parts('gh', 'p_', some('mixed', 36));
  const error = Object.assign(new Error(`value ${secret} is wrong`), {
    detail: `Failing row contains ("${secret}").`,
    parameters: ['x', { password: 'letmein' }],
  });
  log.error({ err: error, path: `/graphql?query=${secret}` }, `failed with ${secret}`);
  log.info({ url: 'http://127.0.0.1:4000' }, 'ready');
  expect(lines).toHaveLength(2);
  expect(lines.join('')).not.toContain(secret.slice(0, 12));
  expect(lines.join('')).not.toContain('letmein');
  expect(lines.every((line) => line.endsWith('}\n'))).toBe(true);
  expect(JSON.parse(lines[0]!)).toMatchObject({
    level: 50,
    msg: 'failed with [redacted: github token]',
    err: { type: 'Error' },
  });
  expect(JSON.parse(lines[1]!)).toMatchObject({ level: 30, msg: 'ready', url: 'http://127.0.0.1:4000' });
});
