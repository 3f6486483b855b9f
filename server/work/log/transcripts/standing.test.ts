import { expect, test } from 'vitest';
import { readText } from '../../../../test/readTranscripts.ts';

const claude = (uuid: string, more: object, content = 'Go on.') => ({
  type: 'user',
  sessionId: 's',
  uuid,
  message: { role: 'user', content },
  ...more,
});
const standings = async (...entries: object[]) =>
  (await readText(entries.map((entry) => JSON.stringify(entry)).join('\n'))).standings;

test('takes folder and branch of a turn from its last line', async () => {
  expect(
    await standings(
      claude('1', { cwd: '/a', gitBranch: 'main' }),
      { type: 'progress', sessionId: 's', uuid: '2', cwd: '/a/b', gitBranch: 'main' },
      claude('3', { cwd: '/a/b', gitBranch: 'topic' }),
      claude('4', {}),
    ),
  ).toEqual([
    { turn: 0, line: 1, folder: '/a/b', branch: 'main', commit: null, redactions: 0 },
    { turn: 1, line: 2, folder: '/a/b', branch: 'topic', commit: null, redactions: 0 },
  ]);
});

test('ignores an empty branch, a detached HEAD, values that are no text, and lines of sub-agents', async () => {
  expect(
    await standings(
      claude('1', { cwd: '/a', gitBranch: '' }),
      claude('2', { cwd: 3, gitBranch: 'HEAD' }),
      claude('3', { isSidechain: true, cwd: '/elsewhere', gitBranch: 'x' }),
    ),
  ).toEqual([{ turn: 0, line: 0, folder: '/a', branch: null, commit: null, redactions: 0 }]);
});

test('takes folder, branch and commit from the beginning of a rollout, and the folder from each turn', async () => {
  const meta = {
    type: 'session_meta',
    payload: { id: 'x', cwd: '/a', git: { branch: 'main', commit_hash: 'abc1234' } },
  };
  const said = (message: string) => ({ type: 'event_msg', payload: { type: 'user_message', message } });
  const context = (cwd: string) => ({ type: 'turn_context', payload: { cwd } });
  expect(await standings(meta, said('One'), context('/a'), said('Two'), context('/b'))).toEqual([
    { turn: 0, line: 0, folder: '/a', branch: 'main', commit: 'abc1234', redactions: 0 },
    { turn: 1, line: 4, folder: '/b', branch: null, commit: null, redactions: 0 },
  ]);
});
