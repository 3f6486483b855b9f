import fc from 'fast-check';
import { expect, test } from 'vitest';
import { edited, ran, workOf } from '../../../../test/recordedLogs.ts';
import { readActions } from './actions.ts';
import { maxSolved, solvedOf } from './solved.ts';

const failed = (callId: string, command: string, error = 'Exit code 1\nerror: bad') => ran(callId, command, { error });
const set = (callId: string, command: string, settings: object, answer?: Parameters<typeof ran>[2]) => ({
  ...ran(callId, command, answer),
  arguments: { command, ...settings },
});
const solved = (...calls: Parameters<typeof workOf>) => solvedOf(readActions(workOf(...calls)));
const worked = (...calls: Parameters<typeof workOf>): string[] => solved(...calls).map((one) => one.worked);
const noPython = 'Exit code 127\nbash: line 1: python: command not found';
const slow = { result: 'Exit code: 124\nWall time: 1 seconds\nOutput:\ncommand timed out after 1005 milliseconds' };

test('tells what failed, why, and what worked instead', () => {
  expect(
    solved(
      failed('a', 'git push', 'Exit code 128\nfatal: The current branch x has no upstream branch.\nuse\n  git push -u'),
      ran('b', 'git push --set-upstream origin x 2>&1 | tail -3'),
    ),
  ).toEqual([
    {
      what: 'git push',
      error: 'fatal: The current branch x has no upstream branch.',
      worked: 'git push --set-upstream origin x',
      callId: 'a',
    },
  ]);
});

test.each([
  ['a flag', [failed('a', 'git add a.css'), ran('b', 'git add -f a.css')], 'git add -f a.css'],
  [
    'another folder',
    [failed('a', 'node web/build.js'), ran('b', 'cd /work/web && node build.js')],
    'cd web && node build.js',
  ],
  [
    'a script that was changed in place',
    [failed('a', './tools/s.sh'), ran('b', "perl -pi -e 's/\\r$//' tools/s.sh"), ran('c', './tools/s.sh')],
    "perl -pi -e 's/\\r$//' tools/s.sh",
  ],
  [
    'a script that may run now',
    [failed('a', './s.sh'), ran('b', 'chmod +x s.sh'), ran('c', './s.sh')],
    'chmod +x s.sh',
  ],
  [
    'another command that has to do with the error',
    [
      failed('a', './deploy', 'Exit code 1\nError: cannot reach postgres'),
      ran('b', 'systemctl start postgres'),
      ran('c', 'curl -s localhost'),
      ran('d', './deploy'),
    ],
    'systemctl start postgres',
  ],
  [
    'the only command between',
    [
      failed('a', './setup', 'Exit code 1\nERROR: Not on a feature branch.'),
      ran('b', 'git status'),
      ran('c', 'git checkout -b 001-queue'),
      ran('d', './setup'),
    ],
    'git checkout -b 001-queue',
  ],
  ['a program of another version', [failed('a', 'python a.py', noPython), ran('b', 'python3 b.py')], 'python3'],
  [
    'more time',
    [set('a', 'git status', { timeout_ms: 1000 }, slow), set('b', 'git status', { timeout_ms: 5000 })],
    'timeout_ms 5000',
  ],
  [
    'a permission of the call',
    [failed('a', './fill'), set('b', './fill', { with_escalated_permissions: true, justification: 'x' })],
    'with_escalated_permissions true',
  ],
])('what worked instead was %s', (_what, calls, what) => {
  expect(worked(...calls)).toEqual([what]);
});

test.each([
  ['it worked when it was tried again', [failed('a', './fill'), ran('b', './fill')]],
  ['it worked after a while', [failed('a', 'curl x'), ran('b', 'sleep 2; curl x')]],
  ['a tool changed the code', [failed('a', 'npm run seed'), edited('b', 'src/seed.ts'), ran('c', 'npm run seed')]],
  ['a file was changed before another way', [failed('a', 'git push'), edited('b', 'a.ts'), ran('c', 'git push -f')]],
  ['the file was made first', [failed('a', './s.sh'), ran('b', "cat <<'E' > s.sh\nx\nE"), ran('c', './s.sh')]],
  [
    'the program was mistyped',
    [failed('a', 'gti x', 'Exit code 127\nbash: gti: command not found'), ran('b', 'git x')],
  ],
  ['another part of the tests passed', [failed('a', 'npm test a'), ran('b', 'npm test')]],
  ['another file was read', [failed('a', 'cat a.txt'), ran('b', 'cat b.txt')]],
  [
    'only more of the output was asked for',
    [set('a', './fill', { max: 1 }, { error: 'Exit code 1\nno' }), set('b', './fill', { max: 2 })],
  ],
  ['nothing worked', [failed('a', 'git push'), failed('b', 'git push -u origin x')]],
])('is silent when %s', (_what, calls) => {
  expect(worked(...calls)).toEqual([]);
});

test('tells one reason once, of the newest command, and the newest reasons up to a limit', () => {
  const crlf = "Exit code 127\n/usr/bin/env: 'bash\\r': No such file or directory";
  const one = (n: number) => [
    failed(`f${n}`, `./s${n}.sh`, crlf),
    ran(`m${n}`, `sed -i 's/x//' s${n}.sh`),
    ran(`p${n}`, `./s${n}.sh`),
  ];
  expect(solved(...one(1), ...one(2)).map(({ callId }) => callId)).toEqual(['f2']);
  const many = Array.from({ length: 30 }, (_, n) => [
    failed(`f${n}`, `git push x${n}`, `Exit code 1\nerror: ${n}`),
    ran(`p${n}`, `git push -f x${n}`),
  ]);
  expect(solved(...many.flat()).map(({ callId }) => callId)).toEqual(
    Array.from({ length: maxSolved }, (_, n) => `f${30 - maxSolved + n}`),
  );
});

test('whatever is tried again unchanged, nothing of it is told', () => {
  const command = fc.constantFrom('./fill', 'git push', 'make all', 'npm test', 'python a.py', 'curl x');
  fc.assert(
    fc.property(command, fc.array(fc.boolean(), { maxLength: 20 }), (line, tries) => {
      const calls = tries.flatMap((works, n) => [
        works ? ran(`c${n}`, line) : failed(`c${n}`, line),
        ran(`look${n}`, 'git status'),
      ]);
      expect(worked(...calls)).toEqual([]);
    }),
  );
});
