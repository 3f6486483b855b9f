import { expect, test } from 'vitest';
import { edited, ran, workOf } from '../../../../test/recordedLogs.ts';
import { failedAttemptsOf, maxFailedAttempts } from './failedAttempts.ts';

const failed = (callId: string, command: string, error = 'Exit code 1\nbad') => ran(callId, command, { error });
const left = (...calls: Parameters<typeof workOf>): string[] =>
  failedAttemptsOf(workOf(...calls)).map(({ callId }) => callId);

test('lists what failed and its error', () => {
  expect(
    failedAttemptsOf(
      workOf(
        failed('a', 'git push', 'Exit code 128\nfatal: no upstream'),
        edited('b', '/work/a.ts', 'String to replace not found'),
      ),
    ),
  ).toEqual([
    { what: 'git push', error: 'fatal: no upstream', callId: 'a' },
    { what: 'Edit /work/a.ts', error: 'String to replace not found', callId: 'b' },
  ]);
});

test('leaves out what could not be staged before a later commit', () => {
  const bad = "Exit code 128\nfatal: pathspec 'x/a.ts' is beyond a symbolic link";
  expect(left(failed('a', 'git add a.ts && git add x/a.ts', bad))).toEqual(['a']);
  expect(left(failed('a', 'git add a.ts && git add x/a.ts', bad), ran('b', 'git add b.ts && git commit -m b'))).toEqual(
    [],
  );
});

test.each([
  'bash: cannot create temp file for here document: Operation not permitted',
  'npm error code ENOTFOUND registry.example.org',
  'curl: (6) Could not resolve host: example.org',
  '/bin/sh: 1: ./run: Permission denied',
])('tells once, of the newest command, that the machine says %j, unless the same command worked then', (error) => {
  const answer = `Exit code 1\n${error}`;
  const [one, other] = ["./fill <<'A'\n1\nA", "./clear <<'A'\n2\nA"];
  expect(left(failed('a', one, answer), failed('b', other, answer))).toEqual(['b']);
  expect(left(failed('a', one, answer), failed('b', other, 'Exit code 1\nError: no rows'))).toEqual(['a', 'b']);
  expect(
    left(failed('a', one, answer), { ...ran('b', one), arguments: { command: one, with_escalated_permissions: true } }),
  ).toEqual([]);
});

test.each([
  [
    'node --test',
    "not ok 2 - expires after lunch\n  error: '41 == 1337'\nnot ok 3 - later # TODO",
    "expires after lunch: error: '41 == 1337'",
  ],
  [
    'node --test',
    '✖ expires after lunch (3.2ms)\n  AssertionError: 41 == 1337',
    'expires after lunch: AssertionError: 41 == 1337',
  ],
  [
    'npx vitest run',
    ' × expires after lunch 12ms\nAssertionError: expected 41',
    'expires after lunch: AssertionError: expected 41',
  ],
  [
    'npx jest',
    '    ✕ expires after lunch (5 ms)\n    ✕ signs\nError: expected 41',
    'expires after lunch: signs: Error: expected 41',
  ],
  [
    'pytest',
    'E   assert 41 == 1337\nFAILED test_a.py::test_lunch - assert 41',
    'test_a.py::test_lunch: E   assert 41 == 1337',
  ],
  ['go test ./...', '--- FAIL: TestLunch (0.00s)\n    a_test.go:3: expected 1337', '--- FAIL: TestLunch (0.00s)'],
  ['cargo test', 'test lunch::expires ... FAILED\nerror: test failed', 'lunch::expires: error: test failed'],
])('names the tests that failed in a check: %s, %j', (command, output, error) => {
  expect(failedAttemptsOf(workOf(failed('a', command, `Exit code 1\n${output}`)))).toMatchObject([{ error }]);
});

test.each([
  ['{"error":{"code":401,"message":"The key has expired"},"request_id":"r1"}', 'The key has expired'],
  ['{\n  "status": "failed",\n  "errors": [\n    { "message": "Port 6123 is taken" }\n  ]\n}', 'Port 6123 is taken'],
  [
    'Error: 409 {"message":"A release of this name exists","documentation_url":"https://a.b"}',
    'Error: 409 A release of this name exists',
  ],
  ['starting\n{"level":"error","msg":"cannot open the ledger","time":"12:00"}', 'cannot open the ledger'],
  [
    'HTTP/2 422\n{\n  "message": "Validation failed: name is missing",\n  "id": 4\n}',
    'Validation failed: name is missing',
  ],
  ['{"stderr":"starting\\nTypeError: x is undefined\\n    at a.js:1","stdout":""}', 'TypeError: x is undefined'],
  ['TypeError: expected ["a"] in {', 'TypeError: expected ["a"] in {'],
])('gives what JSON says of a failure: %j', (output, error) => {
  expect(failedAttemptsOf(workOf(failed('a', 'curl x', `Exit code 1\n${output}`)))).toMatchObject([{ error }]);
});

test.each([
  [
    'Resolving dependencies\nResolved, downloaded and extracted [34]\nFileNotFound: failed linking shop-proto\nSaved lockfile\nFailed to install 1 package',
    'FileNotFound: failed linking shop-proto',
  ],
  ['everything entered\nopen a.json: ENOENT\nend', 'open a.json: ENOENT'],
  ['the engine started\nconnection refused\nexited', 'connection refused'],
])('takes no progress for the reason: %j', (output, error) => {
  expect(failedAttemptsOf(workOf(failed('a', 'bun add x', `Exit code 1\n${output}`)))).toMatchObject([{ error }]);
});

test('gives the reason as a terminal shows it', () => {
  const output = 'Pulling 1%\rPulling 99%\r\u001B[K\u001B[31merror\u001B[0m: no space left on device';
  expect(failedAttemptsOf(workOf(failed('a', 'docker pull x', `Exit code 1\n${output}`)))).toMatchObject([
    { error: 'error: no space left on device' },
  ]);
});

test.each([
  ['npm test', 'npm test'],
  ['npm test a.test.ts', 'npm test'],
  ['npm test -- -t "one"', 'cd /work && npm test 2>&1 | tail'],
  ['git push', 'git push --set-upstream origin x'],
  ['git add a b && git commit -m "One"', 'git add -f a && git commit -m "Two"'],
  ['node tools/build.js', 'cd tools && node build.js'],
  ['bash tools/setup.sh', './tools/setup.sh --json'],
  ["python - <<'PY'\nprint(1)\nPY", "python3 - <<'PY'\nprint(1)\nPY"],
  ['cat a.txt; false', 'cat a.txt'],
])('%j is repeated by %j', (first, second) => {
  expect(left(failed('a', first), ran('b', second))).toEqual([]);
});

test.each([
  'python3 -c "1/0"',
  "python3 - <<'PY'\nimport json\njson.loads('')\nPY",
  'head -c 500 a.jsonl | python3 -c "import sys, json; json.load(sys.stdin)"',
  'cd src && node -e \'require("./a").b()\'',
])('a script that only asked something and was not kept is no failed attempt: %j', (command) => {
  expect(left(failed('a', command))).toEqual([]);
});

test.each([
  `python3 - <<'PY'\nopen("a.json", "w").write(str(1/0))\nPY`,
  'python3 tools/move.py',
  'node --test',
  "bash -c 'docker compose up'",
])('a script that writes, is kept or checks is one: %j', (command) => {
  expect(left(failed('a', command))).toEqual(['a']);
});

test('an edit that named no file is mended by the next one of the same tool that was applied', () => {
  const edit = (callId: string, fields: object) => ({ ...edited(callId, 'a.ts'), name: 'edit', ...fields });
  const refused = edit('a', { arguments: {}, filesModified: [], result: null, error: 'No filename provided' });
  expect(left(refused)).toEqual(['a']);
  expect(left(refused, edit('b', {}))).toEqual([]);
});

test.each([
  ['npm test', 'npm test a.test.ts'],
  ['npm test', 'npm run build'],
  ['npm test', 'cd other && npm test'],
  ['pip install a', 'pip install b'],
  ['git push', 'git status'],
  ['curl localhost:1', 'curl localhost:2'],
])('%j is not repeated by %j', (first, second) => {
  expect(left(failed('a', first), ran('b', second))).toEqual(['a']);
});

test('lists a command that failed repeatedly once, with its last error', () => {
  expect(left(failed('a', 'npm test'), failed('b', 'npm test'))).toEqual(['b']);
  expect(left(ran('a', 'npm test'), failed('b', 'npm test'))).toEqual(['b']);
});

test('drops a failed edit after any later change of the same file', () => {
  const failure = edited('a', '/work/a.ts', 'not found');
  expect(left(failure, edited('b', '/work/a.ts'))).toEqual([]);
  expect(left(failure, edited('b', 'a.ts'))).toEqual([]);
  expect(left(failure, ran('b', "cat <<'EOF' > a.ts\nx\nEOF"))).toEqual([]);
  expect(left(failure, edited('b', '/work/b.ts'))).toEqual(['a']);
  const patch = (callId: string, error: string | null) => ({
    ...edited(callId, 'a.ts', error),
    name: 'apply_patch',
    arguments: '*** Begin Patch\n*** Update File: a.ts\n@@\n*** End Patch',
  });
  expect(failedAttemptsOf(workOf(patch('a', 'apply_patch verification failed: no such lines')))).toEqual([
    { what: 'apply_patch /work/a.ts', error: 'apply_patch verification failed: no such lines', callId: 'a' },
  ]);
  expect(left(patch('a', 'bad'), patch('b', null))).toEqual([]);
});

test('ignores a search without matches and a comparison with differences', () => {
  expect(
    left(
      failed('a', 'rg nothing src', 'Exit code 1'),
      failed('b', 'diff a b', 'Exit code 1\n1c1'),
      failed('c', 'ls | grep x', 'failed'),
    ),
  ).toEqual([]);
});

test.each([
  ['a look at a file that is not there', [failed('a', 'cat a.txt', 'Exit code 1\ncat: a.txt: No such file')]],
  ['a search in a folder that is not there', [failed('a', 'rg x missing', 'Exit code 2\nrg: missing: No such file')]],
  ['a list after a change of folder', [failed('a', 'cd src && ls x', 'Exit code 2\nls: cannot access x')]],
  [
    'a mistyped program',
    [failed('a', 'gti status', 'Exit code 127\nbash: line 1: gti: command not found'), ran('b', 'git status')],
  ],
  [
    'a program by another name',
    [failed('a', 'python x.py', 'Exit code 127\npython: command not found'), ran('b', 'python3 y.py')],
  ],
])('ignores %s', (_what, calls) => {
  expect(left(...calls)).toEqual([]);
});

test.each([
  [
    'a program that is missing',
    [failed('a', 'libtool --version', 'Exit code 127\nlibtool: command not found'), ran('b', 'git status')],
  ],
  ['a file that may not be read', [failed('a', 'cat /etc/shadow', 'Exit code 1\ncat: /etc/shadow: Permission denied')]],
  ['a command that began with a look', [failed('a', 'cat a.txt; ./configure', 'Exit code 1\nno compiler')]],
])('lists %s', (_what, calls) => {
  expect(left(...calls)).toEqual(['a']);
});

test.each([
  [
    'Traceback (most recent call last):\n  File "a.py", line 2\nValueError: port 7 is taken',
    'ValueError: port 7 is taken',
  ],
  ['checking for gcc... yes\nerror: needs libfoo 3\nsee config.log', 'error: needs libfoo 3'],
  ['/work/a.js:3\nthrow new Error("x")\nError: no key\n    at main (/work/a.js:3:7)\nNode.js v20', 'Error: no key'],
  ['one\ntwo', 'two'],
  ['', 'failed without a message'],
])('gives of %j the line %j', (output, error) => {
  expect(failedAttemptsOf(workOf(failed('a', 'make thing', `Exit code 1\n${output}`)))).toMatchObject([{ error }]);
});

test('lists the same failure of one command once', () => {
  expect(left(failed('a', 'docker push a'), failed('b', 'docker push b'), failed('c', 'docker push c'))).toEqual(['c']);
});

test.each([
  "The user doesn't want to proceed with this tool use.",
  "Claude requested permissions to write to /work/a.ts, but you haven't granted it yet.",
  'exec command rejected by user',
])('ignores what a person refused: %s', (error) => {
  expect(left(failed('a', 'mix phx.server', error), edited('b', '/work/a.ts', error))).toEqual([]);
  expect(left(failed('a', 'npm test'), failed('b', 'npm test', error))).toEqual(['a']);
});

test.each([
  ['rg -n newCart src; rg -n NEW_CART src', 'Exit code 1\nsrc/a.ts:3: newCart'],
  ['grep -rn flag docs && grep -rn newCart docs', 'Exit code 1\ndocs/a.md:1: flag'],
  ["find . -name '*.flag' | xargs grep -l newCart", 'Exit code 123'],
  ['npm ls left-pad', 'Exit code 1\nshop@1.0.0 /work\n└── (empty)'],
  ['gh pr view 12', 'Exit code 1\nno pull requests found for branch "main"'],
])('%s that found nothing is no failed attempt', (command, error) => {
  expect(left(failed('a', command, error))).toEqual([]);
});

test.each([
  ['npm run deploy && grep -q done deploy.log', 'Exit code 1\nuploading'],
  ['cat a.txt > b.txt; grep x c.txt', 'Exit code 1\ngrep: c.txt: Permission denied'],
  ['npm ls left-pad', 'Exit code 1\nnpm error missing: left-pad@1, required by shop@1.0.0'],
])('%s that failed stays one', (command, error) => {
  expect(left(failed('a', command, error))).toEqual(['a']);
});

test('ignores calls that never ran', () => {
  expect(left(failed('a', 'npm test', '<tool_use_error>Sibling tool call errored</tool_use_error>'))).toEqual([]);
  expect(left(ran('a', 'npm test', {}))).toEqual([]);
});

test('ignores calls that neither run a command nor edit a file', () => {
  expect(
    left({ ...edited('a', 'x', 'EISDIR'), name: 'Read' }, { ...edited('b', 'x', 'bad'), name: 'WebFetch' }),
  ).toEqual([]);
});

test('keeps the newest attempts up to a limit, each shortened', () => {
  const attempts = failedAttemptsOf(
    workOf(
      ...Array.from({ length: 200 }, (_, n) =>
        failed(`c${n}`, `tool${n} ${'x'.repeat(2_000)}`, `${n} ${'y'.repeat(5_000)}`),
      ),
    ),
  );
  expect(attempts).toHaveLength(maxFailedAttempts);
  expect(attempts.at(-1)?.callId).toBe('c199');
  expect(Math.max(...attempts.map(({ what }) => what.length))).toBeLessThanOrEqual(300);
  expect(Math.max(...attempts.map(({ error }) => error.length))).toBeLessThanOrEqual(500);
});

test('needs time in proportion to the length of the log', () => {
  const took = (count: number): number => {
    const log = workOf(
      ...Array.from({ length: count }, (_, n) =>
        n % 2 === 0 ? failed(`c${n}`, `npm test ${n}`) : ran(`c${n}`, `npm test x${n}`),
      ),
    );
    const from = process.cpuUsage();
    failedAttemptsOf(log);
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1_000;
  };
  took(2_000);
  const [one, four] = [Math.min(took(2_000), took(2_000)), Math.min(took(8_000), took(8_000))];
  expect(four).toBeLessThan(one * 8 + 50);
});
