import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apart, ownWords } from './ownWords.ts';

const command = '<command-message>ship is running…</command-message>\n<command-name>ship</command-name>';

describe('the words of a person', () => {
  it.each([
    ['a reminder beside a request', '<system-reminder>\nBe brief.\n</system-reminder>\nFix it.', 'Fix it.'],
    ['a request before what a hook added', 'Fix it.\n<hook_context>main is red</hook_context>', 'Fix it.'],
    ['an opened file', '<ide_opened_file>a.ts</ide_opened_file>\nFix it.', 'Fix it.'],
    ['files that the program appended', 'Fix @a.ts\n--- Content from referenced files ---\nconst a = 1;', 'Fix @a.ts'],
    ['a slash command', `${command}\n<command-args>to the beach</command-args>`, '/ship to the beach'],
    ['a slash command without arguments', command, '/ship'],
    [
      'a saved prompt',
      '## User Input\n\n```text\nuse red\n```\n\nYou **MUST** consider it.\n',
      '(saved prompt "You MUST consider it") use red',
    ],
    [
      'an element without an end beside others',
      '<ide_selection>\n<hook_context>x</hook_context>\n<ide_selection>x</ide_selection>\nFix it.',
      'Fix it.',
    ],
    ['a slash command before its name again', '<command-name> a </command-name><command-name>b</command-name>', '/a'],
    ['markup that a person asks about', 'Why is <my-tag>this</my-tag> empty?', 'Why is <my-tag>this</my-tag> empty?'],
    ['markup of one word', '<div>\nWhy?\n</div>', '<div>\nWhy?\n</div>'],
    ['a mention of a notice', 'It says "[Request interrupted by user]"', 'It says "[Request interrupted by user]"'],
  ])('are found in %s', (_what, text, words) => {
    expect(ownWords(text)).toBe(words);
  });

  const review = (words: string): string =>
    `You are a code reviewer. Your job is to review code changes and provide actionable feedback.\n\n---\n\nInput: ${words}\n\n---\n\n## Determining What to Review\n\n1. **No arguments**: ---`;
  const init = (words: string): string =>
    `Create or update \`AGENTS.md\` for this repository.\n\nThe goal is a compact instruction file that helps.\n\nUser-provided focus or constraints (honor these):\n${words}\n\n## How to investigate\n\nRead first:`;
  const earlierInit = (words: string): string =>
    `Please analyze this codebase and create an AGENTS.md file containing:\n1. Build/lint/test commands - especially\n\nIf there's already an AGENTS.md, improve it if it's located in /shop\n\n${words}`;
  const skill = (words: string): string =>
    `# Release\n\nDo it.\n\nBase directory for this skill: /shop/.opencode/skill/release\nRelative paths in this skill (e.g., scripts/, references/) are relative to this base directory.${words === '' ? '' : `\n\n${words}`}`;

  it.each([
    ['/review', review],
    ['/init', init],
    ['/init', earlierInit],
    ['/release', skill],
  ])('are the command %s in the prompt that OpenCode writes for it', (command, prompt) => {
    expect(ownWords(prompt(''))).toBe(command);
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z][a-z0-9 .,\n]{0,60}[a-z]$/), (words) => {
        fc.pre(!words.includes('\n\n'));
        expect(ownWords(prompt(words))).toBe(`${command} ${words}`);
      }),
    );
  });

  it.each([
    [
      'Codex',
      '/init',
      'Generate a file named AGENTS.md that serves as a contributor guide for this repository.\nYour goal is to produce a clear, concise, and well-structured document',
    ],
    [
      'Gemini CLI',
      '/init',
      '\nYou are an AI agent that brings the power of Gemini directly into the terminal. Your task is to analyze the current directory and generate a comprehensive GEMINI.md file',
    ],
    [
      'Claude Code',
      '/review 12',
      '\n      You are an expert code reviewer. Follow these steps:\n\n      1. Look.\n\n      PR number: 12\n    ',
    ],
  ])('are the command in the prompt that %s writes for it', (_program, command, prompt) => {
    expect(ownWords(prompt)).toBe(command);
  });

  it('stay when a person mentions such a prompt', () => {
    const mention = 'Why does it say "You are a code reviewer. Your job is to review code changes"?';
    expect(ownWords(mention)).toBe(mention);
  });

  it.each([
    ['an environment', '<environment_context>\n  <cwd>/x</cwd>\n</environment_context>'],
    ['an environment that was cut', '<environment_context>\n  <cwd>/x'],
    ['an element that no list names', '<some_future_context version="2">\nstate\n</some_future_context>'],
    ['instructions of a repository', '# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>'],
    ['a skill', 'Base directory for this skill: /x\n\n# Skill'],
    ['the setting of a chat', 'This is the Gemini CLI. We are setting up the context for our chat.\nToday is Monday.'],
    ['feedback of a hook', 'Stop hook feedback:\n- [check.sh]: not yet'],
    ['an interruption', '[Request interrupted by user for tool use]'],
    [
      'the prompt of `baton watch`',
      'You are agent bob of Baton. You took session session_1 over by handoff handoff_1.\n\nGo.',
    ],
    ['a briefing', 'You work as agent bob. Baton records this work in the session session_1: "x".'],
    ['the text of a handoff', '# Handoff from ada to bob\n\nYou take this work over. Text between fences was recorded'],
  ])('are not in %s', (_what, text) => {
    expect(ownWords(text)).toBe('');
  });

  it('stay whole beside any blocks of programs', () => {
    const blocks = fc.constantFrom('system-reminder', 'hook_context', 'ide_selection', 'environment_context');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(blocks, fc.stringMatching(/^[a-z \n]{0,40}$/))),
        fc.stringMatching(/^[a-z][a-z ,.?]{0,60}[a-z.]$/),
        fc.nat(),
        (added, words, place) => {
          const texts = added.map(([name, text]) => `<${name}>${text}</${name}>`);
          texts.splice(place % (texts.length + 1), 0, words);
          expect(ownWords(texts.join('\n'))).toBe(words);
          expect(apart(texts)).toEqual({ own: [words], program: texts.filter((text) => text !== words) });
        },
      ),
    );
  });
});

it('a saved prompt that makes the agent somebody is named by its file', () => {
  const prompt = (file: string): string =>
    `You must fully embody this agent's persona and follow all activation instructions exactly as specified.\n\n<agent-activation CRITICAL="TRUE">\n1. LOAD the FULL agent file from @${file}\n2. READ its entire contents\n</agent-activation>`;
  expect(ownWords(prompt('bmad/bmm/agents/dev.md'))).toBe('(saved prompt "persona of dev")');
  expect(ownWords(prompt('_bmad/core/agents/bmad-master.md'))).toBe('(saved prompt "persona of bmad-master")');
  expect(ownWords("You must fully embody this agent's persona.")).toBe('(saved prompt "persona of an agent")');
  expect(ownWords('Please embody the persona of a pirate.')).toBe('Please embody the persona of a pirate.');
});

it('the prompt of a program that has a conversation summarised is named', () => {
  const prompt =
    "Your task is to create a detailed summary of the conversation so far, paying close attention to the user's explicit requests.\n\n1. ...";
  expect(ownWords(prompt)).toBe('(saved prompt "summarise the conversation so far")');
});
