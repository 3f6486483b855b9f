import { expect, test } from 'vitest';
import { ran, workOf } from '../../../../test/recordedLogs.ts';
import { readActions } from './actions.ts';
import { findingsOf } from './findings.ts';

const found = (calls: Parameters<typeof workOf>, told = ''): string[] =>
  findingsOf(readActions(workOf(...calls)), told).map(({ line, callId }) => `${callId}: ${line}`);
const started = ran('a', 'npm run dev', { error: 'Exit code 1\nstarting\nusing port 6123 instead' });
const used = ran('b', 'curl localhost:6123/health', { result: 'ok' });

test('gives the line of a result from which a later command took a word, also when the call failed', () => {
  expect(found([started, used])).toEqual(['a: using port 6123 instead']);
});

test.each([
  ['a word that no later command names', [started]],
  ['a word that an earlier command named', [used, started, used]],
  ['a file that a successor can read again', [ran('a', 'cat notes.txt', { result: 'port 6123' }), used]],
  ['a file that it went to', [ran('a', 'cd docs && cat notes.txt', { result: 'port 6123' }), used]],
  [
    'the id of a program in the background',
    [
      ran('a', 'npm run dev', { result: 'Command running in background with ID: bae407b' }),
      ran('b', 'tail /tmp/bae407b.output'),
    ],
  ],
  [
    'a word of a search, a script or a message',
    [
      started,
      ran('b', 'grep -rn 6123 .'),
      ran('c', 'git commit -m "use 6123"'),
      ran('d', 'python3 -c "print(6123 + 1)"'),
    ],
  ],
  [
    'commits and formats',
    [ran('a', './up', { result: 'at 0123456789abcdef, proto3' }), ran('b', './check 0123456789abcdef proto3')],
  ],
  ['names in paths', [ran('a', './up', { result: 'wrote src/item-7731.ts' }), ran('b', './run src/item-7731.ts')]],
  ['counts and years', [ran('a', 'make it', { result: '12 files in 2026' }), ran('b', 'git log -n 12 --since 2026')]],
])('leaves out %s', (_what, calls) => {
  expect(found(calls)).toEqual([]);
});

test('leaves out what a message tells', () => {
  expect(found([started, used], 'The server listens on 6123.')).toEqual([]);
});

test.each([
  ['{"id":"dep-7731","state":"ready","owner":{"name":"ada","mail":"a@b.c"}}', 'id: dep-7731'],
  ['  "id": "dep-7731",', '  "id": "dep-7731",'],
  ['created {"id":"dep-7731"} in 3 s', 'id: dep-7731'],
  ['Building 1%\rBuilding 100%\rdeployed as dep-7731', 'deployed as dep-7731'],
])('gives of %j only what the later command took', (result, line) => {
  expect(found([ran('a', 'deploy up', { result }), ran('b', 'deploy logs dep-7731')])).toEqual([`a: ${line.trim()}`]);
});
