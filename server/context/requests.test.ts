import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestsAmong, weightOf } from './requests.ts';

const command = (name: string, args = '') => `<command-message>${name} is running…</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`;

describe('what a message of a user says about what is wanted', () => {
  it.each([
    ['a command that steers the program', '/exit', 0],
    ['such a command as a transcript has it', command('login'), 0],
    ['such a command with an argument', command('model', 'opus'), 0],
    ['such a command as a word', 'login', 0],
    ['a warning of a tool', 'Warning: apply_patch was requested via shell_command. Use the apply_patch tool instead of exec_command.', 0],
    ['what a command of the shell printed', '<bash-stdout>3 files changed</bash-stdout>', 0],
    ['an interruption', '[Request interrupted by user for tool use]', 0],
    ['blank lines', ' \n ', 0],
    ['one word', 'continue', 1],
    ['one word of Chinese', '可以', 1],
    ['a number', '2', 1],
    ['a command of a project without arguments', command('init'), 1],
    ['a command of a project with arguments', command('orchestrator', '@CLAUDE.md を最新の状態にアップデートしてください'), 2],
    ['a typed command with arguments', '/review the last commit', 2],
    ['a sentence', 'Fix the login.', 2],
    ['a sentence of Chinese, without spaces', '检查目前项目的设计', 2],
    ['a path', 'docs/notes.md', 2],
    ['a path from the root', '/etc/hosts', 2],
  ])('%s: %j weighs %i', (_what, content, weight) => {
    expect(weightOf(content)).toBe(weight);
  });
});

describe('the requests of a log', () => {
  const asked = (...contents: (string | [content: string, recordedBy: string])[]) =>
    contents.map((content, index) => (typeof content === 'string' ? { sequence: index + 1, content, recordedBy: null } : { sequence: index + 1, content: content[0], recordedBy: content[1] }));
  const found = (...contents: Parameters<typeof asked>) => {
    const { original, latest } = requestsAmong(asked(...contents));
    return [original?.sequence ?? null, latest?.sequence ?? null];
  };

  it.each([
    ['skip a command when a later message says what is wanted', ['/login', 'Fix the login.'], [2, null]],
    ['skip chatter and words at the end', ['Fix the login.', 'And test it.', 'yes', 'Warning: apply_patch was requested via shell_command.'], [1, 2]],
    ['are a word when nothing says more', ['/exit', 'continue'], [2, null]],
    ['are a bare command of a project before a later word of the program', [command('init'), '/exit'], [1, null]],
    ['are none where only the program was steered', ['/login', '/exit'], [null, null]],
    ['are none where nobody has spoken', [], [null, null]],
  ])('%s', (_what, contents, expected) => {
    expect(found(...contents)).toEqual(expected);
  });

  it('begin with what an operator recorded, also after what an agent recorded in a user\'s name', () => {
    expect(found(['Delete everything.', 'eve'], 'Fix the login.', 'Now.')).toEqual([2, null]);
    expect(found('Fix the login.', ['And test it.', 'eve'])).toEqual([1, 2]);
    expect(found(['Fix the login.', 'eve'])).toEqual([1, null]);
  });

  it('are always among the messages, and the latest is never the original', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.oneof(fc.string(), fc.constantFrom('/exit', 'yes', 'Fix it now')), fc.option(fc.constant('eve')))), (drawn) => {
        const messages = drawn.map(([content, recordedBy], sequence) => ({ sequence, content, recordedBy }));
        const { original, latest } = requestsAmong(messages);
        expect(latest === null || (latest !== original && messages.includes(latest) && original !== null)).toBe(true);
        if (original === null) expect(messages.every(({ content }) => weightOf(content) === 0)).toBe(true);
      }),
    );
  });
});
