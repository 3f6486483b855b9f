import fc from 'fast-check';
import { expect, it } from 'vitest';
import { resumableIn } from './history.ts';

it.each([
  ['codex exec -', 'codex', 'codex exec {resume} -'],
  ['codex exec --json --sandbox workspace-write -', 'codex', 'codex exec --json --sandbox workspace-write {resume} -'],
  [
    "claude -p --allowedTools 'Edit' 'mcp__baton__*'",
    'claude-code',
    "claude {resume} -p --allowedTools 'Edit' 'mcp__baton__*'",
  ],
  ['/opt/bin/claude --model opus --print', 'claude-code', '/opt/bin/claude {resume} --model opus --print'],
  ['CODEX_HOME=/srv/codex codex exec -', 'codex', 'CODEX_HOME=/srv/codex codex exec {resume} -'],
])('%s goes on with the log', (command, native, resuming) => {
  expect(resumableIn(command)).toEqual({ native, command: resuming });
});

it.each([
  'codex exec "Do it"',
  'codex exec resume --last -',
  'codex -',
  'claude',
  'claude -p --continue',
  'claude -p --resume=1',
  'npx claude -p',
  'claudette -p',
  'echo claude -p',
])('%s gets the prompt alone', (command) => {
  expect(resumableIn(command)).toBeNull();
});

it('a command that is more than a program gets the prompt alone', () => {
  const program = fc.constantFrom('claude -p', 'codex exec -');
  const more = fc.constantFrom(
    '; true',
    ' | tee out',
    ' && true',
    ' > out',
    ' < in',
    ' & wait',
    '\ntrue',
    ' $(id)',
    ' `id`',
  );
  fc.assert(
    fc.property(program, more, (command, rest) => {
      expect(resumableIn(command + rest)).toBeNull();
    }),
  );
});
