import { expect, it } from 'vitest';
import { outcomeOf, reasonOf } from './outcome.ts';

it.each([
  ['ACCEPTED', 'ACTIVE', 0, 'completed'],
  ['COMPLETED', 'ACTIVE', 0, 'completed'],
  ['ACCEPTED', 'PAUSED', 0, 'completed'],
  ['ACCEPTED', 'ACTIVE', 1, 'failed'],
  ['ACCEPTED', 'ACTIVE', null, 'failed'],
  ['COMPLETED', 'ACTIVE', 1, 'kept'],
  ['COMPLETED', 'HANDED_OFF', 0, 'passed on'],
  ['COMPLETED', 'HANDED_OFF', 1, 'passed on'],
  ['COMPLETED', 'COMPLETED', 143, 'passed on'],
  ['FAILED', 'FAILED', 0, 'gone'],
  ['CANCELLED', 'DECLINED', 1, 'gone'],
] as const)(
  'takes a handoff that is %s, a tenure that is %s and exit code %s as %j',
  (status, tenure, exitCode, expected) => {
    expect(outcomeOf({ status, tenure }, exitCode)).toBe(expected);
  },
);

it('gives the exit code and the last lines, without codes of terminals and secrets, in at most 4 KB', () => {
  const secret = `ghp_${'Z9xQw7Lk3VbN5mRt'.repeat(3).slice(0, 36)}`;
  const output = `${'é'.repeat(9_000)}\n\u001B[31mno such file\u001B[0m\r\nkey: ${secret}\n`;
  const reason = reasonOf(3, output, null);
  expect(reason).toMatch(/^The command of baton watch ended with exit code 3\. Its last lines:\n/);
  expect(reason).toMatch(/\nno such file\nkey: .*$/);
  expect(reason).not.toContain(secret);
  expect(Buffer.byteLength(reason)).toBeLessThan(4_096);
  expect(reasonOf(null, '', null)).toBe(
    'The command of baton watch was killed while it ran. It is not run again. It printed nothing.',
  );
});
