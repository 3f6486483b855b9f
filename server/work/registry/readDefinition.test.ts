import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { realDataFolder } from '../../../test/realData.ts';
import type { Definition, Problem } from './definition.ts';
import { readDefinition } from './readDefinition.ts';

const lines = (...all: string[]): string => all.join('\n');
const read = (content: string, path = 'agents/some-file.md') => readDefinition({ path, content });

function definitionOf(content: string, path?: string): Definition {
  const { definition, problems } = read(content, path);
  expect(problems).toEqual([]);
  return definition!;
}

/** "line severity message. suggestion" of each problem. */
const problemsOf = (content: string): string[] => read(content).problems.map(asText);
const asText = ({ line, severity, message, suggestion }: Problem): string =>
  `${line ?? '-'} ${severity} ${message}${suggestion === null ? '' : `: ${suggestion}`}`;

describe('a definition of Claude Code', () => {
  it('gives name, description, model, tools and instructions', () => {
    const content = lines(
      '---',
      'name: code-reviewer',
      'description: "Reviews code."',
      'tools: Read, Grep, Bash',
      'model: opus',
      'color: blue',
      '---',
      '',
      'You review.',
      '',
    );
    expect(definitionOf(content)).toMatchObject({
      slug: 'code-reviewer',
      name: 'code-reviewer',
      type: undefined,
      description: 'Reviews code.',
      models: ['opus'],
      tools: ['Read', 'Grep', 'Bash'],
      instructions: 'You review.',
      collaborations: undefined,
    });
  });

  it('gives the context window, or refuses what is no number of tokens', () => {
    const file = (value: string): string => lines('---', 'name: a', `contextWindow: ${value}`, '---', 'x');
    expect([definitionOf(file('200000')).contextWindow, definitionOf(file('')).contextWindow]).toEqual([
      200_000,
      undefined,
    ]);
    for (const [value, shown] of [
      ['0', '0'],
      ['large', 'large'],
      ['200k', '200k'],
      ['12,34', '12,34'],
      ['3000000000', '3000000000'],
      ['[1]', ''],
    ] as const) {
      expect(problemsOf(file(value))).toEqual([
        `3 ERROR The context window '${shown}' is not a number of tokens from 1 to 2147483647: give a number such as 200000`,
      ]);
    }
  });

  it('is read with a description that is not valid YAML, with a warning', () => {
    const { definition, problems } = read(
      lines('---', 'name: qa', 'description: Use it. Example: "check" # now', 'model: haiku', '---', 'Check.'),
    );
    expect(definition).toMatchObject({ name: 'qa', description: 'Use it. Example: "check" # now', models: ['haiku'] });
    expect(problems.map(asText)).toEqual([
      "3 WARNING The value of 'description' is not valid YAML; its line was read as plain text: put it in quotes",
    ]);
  });
});

describe('a definition of VS Code', () => {
  const file = lines(
    '---',
    "description: 'Plans the work'",
    "model: ['Model A', 'Model B']",
    'agents:',
    '  - Researcher',
    'handoffs:',
    '  - label: Start to build',
    '    agent: Builder',
    '    prompt: Build the plan.',
    '    send: false',
    '---',
    '# Planner',
  );

  it('gives a collaboration for each agent and handoff, with label and prompt', () => {
    expect(definitionOf(file, '.github/agents/Work Planner.agent.md')).toMatchObject({
      slug: 'work-planner',
      name: 'Work Planner',
      models: ['Model A', 'Model B'],
      collaborations: [
        { name: 'Researcher', line: 5, when: null, instructions: null },
        { name: 'Builder', line: 8, when: 'Start to build', instructions: 'Build the plan.' },
      ],
    });
  });

  it("warns of '*', which names no agent", () => {
    expect(problemsOf(lines('---', 'name: a', "agents: ['*']", '---', 'x'))).toEqual([
      "3 WARNING 'agents' is '*', which grants no handoffs: name each agent",
    ]);
  });

  it('refuses a handoff without an agent, with its line', () => {
    expect(problemsOf(lines('---', 'name: a', 'handoffs:', '  - label: Next', '---', 'x'))).toEqual([
      "4 ERROR An entry of 'handoffs' names no agent: add 'agent: <name>'",
    ]);
  });

  it('reads no handoffs from an example in the text', () => {
    const content = lines(
      '---',
      'name: foundry',
      '---',
      '```yaml',
      '---',
      'handoffs:',
      '  - label: Next',
      '    agent: target',
      '---',
      '```',
      '```',
      '## Collaborations',
      '- Nobody',
      '```',
    );
    expect(definitionOf(content).collaborations).toBeUndefined();
  });
});

describe('plain Markdown', () => {
  it('gives title, first paragraph, labels and a line of collaborations', () => {
    const content = lines(
      '# The Analyst',
      '',
      'Reads figures.',
      '',
      '**Type**: claude',
      '**Role:** analyst',
      '- **Model**: opus',
      '',
      '**Collaborations**: Name (what for, or not), Other Name (what for)',
    );
    expect(definitionOf(content)).toMatchObject({
      slug: 'the-analyst',
      type: 'CLAUDE',
      role: 'analyst',
      description: 'Reads figures.',
      collaborations: [
        { name: 'Name', line: 9, when: 'what for, or not' },
        { name: 'Other Name', line: 9, when: 'what for' },
      ],
    });
  });

  it.each([
    ['**Context window**: 200,000', 200_000],
    ['**Context Window:** 1_000_000', 1_000_000],
    ['- Context window: 8192', 8_192],
  ])('reads %j as a number of tokens', (line, tokens) => {
    expect(definitionOf(lines('# A', '', line)).contextWindow).toBe(tokens);
  });

  it.each([
    ['- **Reviewer**: when the code is done', 'Reviewer', 'when the code is done'],
    ['- **Reviewer:** when the code is done', 'Reviewer', 'when the code is done'],
    ['* `reviewer-1` - when done', 'reviewer-1', 'when done'],
    ['1. [Reviewer](reviewer.md) (when done)', 'Reviewer', 'when done'],
    ['- @reviewer', 'reviewer', null],
    ['- Reviewer — when done, and tested', 'Reviewer', 'when done, and tested'],
    ['- Reviewer (when done)', 'Reviewer', 'when done'],
    ['- code-reviewer: when done', 'code-reviewer', 'when done'],
    ['| Agent | When |\n|---|---|\n| Reviewer | when done |', 'Reviewer', 'when done'],
    ['Reviewer (when done), Reviewer', 'Reviewer', 'when done'],
  ])('reads %j in a section Collaborations', (line, name, when) => {
    const [first] = definitionOf(
      lines('# A', '', '## Collaborations', '', line, '', '## More', '- nobody'),
    ).collaborations!;
    expect(first).toMatchObject({ name, when });
  });

  it.each([
    '## Collaborates with',
    '### Collaborates With:',
    '## Collaborate with',
    '## Collaborators',
    '## Collaboration',
    '## Hands off to',
    'Collaborates with:',
    '## 🤝 Collaborates with',
    '## Collaborates  with ##',
    '## collaborates_with',
    '## Collaborates-with',
    '## Collaboration with',
    '## 3. Hands off to',
  ])('reads a list below %j', (title) => {
    const content = lines('# A', '', title, '', '- Reviewer: when the code is done');
    expect(definitionOf(content).collaborations).toMatchObject([{ name: 'Reviewer', when: 'when the code is done' }]);
  });

  it.each([
    'collaborates-with',
    'collaborates_with',
    'collaborators',
    'collaborates with',
    'handsOffTo',
    'Collaborates-With',
  ])('reads %s in the front matter', (key) => {
    const content = lines('---', 'name: a', `${key}: [reviewer]`, '---', 'You help.');
    expect(definitionOf(content).collaborations).toMatchObject([{ name: 'reviewer' }]);
  });

  it('reads a line "Collaborates with: ..."', () => {
    expect(definitionOf(lines('# A', '', '**Collaborates with**: Reviewer (when done)')).collaborations).toMatchObject([
      { name: 'Reviewer', when: 'when done' },
    ]);
  });

  it('reads only the list when a section has sentences too, and nothing after the section', () => {
    const content = lines(
      '# A',
      '## Collaborations',
      'These agents go on:',
      '- B',
      '  - a detail',
      'Be kind, always.',
      '## Duties',
      '- C',
    );
    expect(definitionOf(content).collaborations!.map(({ name }) => name)).toEqual(['B']);
  });

  it('reads the list below a line "Collaborations:", and only that', () => {
    const content = lines('You help.', '', 'Collaborations:', '- B: for b', '', 'Duties:', '- C');
    expect(definitionOf(content, 'x/helper.md')).toMatchObject({
      slug: 'helper',
      collaborations: [{ name: 'B', when: 'for b', line: 4 }],
    });
  });

  it('takes an empty section, or "None", for no collaborations', () => {
    expect(definitionOf(lines('# A', '## Collaborations', '', 'None.')).collaborations).toEqual([]);
    expect(definitionOf(lines('# A', '## Collaborations')).collaborations).toEqual([]);
  });

  it('takes nothing from a list of other agents in prose, and says so', () => {
    expect(problemsOf(lines('# A', '', 'Integration with other agents:', '- Work with b'))).toEqual([
      "4 WARNING A list of other agents in prose grants no handoffs: add a section 'Collaborations' with lines such as '- Reviewer: when the code is done'",
    ]);
  });

  it('counts the same lines with Windows line ends and a byte order mark', () => {
    expect(definitionOf('\u{feff}---\r\nname: a\r\n---\r\n## Collaborations\r\n- B\r\n').collaborations).toMatchObject([
      { name: 'B', line: 5 },
    ]);
  });

  it('redacts secrets, and keeps the hash of the file', () => {
    const { instructions, contentHash } = definitionOf('# A\n\nUse ghp_abcdefghijklmnopqrstuvwxyz0123456789 to push.');
    expect(instructions).toBe('# A\n\nUse [redacted: github token] to push.');
    expect(contentHash).toMatch(/^[0-9a-f]{64}$/);
  });
});

const front = (...all: string[]): string => lines('---', ...all, '---', 'Text.');

describe('what cannot be imported', () => {
  it.each([
    ['an empty file', ' \n', '- ERROR The file is empty: describe the agent'],
    [
      'a file over 1 MB',
      'x'.repeat(1024 * 1024 + 1),
      '- ERROR The file has 1048577 bytes; the limit is 1048576: shorten it',
    ],
    ['NUL', 'one\ntwo\0', '2 ERROR The file contains NUL (U+0000): save it as UTF-8 text'],
    ['half a character', 'one \uD83D', '- ERROR The file contains an unpaired surrogate: save it as UTF-8 text'],
    ['front matter without an end', '---\nname: a\n', "1 ERROR The front matter has no end: end it with a line '---'"],
    [
      'front matter that is no block of names',
      front('- a'),
      "2 ERROR The front matter does not consist of names and values: write lines such as 'name: reviewer'",
    ],
    [
      'broken YAML',
      front('name: a', 'tools: [a, b'),
      /^[34] ERROR The front matter is not valid YAML: .+: put values that hold special characters in quotes$/,
    ],
    ['a name given twice', front('name: a', 'name: b'), "3 ERROR The front matter gives 'name' twice: leave one out"],
    [
      'an anchor',
      front('name: a', 'tools: &all [Read]'),
      '3 ERROR The front matter has an anchor or an alias, which are not read: write the value out',
    ],
    [
      'a YAML bomb',
      front(
        'a: &a [x,x,x,x,x,x,x,x,x]',
        ...'bcdefghi'
          .split('')
          .map((name, n) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[n]!}`).join(',')}]`),
      ),
      '2 ERROR The front matter has an anchor or an alias, which are not read: write the value out',
    ],
    ['deep lists', front(`a: ${'['.repeat(15_000)}`), '2 ERROR The front matter is nested too deeply: flatten it'],
    [
      'deep blocks',
      front(...Array.from({ length: 20 }, (_, level) => `${' '.repeat(level)}a:`)),
      /ERROR The front matter is nested more than 8 levels deep: flatten it$/,
    ],
    [
      'front matter over 32 KB',
      front(`description: ${'x'.repeat(33_000)}`),
      '1 ERROR The front matter has 33013 bytes; the limit is 32768: shorten it',
    ],
    [
      'instructions over 32 KB',
      'x'.repeat(33_000),
      '1 ERROR The instructions have 33000 bytes; the limit is 32768: shorten them',
    ],
    [
      'deep quotations',
      `# A\n${'>'.repeat(30_000)}`,
      '1 ERROR The text is nested too deeply: flatten its lists and quotations',
    ],
    [
      'a control character in the name',
      front('name: "re\\u0007viewer"'),
      "2 ERROR 'name' contains a control character: remove it",
    ],
    [
      'a name that turns the text around',
      front('name: "abc\\u202egnp"'),
      "2 ERROR 'name' contains a control character: remove it",
    ],
    [
      'a control character in a collaboration',
      front('name: a', 'agents: ["b\\e[31m"]'),
      "3 ERROR 'name' contains a control character: remove it",
    ],
    [
      'a name without letters',
      front('name: 設計者'),
      "2 ERROR The name '設計者' has no letter from a to z and no digit, so it gives no id: give a name such as 'Reviewer'",
    ],
    [
      'a name that is too long for an id',
      front(`name: ${'a'.repeat(53)}`),
      /^2 ERROR The name 'a+' gives the id 'a+', which is not allowed: an id has 1 to 52 characters: shorten the name$/,
    ],
    ['a list as name', front('name: [a, b]'), "2 ERROR 'name' is a list: give a text"],
    [
      'a type with a hyphen',
      front('name: a', 'type: claude-code'),
      "3 ERROR The type 'claude-code' is not allowed: give a letter, then letters, digits and '_', such as 'CLAUDE'",
    ],
    [
      'a long description',
      front('name: a', `description: ${'x'.repeat(4_097)}`),
      "3 ERROR 'description' has 4097 bytes; the limit is 4096: shorten it",
    ],
    [
      'a long condition',
      lines('# A', '## Collaborations', `- B: ${'x'.repeat(1_025)}`),
      "3 ERROR 'when' has 1025 bytes; the limit is 1024: shorten it",
    ],
  ])('%s', (_what, content, expected) => {
    const { definition, problems } = read(content);
    expect(definition).toBeNull();
    expect(problems.filter(({ severity }) => severity === 'ERROR').map(asText)).toEqual([
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    ]);
  });

  it('10,000 collaborations', () => {
    const content = lines('# A', '## Collaborations', ...Array.from({ length: 10_000 }, (_, n) => `- ${n}`));
    expect(Buffer.byteLength(content)).toBeGreaterThan(32 * 1024);
    expect(problemsOf(content)).toEqual([expect.stringMatching(/^1 ERROR The instructions have \d+ bytes/)]);
    expect(problemsOf(front('name: a', `agents: [${Array.from({ length: 6_000 }, (_, n) => n).join(',')}]`))).toEqual([
      expect.stringMatching(/^3 ERROR 6000 collaborations are listed; an agent may have 200: list fewer$/),
    ]);
  });

  it('never throws, whatever the text is', () => {
    const piece = fc.constantFrom(
      '---\n',
      '\n',
      '  ',
      '- ',
      ': ',
      'name',
      'agents',
      'handoffs',
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      '|',
      '>',
      '#',
      '*',
      '**',
      '`',
      '```\n',
      '(',
      ')',
      '&a ',
      '*a',
      '!!x ',
      '## Collaborations\n',
      '\t',
      '|---|\n',
      '<!--',
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 60 }),
        (pieces) => {
          const { definition, problems } = read(pieces.join(''));
          expect(definition === null).toBe(problems.some(({ severity }) => severity === 'ERROR'));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe.runIf(realDataFolder !== undefined)('definitions as their authors wrote them', () => {
  it.each([
    ['claude-codemie-qa-lead.md', { slug: 'qa-lead', models: ['haiku'], tools: ['Bash', 'Read'] }, null, [3]],
    ['claude-entire-dev.md', { slug: 'dev', models: ['opus'] }, null, []],
    ['claude-volt-backend-developer.md', { slug: 'backend-developer', models: ['sonnet'] }, null, [213]],
    ['claude-volt-multi-agent-coordinator.md', { slug: 'multi-agent-coordinator', models: ['inherit'] }, null, [60]],
    ['claude-wsh-team-lead.md', { slug: 'team-lead', models: ['fable'] }, null, []],
    [
      'vscode-awesome-custom-agent-foundry.agent.md',
      { slug: 'custom-agent-foundry', models: ['Claude Sonnet 4.5'] },
      null,
      [],
    ],
    [
      'vscode-hve-adr-creation.agent.md',
      { slug: 'adr-creator', models: [] },
      ['RPI Agent', 'RAI Planner', 'Security Planner'],
      [],
    ],
    [
      'vscode-hve-backlog-manager.agent.md',
      { slug: 'backlog-manager' },
      [
        'ADO Backlog Executor',
        'GitHub Backlog Executor',
        'Jira Backlog Executor',
        ...Array<string>(8).fill('Backlog Manager'),
        'Functional Planner',
      ],
      [],
    ],
  ])('%s', async (file, expected, collaborators, warnings) => {
    const { definition, problems } = read(await readFile(join(realDataFolder!, 'agents', file), 'utf8'), file);
    expect(definition).toMatchObject(expected);
    expect(definition!.collaborations?.map(({ name }) => name).slice(0, 12) ?? null).toEqual(collaborators);
    expect(problems.map(({ severity, line }) => [severity, line])).toEqual(warnings.map((line) => ['WARNING', line]));
    expect(definition!.instructions!.length).toBeGreaterThan(3_000);
  });
});
