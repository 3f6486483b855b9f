import fc from 'fast-check';
import { expect, test } from 'vitest';
import { edited, ran, workOf } from '../../../../test/recordedLogs.ts';
import { readActions } from './actions.ts';
import type { RecordedCall } from './log.ts';
import { maxObservations, observationsOf } from './observations.ts';

const read = (callId: string, file: string, result: string): RecordedCall => ({
  ...ran(callId, '', { result, name: 'Read' }),
  arguments: { file_path: file },
});
function seen(calls: readonly RecordedCall[], { told = '', changed = [] as string[] } = {}): string[] {
  const reads = calls.filter(({ name }) => name === 'Read');
  const actions = readActions(workOf(...calls.filter(({ name }) => name !== 'Read')));
  return observationsOf(actions, reads, changed, told).map(({ line, callId }) => `${callId}: ${line}`);
}
const build = (output: string) => ran('a', './deploy', { result: output });

test.each([
  ['a warning of a program', 'done\nwarning: the clock of db is late\nbye', 'warning: the clock of db is late'],
  ['a warning of a logger', '10:01:02 [WARN] pool: few connections', '10:01:02 [WARN] pool: few connections'],
  ['a way out that it took', 'Cannot reach db-a, falling back to db-b', 'Cannot reach db-a, falling back to db-b'],
  ['a setting that it printed', 'ready\nlistening: 6123', 'listening: 6123'],
  ['a value of JSON', '{"state":"ready","region":"north","port":6123}', 'port: 6123'],
])('gives %s', (_what, output, line) => {
  expect(seen([build(output)])).toEqual([`a: ${line}`]);
});

test.each([
  ['no warning', 'done, 0 warnings\nwarnings: 0'],
  ['times, sizes, versions and commits', 'time: 1234ms\nsize: 5000kb\nversion: 12.1000.3\ncommit: 0123456789abcdef'],
  ['warnings of packages', 'npm warn deprecated glob: use another\n(node:1) DeprecationWarning: punycode'],
  ['warnings of a compiler', 'warning: Import core/v1/actor.proto is unused.\nsrc/a.ts:12:3 warning no-shadow'],
  ['lines of a log', '23:58:02.670 [info] refused terminal-2702 in 5 s\n2026-11-03T10:00:00Z port=6123'],
  ['addresses of the net and licences', 'url: https://mcp.example.com/7731\nlicense: Apache-2099'],
  ['names of formats', 'syntax = "proto3"\nencoding: utf16'],
  ['much progress', Array.from({ length: 30 }, (_, n) => `step ${n} of item-${n}00`).join('\n')],
])('gives nothing of %s', (_what, output) => {
  expect(seen([build(output)])).toEqual([]);
});

test('gives the warning of a check, and nothing else that it printed or that the program logged under test', () => {
  expect(seen([ran('a', 'npm test', { result: 'seed: 4711\n(node:1) Warning: slow disk' })])).toEqual([
    'a: (node:1) Warning: slow disk',
  ]);
  const logged =
    '16:58:53.059 [warning] Failed to parse /none.jsonl\n2026-11-03 09:00:01 WARN pool: few connections\nWARN: no language\n[WARN] late';
  expect(seen([ran('a', 'mix test', { result: logged })])).toEqual([]);
});

const names = fc.constantFrom('port', 'slot', '"port"', 'API_PORT', 'server.port', 'vault-slot');
const signs = fc.constantFrom(' = ', '=', ': ', ' := ');
const numbers = fc.integer({ min: 2_100, max: 99_999 });
const files = fc.constantFrom('app.toml', '.env', 'docs/setup.md', 'conf/app.yaml', 'conf/app.json');
const readings = fc.constantFrom(
  (file: string, text: string) => read('a', `/shop/${file}`, text),
  (file: string, text: string) => read('a', `/shop/${file}`, text.replaceAll(/^/gm, '    7→')),
  (file: string, text: string) => ran('a', `cat ${file}`, { result: text, folder: '/shop' }),
  (file: string, text: string) => ran('a', `sed -n 1,80p ${file} | head -50`, { result: text, folder: '/shop' }),
);

test('gives a setting of a file that was read, unless a message tells it or the file was changed', () => {
  fc.assert(
    fc.property(names, signs, numbers, files, readings, fc.nat(60), (name, sign, value, file, reading, others) => {
      const setting = `${name}${sign}${value}`;
      const around = Array.from({ length: others }, () => '# nothing to see');
      const call = reading(file, [...around, setting, ...around].join('\n'));
      const later = ran('b', 'npm ci', { result: 'added' });
      expect(seen([call, later])).toEqual([`a: ${setting}`]);
      expect(seen([call, later], { told: `It is ${value}.` })).toEqual([]);
      expect(seen([edited('c', `/shop/${file}`), call], { changed: [`/shop/${file}`] })).toEqual([]);
    }),
  );
});

test('gives each line of a short text that names something, and only settings of a long one', () => {
  const prose = 'The staging server is on port 6123.';
  expect(seen([read('a', 'README.md', `# Shop\n${prose}`)])).toEqual([`a: ${prose}`]);
  expect(seen([read('a', 'README.md', `${'x\n'.repeat(30)}${prose}`)])).toEqual([]);
  expect(seen([read('a', 'src/a.ts', `${'x\n'.repeat(30)}const port = 6123;`)])).toEqual([]);
});

test.each(['package.json', '/shop/.claude/settings.json', 'AGENTS.md', 'src/ports.ts', 'yarn.lock', 'api/core.proto'])(
  'gives nothing of %s, which each reader has or reads again where it needs it',
  (file) => {
    expect(seen([read('a', file, 'port = 6123')])).toEqual([]);
    expect(seen([ran('a', `cat ${file}`, { result: 'port = 6123' })])).toEqual([]);
  },
);

test('gives the matches of a search for a value, and none of a search for places', () => {
  const search = (matches: number) =>
    ran('a', 'grep -rn PORT .', {
      result: Array.from({ length: matches }, (_, n) => `src/a${n}.ts:1${n}: PORT=6${n}23`).join('\n'),
    });
  expect(seen([search(1)])).toEqual(['a: PORT=6023']);
  expect(seen([search(9)])).toEqual([]);
});

test('gives what the last of equal commands or readings showed', () => {
  const [old, now] = [ran('a', './deploy', { result: 'warning: late' }), ran('b', './deploy', { result: 'done' })];
  expect(seen([old, now])).toEqual([]);
  expect(seen([read('a', 'a.toml', 'port = 6123'), read('b', 'a.toml', 'port = 7123')])).toEqual(['b: port = 7123']);
});

test('keeps the newest calls, warnings apart from values', () => {
  const calls = Array.from({ length: 40 }, (_, n) => [
    ran(`w${n}`, `./deploy ${n}`, { result: `warning: disk of node-${n} is slow` }),
    read(`v${n}`, `${n}.toml`, `port = ${7_000 + n}`),
  ]).flat();
  const found = seen(calls);
  expect(found.filter((line) => line.startsWith('w'))).toHaveLength(maxObservations);
  expect(found.filter((line) => line.startsWith('v'))).toHaveLength(maxObservations);
  expect(found.at(-1)).toBe('w39: warning: disk of node-39 is slow');
});
