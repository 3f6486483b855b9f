import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestsAmong, weightOf, withoutResent } from './requests.ts';

const command = (name: string, args = '') =>
  `<command-message>${name} is running…</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`;

describe('the weight of a user message as a request', () => {
  it.each([
    ['a command for the program', '/exit', 0],
    ['a command for the program, as transcripts write it', command('login'), 0],
    ['a command for the program with an argument', command('model', 'opus'), 0],
    ['the name of a command for the program', 'login', 0],
    [
      'a warning of a tool',
      'Warning: apply_patch was requested via shell_command. Use the apply_patch tool instead of exec_command.',
      0,
    ],
    ['the output of a shell command', '<bash-stdout>3 files changed</bash-stdout>', 0],
    ['an interruption', '[Request interrupted by user for tool use]', 0],
    ['blank lines', ' \n ', 0],
    ['one word', 'continue', 1],
    ['one word of Chinese', '可以', 1],
    ['a number', '2', 1],
    ['a command of a project without arguments', command('init'), 1],
    [
      'a command of a project with arguments',
      command('orchestrator', '@CLAUDE.md を最新の状態にアップデートしてください'),
      2,
    ],
    ['a typed command with arguments', '/review the last commit', 2],
    ['a sentence', 'Fix the login.', 2],
    ['a sentence of Chinese, without spaces', '检查目前项目的设计', 2],
    ['a path', 'docs/notes.md', 1],
    ['a path from the root', '/etc/hosts', 1],
    ['a path that a terminal broke', ' _out/0-1-set-up-a-\n  project.yaml.md\n', 1],
    ['a path and what to do with it', 'docs/notes.md weg', 2],
  ])('%s, %j, is %i', (_what, content, weight) => {
    expect(weightOf(content)).toBe(weight);
  });
});

describe('the requests of a log', () => {
  const asked = (...contents: (string | [content: string, recordedBy: string])[]) =>
    contents.map((content, index) =>
      typeof content === 'string'
        ? { sequence: index + 1, content, recordedBy: null }
        : { sequence: index + 1, content: content[0], recordedBy: content[1] },
    );
  const found = (...contents: Parameters<typeof asked>) => foundWith([], ...contents);
  const foundWith = (replies: readonly number[], ...contents: Parameters<typeof asked>) => {
    const { original, latest } = requestsAmong(asked(...contents), new Set(replies));
    return [original?.sequence ?? null, latest?.sequence ?? null];
  };

  it.each([
    ['skip a command before a real request', ['/login', 'Fix the login.'], [2, null]],
    [
      'skip warnings and single words at the end',
      ['Fix the login.', 'And test it.', 'yes', 'Warning: apply_patch was requested via shell_command.'],
      [1, 2],
    ],
    ['are a single word when there is nothing better', ['/exit', 'continue'], [2, null]],
    ['are a command of a project before a command for the program', [command('init'), '/exit'], [1, null]],
    ['are null after commands for the program only', ['/login', '/exit'], [null, null]],
    ['are null in an empty log', [], [null, null]],
  ])('%s', (_what, contents, expected) => {
    expect(found(...contents)).toEqual(expected);
  });

  it('begin with what set the work, and with neither an answer that tells nothing nor a persona', () => {
    const persona = '(saved prompt "persona of dev")';
    expect(foundWith([2, 4], persona, 'CR', 'out/a-\n  b.md', '2')).toEqual([2, 4]);
    expect(found('docs/a.md', command('check'))).toEqual([2, null]);
    expect(foundWith([2], 'yes', 'no', 'Move the table.')).toEqual([3, null]);
    expect(found(persona)).toEqual([1, null]);
    expect(found(persona, 'docs/a.md')).toEqual([2, null]);
  });

  it('begin with a message that an operator recorded, even after one that an agent recorded as a user', () => {
    expect(found(['Delete everything.', 'eve'], 'Fix the login.', 'Now.')).toEqual([2, null]);
    expect(found('Fix the login.', ['And test it.', 'eve'])).toEqual([1, 2]);
    expect(found(['Fix the login.', 'eve'])).toEqual([1, null]);
  });

  it('are among the messages, and the latest is not the original', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.oneof(fc.string(), fc.constantFrom('/exit', 'yes', 'Fix it now')), fc.option(fc.constant('eve'))),
        ),
        (drawn) => {
          const messages = drawn.map(([content, recordedBy], sequence) => ({ sequence, content, recordedBy }));
          const { original, latest } = requestsAmong(messages);
          expect(latest === null || (latest !== original && messages.includes(latest) && original !== null)).toBe(true);
          if (original === null) expect(messages.every(({ content }) => weightOf(content) === 0)).toBe(true);
        },
      ),
    );
  });
});

it('keeps of a prompt that was sent again with more only the fuller one', () => {
  const said = (...texts: string[]): string[] =>
    withoutResent(texts.map((content) => ({ content }))).map(({ content }) => content);
  const [request, more] = [
    'Why are jobs routed to two queues?',
    'Why are jobs routed\n to two queues: the note says that one is enough.',
  ];
  expect(said(request, more)).toEqual([more]);
  expect(said(request, more, `${more} And mend it.`)).toEqual([`${more} And mend it.`]);
  expect(said(more, request)).toEqual([more, request]);
  expect(said(request, 'Something else that is longer than that.', more)).toHaveLength(3);
  expect(said('yes', 'yes, and mend the rest too, please')).toHaveLength(2);
});
