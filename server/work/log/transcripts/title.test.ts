import { expect, test } from 'vitest';
import { readFixture, readText } from '../../../../test/readTranscripts.ts';
import { titleOfRequest } from './title.ts';

const said = (content: string, uuid: string) => ({ type: 'user', sessionId: 's', uuid, message: { content } });
const titled = async (...entries: object[]) =>
  (
    await readText(
      [...entries, { type: 'assistant', sessionId: 's', uuid: 'a', message: { content: 'Yes.' } }]
        .map((entry) => JSON.stringify(entry))
        .join('\n'),
    )
  ).title;

test.each([
  ['  Repair the\n\nfence. ', 'Repair the fence.'],
  ['检查目前项目的设计', '检查目前项目的设计'],
  [
    '<command-message>x</command-message>\n<command-name>/plan</command-name>\n<command-args>a new fence</command-args>',
    'a new fence',
  ],
  ['<command-name>/exit</command-name>', null],
  ['/login', null],
  ['login', null],
  ['2', null],
  [' ', null],
  ['<environment_context>\n x y', null],
])('the request %j gives the title %j', (text, title) => {
  expect(titleOfRequest(text)).toBe(title);
});

test('cuts a long request between words', () => {
  const title = titleOfRequest('mend the fence and the gate '.repeat(20))!;
  expect(title.length).toBeLessThanOrEqual(100);
  expect(title).toMatch(/(mend|the|fence|and|gate)…$/);
});

test('prefers the title of a person to that of the program, then the summary, then the first real request', async () => {
  const [exit, ask] = [said('/exit', 'u1'), said('Repair the fence.', 'u2')];
  const summary = { type: 'summary', summary: 'Fence repaired', leafUuid: 'u2' };
  const ai = { type: 'ai-title', sessionId: 's', aiTitle: 'The fence' };
  const custom = { type: 'custom-title', sessionId: 's', customTitle: 'My fence' };
  expect(await titled(exit, ask)).toBe('Repair the fence.');
  expect(await titled(summary, exit, ask)).toBe('Fence repaired');
  expect(await titled(summary, exit, ask, ai)).toBe('The fence');
  expect(await titled(exit, custom, ask, ai)).toBe('My fence');
  expect(await titled({ ...summary, leafUuid: 'of another session' }, ask)).toBe('Repair the fence.');
  expect(await titled(exit)).toBeNull();
});

test('titles a rollout by its first real request', async () => {
  expect((await readFixture('codex-rollout')).title).toBe('Repair the fence.');
});
