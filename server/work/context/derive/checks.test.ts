import fc from 'fast-check';
import { expect, test } from 'vitest';
import { edited, ran, workOf } from '../../../../test/recordedLogs.ts';
import { checksOf, maxChecks } from './checks.ts';
import { isCheck } from './commands.ts';
import { splitShell } from './shell.ts';

const shown = (...calls: Parameters<typeof workOf>): string[] =>
  checksOf(workOf(...calls)).map(
    ({ command, outcome, callId, stale }) => `${callId} ${outcome}${stale ? ' stale' : ''}: ${command}`,
  );

test.each([
  ...[
    'npm test',
    'npm run lint',
    'pnpm -r build',
    'yarn typecheck',
    'npm run test:unit',
    'npx vitest run',
    'npx tsc --noEmit',
    'pnpm exec eslint .',
    'CI=1 npm test',
    'sudo make',
    'make check',
  ],
  ...[
    'pytest -q',
    'python3 -m pytest tests',
    'poetry run mypy src',
    'uv run ruff check .',
    'python manage.py test',
    'tox',
    'cargo test',
    'cargo clippy -- -D warnings',
    'cargo fmt --check',
    'go vet ./...',
  ],
  ...[
    './gradlew build',
    'mvn -q verify',
    'dotnet test',
    'mix credo',
    'mix format --check-formatted',
    'bundle exec rspec',
    'docker build -t app .',
    'node --test',
    'node scripts/build.js',
    './test.sh',
    'bash build.sh',
  ],
  ...[
    'mise run test',
    'mise r lint',
    'just verify',
    'task lint',
    'make -C app test',
    'nox -s tests',
    'bazel test //...',
    'turbo run build --filter=web',
    'turbo build',
    'nx test app',
    'nx run app:test',
    'nx run-many -t test',
    'nx affected --target=lint',
    'moon run app:lint',
    'moon check --all',
  ],
  ...[
    'pnpm -r test',
    'pnpm --filter web test',
    'npm --prefix web run lint',
    'yarn workspace app test',
    'deno task test',
    'poe typecheck',
    'hatch run test',
    'uv run --extra dev pytest -q',
    'docker compose run --rm app npm test',
    'docker compose exec -T app pytest',
    'docker run --rm -v x:/y image npm test',
    'kubectl exec -n x pod -- npm test',
    'conda run -n x pytest',
    'nix develop -c cargo test',
    './scripts/ci-test.sh',
    './dev test',
    'bin/check',
    'pants test ::',
    'rake test',
  ],
  ...['timeout 60 npm test', 'next build', 'deno test', 'npx prettier --check .', 'terraform validate'],
])('%s is a check', (line) => {
  expect(splitShell(line).some(isCheck)).toBe(true);
});

test.each([
  ...[
    'npm install',
    'npm run dev',
    'npm start',
    'git commit -m "test"',
    'cat test.js',
    'ls build',
    'grep -rn test src',
    'echo npm test',
    'tsc --version',
    'cargo run',
    'go run .',
    'mix phx.server',
    'vite',
    'next dev',
  ],
  ...[
    'docker run app',
    'make deploy',
    'python3 script.py',
    'node server.js',
    './check-prerequisites.sh',
    'npx prettier --write .',
    'rm -rf build',
    'mkdir test',
    'npm test --help',
    'npm ci',
    'npm install jest-test',
    'pnpm add -D vite-test',
    'docker compose up test',
    'docker compose run --rm app sh',
    'mise install test',
    'nx graph',
    'just --list',
    'turbo run dev',
    '',
  ],
])('%j is not a check', (line) => {
  expect(splitShell(line).some(isCheck)).toBe(false);
});

test('keeps the last outcome of each command in each folder, whatever its output is piped into', () => {
  expect(
    shown(
      ran('a', 'npm test', { error: 'Exit code 1\n1 failed' }),
      ran('b', 'npm run lint'),
      ran('c', 'cd /work && npm test 2>&1 | tail -5', { result: '3 passed' }),
      ran('d', 'cd sub'),
      ran('e', 'npm test', { error: 'Exit code 1' }),
    ),
  ).toEqual(['b PASSED: npm run lint', 'c PASSED: npm test', 'e FAILED: cd sub && npm test']);
});

test('marks a check as stale when files changed after it', () => {
  expect(shown(edited('e', '/work/a.ts'), ran('t', 'npm test'))).toEqual(['t PASSED: npm test']);
  expect(shown(ran('t', 'npm test'), edited('e', '/work/a.ts'))).toEqual(['t PASSED stale: npm test']);
  expect(shown(ran('t', 'npm test'), edited('e', '/work/a.ts', 'File has not been read yet'))).toEqual([
    't PASSED: npm test',
  ]);
  expect(shown(ran('t', 'npm test'), ran('w', 'echo x > a.ts'))).toEqual(['t PASSED stale: npm test']);
  expect(shown(ran('t', 'npm test'), ran('w', "sed -i 's/a/b/' a.ts"))).toEqual(['t PASSED stale: npm test']);
  expect(shown(ran('t', 'npm test'), ran('w', 'ls > /dev/null; cat a > /tmp/b'))).toEqual(['t PASSED: npm test']);
});

test.each([
  ['npm test', 'README.md', false],
  ['npm test', 'docs/CLAUDE.md', false],
  ['npm test', 'LICENSE', false],
  ['npx prettier --check .', 'README.md', true],
  ['npm run test:docs', 'docs/guide.md', true],
  ['npx vitest run docs/a.test.md', 'docs/a.test.md', true],
  ['npm test', 'data/words.txt', true],
  ['npm test', '../other/a.ts', false],
  ['cd assets && npx vitest run', 'lib/a.ex', false],
  ['cd assets && npx vitest run', 'assets/js/a.js', true],
  ['cd assets && npx vitest run', 'assets.js', false],
  ['npx vitest run src/a.test.ts', 'src/a.ts', true],
  ['npx vitest run src/a.test.ts', 'src/b.test.ts', false],
  ['npx vitest run src/a.test.ts', 'src/a.test.ts', true],
  ['pytest tests/unit', 'tests/flow/test_b.py', false],
  ['pytest tests/unit', 'tests/unit/test_b.py', true],
  ['pytest tests/unit && ruff check', 'tests/flow/test_b.py', true],
  ['pytest -q', 'tests/flow/test_b.py', true],
])('after %s a change of %s makes it stale: %s', (line, file, isStale) => {
  const [check] = checksOf(workOf(ran('t', line), edited('e', `/work/${file}`)));
  expect([check!.stale, check!.changed]).toEqual([isStale, isStale ? file : undefined]);
});

test('names the newest file that changed since, and counts the others', () => {
  const [check] = checksOf(
    workOf(ran('t', 'npm test'), edited('e', 'a.ts'), edited('f', '/work/b/c.ts'), edited('g', 'x.md')),
  );
  expect(check!.changed).toBe('b/c.ts and 1 more');
});

test('reads the outcome from the output when a pipe or a later command hides the exit code', () => {
  for (const line of ['npm test | tail -5', 'npm test; git status', 'npm test || true']) {
    expect(shown(ran('a', line, { result: 'Tests  2 failed | 3 passed (5)' }))).toEqual(['a FAILED: npm test']);
    expect(shown(ran('a', line, { result: '12 tests, 0 failures\n# fail 0\n0 errors, 3 warnings' }))).toEqual([
      'a PASSED: npm test',
    ]);
  }
  expect(
    shown(ran('a', 'npx tsc --noEmit | head', { result: 'src/a.ts(1,2): error TS2304: Cannot find name' })),
  ).toEqual(['a FAILED: npx tsc --noEmit']);
  expect(shown(ran('a', 'npm test; echo "exit: $?"', { result: 'ran\nexit: 1' }))).toEqual(['a FAILED: npm test']);
  // The exit code is the check's own.
  expect(shown(ran('a', 'npm test', { result: 'prints "2 failed" as an example' }))).toEqual(['a PASSED: npm test']);
  expect(shown(ran('a', 'set -o pipefail; npm test | tail', { result: '2 failed before the retry' }))).toEqual([
    'a PASSED: npm test',
  ]);
});

test('counts several checks on one line as one', () => {
  expect(shown(ran('a', 'npm run lint && npm test && git push'))).toEqual(['a PASSED: npm run lint && npm test']);
});

test('ignores a check that was refused or never started', () => {
  expect(
    shown(
      ran('a', 'npm test'),
      ran('b', 'npm test', { error: '<tool_use_error>Sibling tool call errored</tool_use_error>' }),
      ran('c', 'npm test', { error: "The user doesn't want to proceed with this tool use." }),
    ),
  ).toEqual(['a PASSED: npm test']);
});

test.each([
  ['has no result yet', {}],
  [
    'runs in the background',
    { result: 'Command running in background with ID: b1. Output is being written to: /tmp/x' },
  ],
  ['was interrupted', { error: '[Request interrupted by user for tool use]' }],
  ['was stopped by a time limit', { error: 'Exit code 143\nCommand timed out after 2m 0.0s' }],
  ['was aborted', { result: 'aborted by user after 3.1s' }],
  [
    'was ended by a signal',
    { result: 'Chunk ID: 1\nWall time: 1 seconds\nProcess exited with code 130\nOutput:\n5 passed' },
  ],
])('says that a check that %s is not finished, whatever it did before', (_what, answer) => {
  expect(shown(ran('a', 'npm test'), ran('b', 'npm test', answer))).toEqual(['b NOT_FINISHED: npm test']);
});

test('shows a narrower check no more once a run of all of it has ended', () => {
  expect(shown(ran('a', 'npm test a.test.ts'), ran('b', 'npm test'))).toEqual(['b PASSED: npm test']);
  expect(shown(ran('a', 'npm test'), ran('b', 'npm test a.test.ts'))).toEqual([
    'a PASSED: npm test',
    'b PASSED: npm test a.test.ts',
  ]);
});

test.each([
  ['npx vitest run', 'npx vitest run --reporter=dot'],
  ['npx vitest run --reporter verbose', 'npx vitest'],
  ['pytest -q', 'pytest -v --tb short -n 4'],
  ['pytest --color=yes', 'python3 -m pytest -ra --maxfail 1'],
  ['npm test', 'npm run test -- --color --reporter dot'],
  ['npm test', 'npm run test --silent'],
  ['go test ./...', 'go test -v -count 1 -timeout 60s ./...'],
  ['cargo test', 'cargo test -q -j 4 -- --nocapture'],
  ['npx mocha', 'npx mocha -R dot'],
  ['npx eslint .', 'npx eslint -f json'],
  ['./test.sh', './test.sh -v'],
  ['node --test', 'node --test --test-reporter dot'],
  ['make -j 8', 'make -s'],
])('%s and %s are the same check', (one, other) => {
  for (const [first, second] of [
    [one, other],
    [other, one],
  ] as const)
    expect(shown(ran('a', first, { error: 'Exit code 1\n1 failed' }), ran('b', second))).toEqual([
      `b PASSED: ${second}`,
    ]);
});

test.each([
  ['go test ./...', 'go test -run TestA ./...'],
  ['go test ./...', 'go test -run=TestA ./...'],
  ['go test ./...', 'go test -short ./...'],
  ['npx vitest run', 'npx vitest run -t adds'],
  ['npx vitest run', 'npx vitest run src/a.test.ts --reporter=dot'],
  ['npx vitest run', 'npx vitest run --changed'],
  ['npx jest', 'npx jest --testNamePattern=adds'],
  ['npm test', 'npm test -- --grep=adds'],
  ['npm test', 'npm test --workspace=web'],
  ['pytest', 'pytest -k adds'],
  ['pytest', 'pytest --lf'],
  ['pytest', 'python -m pytest --collect-only'],
  ['cargo test', 'cargo test --lib'],
  ['cargo test', 'cargo test -p core'],
  ['mvn test', 'mvn test -Dtest=AddsTest'],
  ['./gradlew test', './gradlew test --tests Adds'],
  ['./test.sh', './test.sh a.sh'],
  ['python manage.py test', 'python manage.py test shop'],
  ['node scripts/test.js', 'node scripts/test.js one'],
  ['npx vitest run', 'npx vitest run --config=other.config.ts'],
  ['./dev test', './dev lint'],
])('a failure of %s stays after %s has passed', (all, part) => {
  expect(shown(ran('a', all, { error: 'Exit code 1\n1 failed' }), ran('b', part))).toEqual([
    `a FAILED: ${all}`,
    `b PASSED: ${part}`,
  ]);
});

test('a check of a line that ran again alone is told once', () => {
  const fails = { error: 'Exit code 1\nbad' };
  expect(shown(ran('a', 'npm run lint && npm test'), ran('b', 'npm test', fails))).toEqual([
    'a PASSED: npm run lint',
    'b FAILED: npm test',
  ]);
  // Either of the two may have failed.
  expect(shown(ran('a', 'npm run lint && npm test', fails), ran('b', 'npm run lint'))).toEqual([
    'a FAILED: npm run lint && npm test',
    'b PASSED: npm run lint',
  ]);
  // The tests may not have run.
  expect(shown(ran('a', 'npm test'), ran('b', 'npm run lint && npm test', fails))).toEqual([
    'a PASSED: npm test',
    'b FAILED: npm run lint && npm test',
  ]);
  expect(shown(ran('a', 'npm test'), ran('b', 'npm run lint; npm test'))).toEqual(['b PASSED: npm run lint; npm test']);
});

test('whatever parts of a check pass, its own failure stays until it runs again', () => {
  const report = fc.constantFrom('-v', '--color', '--reporter=dot', '--silent', '--bail');
  const narrow = fc.constantFrom('a.test.ts', '-t adds', '--changed', '--shard=1/2', '--project web');
  const flags = fc.array(report, { maxLength: 3 });
  const part = fc.tuple(flags, narrow, flags).map(([before, one, after]) => [...before, one, ...after]);
  fc.assert(
    fc.property(flags, fc.array(part, { maxLength: 5 }), flags, (first, parts, last) => {
      const line = (words: readonly string[]): string => ['npx vitest run', ...words].join(' ');
      const calls = [
        ran('all', line(first), { error: 'Exit code 1\n2 failed' }),
        ...parts.map((words, index) => ran(`part-${index}`, line(words))),
      ];
      expect(shown(...calls)[0]).toBe(`all FAILED: ${line(first)}`);
      expect(shown(...calls, ran('again', line(last)))).toEqual([`again PASSED: ${line(last)}`]);
    }),
  );
});

test('reads the outcome from the output of a tool that records no exit code', () => {
  expect(shown(ran('a', 'npm test', { name: 'mcp__shell__execute', result: '2 failed, 3 passed' }))).toEqual([
    'a FAILED: npm test',
  ]);
});

test('shows each check once with its newest outcome, in whatever order they ran', () => {
  const command = fc.constantFrom('npm test', 'just lint', 'make check', 'uv run pytest', 'turbo run build');
  fc.assert(
    fc.property(fc.array(fc.tuple(command, fc.constantFrom(0, 1, null))), (runs) => {
      const calls = runs.map(([line, code], index) =>
        ran(`${index}`, line, code === null ? {} : code === 0 ? { result: 'ok' } : { error: 'Exit code 1\nbad' }),
      );
      const newest = new Map(runs.map(([line, code]) => [line, code]));
      expect(new Map(checksOf(workOf(...calls)).map(({ command: line, outcome }) => [line, outcome]))).toEqual(
        new Map(
          [...newest].map(([line, code]) => [line, code === null ? 'NOT_FINISHED' : code === 0 ? 'PASSED' : 'FAILED']),
        ),
      );
    }),
  );
});

test('ends a command in the background when its output is read or its end is announced', () => {
  const started = ran('a', 'npm test', {
    result: 'Command running in background with ID: b1. Output is being written to: /tmp/x',
  });
  const look = {
    ...ran('b', '', {
      result: '<status>completed</status>\n\n<exit_code>1</exit_code>\n\n<output>\n1 failed\n</output>',
      name: 'TaskOutput',
    }),
    arguments: { task_id: 'b1' },
  };
  expect(shown(started, look)).toEqual(['a FAILED: npm test']);
  const announced = {
    role: 'SYSTEM' as const,
    sequence: 2,
    content:
      '<task-notification>\n<task-id>b1</task-id>\n<summary>completed (exit code 0)</summary>\n</task-notification>',
  };
  expect(checksOf({ ...workOf(started), messages: [announced] })).toMatchObject([{ outcome: 'PASSED', callId: 'a' }]);
});

test('reads the exit codes of Codex from strings, lists and background sessions', () => {
  const codex = (callId: string, args: object, result: string, name = 'exec_command') => ({
    ...ran(callId, '', { result, name }),
    arguments: args,
  });
  expect(
    shown(
      codex(
        'a',
        { cmd: 'npm test', workdir: '/work' },
        'Chunk ID: 1\nWall time: 1\nProcess exited with code 2\nOutput:\nbad',
      ),
    ),
  ).toEqual(['a FAILED: npm test']);
  expect(
    shown(
      codex(
        'a',
        { command: ['bash', '-lc', 'pytest -q'] },
        'Exit code: 0\nWall time: 1\nOutput:\nExit code: 7',
        'shell',
      ),
    ),
  ).toEqual(['a PASSED: pytest -q']);
  expect(shown(codex('a', { command: ['cargo', 'test'] }, 'ok', 'shell'))).toEqual(['a PASSED: cargo test']);
  expect(
    shown(
      codex('a', { cmd: 'npm test' }, 'Wall time: 1\nProcess running with session ID 77\nOutput:\n'),
      codex(
        'b',
        { session_id: 77, chars: '' },
        'Wall time: 1\nProcess running with session ID 77\nOutput:\n',
        'write_stdin',
      ),
      codex(
        'c',
        { session_id: 77, chars: '' },
        'Wall time: 1\nProcess exited with code 0\nOutput:\nfine',
        'write_stdin',
      ),
    ),
  ).toEqual(['a PASSED: npm test']);
});

test('keeps the newest checks up to a limit', () => {
  const checks = checksOf(
    workOf(...Array.from({ length: 50 }, (_, n) => ran(`c${n}`, `npm test ${'x'.repeat(1_000)}${n}`))),
  );
  expect(checks).toHaveLength(maxChecks);
  expect(checks.at(-1)?.callId).toBe('c49');
  expect(Math.max(...checks.map(({ command }) => command.length))).toBeLessThanOrEqual(300);
});
