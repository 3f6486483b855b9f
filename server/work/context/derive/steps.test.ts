import fc from 'fast-check';
import { expect, test } from 'vitest';
import { edited, ran, workOf } from '../../../../test/recordedLogs.ts';
import { readActions } from './actions.ts';
import type { RecordedCall } from './log.ts';
import { maxSteps, stepsOf } from './steps.ts';

const by = (name: string, callId: string, given: object, result: string | null): RecordedCall => ({
  ...ran(callId, '', { result: result ?? '', name }),
  arguments: given,
  result,
});
const read = (callId: string, file: string): RecordedCall => by('Read', callId, { file_path: file }, '1→x');
/** Each as `call: what -> outcome`. */
function steps(
  calls: readonly RecordedCall[],
  { spokeAt = 0, told = [] as string[], said = '', changed = [] as string[] } = {},
): string[] {
  const shown = stepsOf(readActions(workOf(...calls)), calls, {
    calls: new Set(told),
    tells: (output) => said.includes(output),
    files: new Set(changed),
    spokeAt,
  });
  return shown.map(
    ({ what, outcome, callId }) => `${callId ?? '-'}: ${what}${outcome === null ? '' : ` -> ${outcome}`}`,
  );
}
const spoke = { spokeAt: 99 };

test('names what the agent looked at since it spoke, and what came of it', () => {
  expect(
    steps([
      read('a', 'assets/app.js'),
      ran('b', "sed -n '1,80p' assets/web.js"),
      by('Glob', 'c', { pattern: 'assets/**' }, 'assets/app.js'),
      by('Grep', 'd', { pattern: 'wheel' }, 'No matches found'),
      ran('e', 'tail -5 /tmp/x.output', { result: 'REFUSED JOIN' }),
      ran('f', 'docker ps', { result: 'db up' }),
    ]),
  ).toEqual([
    '-: read assets/: web.js, app.js',
    'c: Glob assets/** -> assets/app.js',
    'd: Grep wheel -> found nothing',
    'e: tail -5 /tmp/x.output -> REFUSED JOIN',
    'f: docker ps -> db up',
  ]);
});

test('tells what was started in the background and not seen to end, whoever spoke since', () => {
  const server = ran('a', 'mix phx.server', { result: 'Command running in background with ID: b1' });
  expect(steps([server], spoke)).toEqual(['a: mix phx.server -> started in the background, and not seen to end']);
});

test.each<[string, RecordedCall, string]>([
  [
    'an issue that was looked up',
    ran('a', 'bd show x-1', { result: 'x-1: mend it' }),
    'a: bd show x-1 -> x-1: mend it',
  ],
  [
    'a search in vain',
    ran('a', 'rg -n shard spec.md', { error: 'Exit code 1' }),
    'a: rg -n shard spec.md -> found nothing',
  ],
  ['a page', by('WebFetch', 'a', { url: 'https://x.y' }, '# It\n\nUse 4.0'), 'a: WebFetch https://x.y -> It Use 4.0'],
  ['another tool', by('mcp__db__query', 'a', { query: 'totals' }, '12 rows'), 'a: mcp__db__query totals -> 12 rows'],
  ['a file that was read', read('a', 'docs/x.md'), '-: read docs/x.md'],
])('tells %s also when the agent spoke since', (_what, call, line) => {
  expect(steps([call], spoke)).toEqual([line]);
});

test.each<[string, RecordedCall]>([
  ['places that were found', by('Glob', 'a', { pattern: '*.ts' }, 'a.ts')],
  ['a list of a folder', ran('a', 'ls -l docs', { result: 'x.md' })],
  ['an output of a program', ran('a', 'tail -5 /tmp/x.output', { result: 'started' })],
  ['a script that asked something', ran('a', "python3 - <<'PY'\nprint(1)\nPY", { result: '1' })],
  ['a check', ran('a', 'npm test', { result: 'ok' })],
  ['an act of git', ran('a', 'git status', { result: 'clean' })],
  ['a failure', ran('a', 'docker ps', { error: 'Exit code 1\nno daemon' })],
  ['a change of a file', ran('a', 'echo 1 > a.txt', { result: '' })],
  ['a package that others wrote', read('a', 'node_modules/x/README.md')],
  ['a search of the web without what it found', by('web_search', 'a', { query: 'x' }, 'completed')],
  ['a list of tasks', by('TodoWrite', 'a', { todos: [] }, 'Todos have been modified')],
])('leaves out %s once the agent spoke', (_what, call) => {
  expect(steps([call], spoke)).toEqual([]);
});

test('leaves out what another part tells, also in words, and files that were changed', () => {
  const calls = [ran('a', 'docker ps', { result: 'db up' }), read('b', 'x.ts'), edited('c', 'x.ts')];
  expect(steps(calls, { told: ['a'], changed: ['/work/x.ts'] })).toEqual([]);
  expect(steps(calls, { ...spoke, said: 'the db up', changed: ['/work/x.ts'] })).toEqual([]);
});

test('tells of a step that was done again only the last one', () => {
  const calls = [ran('a', 'bd ready', { result: 'two' }), ran('b', 'bd ready 2>&1', { result: 'one' })];
  expect(steps(calls, spoke)).toEqual(['b: bd ready 2>&1 -> one']);
});

const call = fc.constantFrom(
  (id: string, n: number) => ran(id, `docker inspect ${n}`, { result: `id ${n}` }),
  (id: string, n: number) => ran(id, `cat f${n}.ts`, { result: 'x' }),
  (id: string, n: number) => ran(id, `rg -n word${n} .`, { error: 'Exit code 1' }),
  (id: string, n: number) => read(id, `src/f${n}.ts`),
  (id: string, n: number) => by('WebFetch', id, { url: `https://x.y/${n}` }, `page ${n}`),
);

test('tells each call at most once, the newest of each part, in the order of the log', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(call, fc.nat(60)), { maxLength: 120 }), fc.nat(120), (drawn, spokeAt) => {
      const calls = drawn.map(([of, n], index) => ({ ...of(`c${index}`, n), sequence: index }));
      const shown = stepsOf(readActions(workOf(...calls)), calls, {
        calls: new Set(),
        tells: () => false,
        files: new Set(),
        spokeAt,
      });
      const ids = shown.flatMap(({ callId }) => (callId === null ? [] : [Number(callId.slice(1))]));
      expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
      for (const at of ids) expect(shown.find(({ callId }) => callId === `c${at}`)?.since === true).toBe(at >= spokeAt);
      expect(ids.filter((at) => at >= spokeAt).length).toBeLessThanOrEqual(maxSteps);
      expect(ids.filter((at) => at < spokeAt).length).toBeLessThanOrEqual(maxSteps);
    }),
  );
});
