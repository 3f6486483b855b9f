import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownWords } from './ownWords.ts';
import { weightOf } from './requests.ts';
import { savedPromptIn } from './savedPrompt.ts';

const issue = (words: string): string => `# Fix an issue

Work through the issue below from start to end.

## Issue

${words}

## Steps

1. Read the issue.
2. Write a failing test first. DO NOT change unrelated code.
3. Ask the user for approval before the commit.
`;
const release = (words: string): string => `Prepare a release of the current branch.

## Workflow

1. Determine the next version from the commits since the last tag, by their subjects.
2. Update CHANGELOG.md. NEVER push tags.

If no version is given in the arguments, determine it.

${words}`;
const expert = (words: string): string => `# Security audit

You are a security expert specializing in web applications.

## Context
The user needs a list of weaknesses.

## Requirements
${words}

## Instructions

Look at every handler, and tell of each weakness where it is and how bad it is.
`;
const plan = (words: string): string =>
  `---\ndescription: Draft a plan\nargument-hint: [feature]\n---\n\n# Plan a feature\n\nThe user wants: ${words}\n\nThink step by step.\n`;
const specify = (words: string): string =>
  `\n## User Input\n\n\`\`\`text\n${words}\n\`\`\`\n\nYou **MUST** consider the user input before proceeding (if not empty).\n\n## Outline\n\n1. **Setup**: Run \`setup.sh --json\` and parse it. Then go on.\n`;
const change = (words: string): string =>
  `${words}\n<!-- OPENSPEC:START -->\n**Guardrails**\n- Favor straightforward changes.\n<!-- OPENSPEC:END -->`;
const element = (words: string): string =>
  `# Ask\n\nAnswer the question of the user.\n\n<user_request>\n${words}\n</user_request>\n\n## Rules\n\nIf the question is unclear, ask the user. You MUST name the files that you read, each with its line and with a word of why it was needed.`;

describe('what a person sent by a saved prompt that a project defines', () => {
  it.each([
    ['at a heading for it', 'Fix an issue', issue],
    ['at the end, where OpenCode adds it', 'Prepare a release of the current branch', release],
    ['among requirements', 'Security audit', expert],
    ['behind a label, below the head of a file', 'Plan a feature', plan],
    ['in a block of code', 'Setup: Run setup.sh --json and parse it', specify],
    ['before a managed block', 'Guardrails', change],
    ['in an element', 'Ask', element],
  ])('is its title and the words %s', (_where, title, prompt) => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9][a-z0-9 ,]{0,60}[a-z0-9]$/), (words) => {
        expect(savedPromptIn(prompt(words))).toEqual({ title, words: words.trim() });
        expect(ownWords(prompt(words))).toBe(`(saved prompt "${title}") ${words}`);
        expect(ownWords(ownWords(prompt(words)))).toBe(ownWords(prompt(words)));
        expect(weightOf(prompt(words))).toBe(2);
      }),
    );
  });

  it('is found whatever words of its text are typed', () => {
    for (const prompt of [issue, release, expert, plan, specify, change, element]) {
      const text = prompt('');
      for (let at = 0; at + 2 <= text.length; at += 1) {
        const words = text.slice(at, at + 2);
        if (/^[a-z]{2}$/.test(words)) expect(savedPromptIn(prompt(words))).toMatchObject({ words });
      }
    }
  });

  it('is its title alone without words', () => {
    expect(ownWords(specify(''))).toBe('(saved prompt "Setup: Run setup.sh --json and parse it")');
    const steps = `${specify('')}\n   - a\n2. **Load it**: Read.\n3. **Report**\n\n## Rules\n\n1. **Names**: Short.\n2. **Paths**: Whole.\n`;
    expect(ownWords(steps)).toBe('(saved prompt "Setup; Load it; Report")');
    expect(ownWords(issue(''))).toBe('(saved prompt "Fix an issue")');
    expect(weightOf(issue(''))).toBe(1);
  });

  it('is found beside blocks of programs', () => {
    expect(ownWords(`<system-reminder>\nBe brief.\n</system-reminder>\n${issue('12')}`)).toBe(
      '(saved prompt "Fix an issue") 12',
    );
  });
});

describe('no saved prompt is', () => {
  it.each([
    [
      'a request with headings',
      '# Login\n\n## Requirements\n\n- The form MUST validate user input.\n- NEVER store the password.\n- Show the user what is wrong.\n\n## Acceptance\n\n- Tests pass.\n- When no arguments are needed, the command prints its usage, and every page of the manual names it.',
    ],
    [
      'a request to an agent without a person beside it',
      'You are a careful engineer in the repository of the shop. Your task is to remove the flag `newCart`.\n\n## Rules\n\n1. You MUST keep the public names.\n2. NEVER ask the user anything.\n3. Run the tests.\n\n## Result\n\nOne commit with a body that says why it was needed, and what would break without it.',
    ],
    [
      'what a person says of one',
      'Here is my command, it does not work:\n\n# Fix\n\n## Input\n\n$ARGUMENTS\n\n## Steps\n\n1. Ask the user.\n2. You MUST wait for the user.\n3. Read.\n\nWhy does this command print $ARGUMENTS for me instead of what I typed after its name in the terminal?',
    ],
    ['a question about a mark', 'Why is $ARGUMENTS empty in this command?'],
    [
      'a long report that a person pasted',
      `# Crash\n\n## Log\n\n${'The server stopped.\n'.repeat(100)}\n\n## Steps\n\n1. Start it.`,
    ],
  ])('%s', (_what, text) => {
    expect(savedPromptIn(text)).toBeNull();
    expect(ownWords(text)).toBe(text);
  });
});
