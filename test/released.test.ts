import { readFileSync } from 'node:fs';
import { Kind, parse, visit } from 'graphql';
import { describe, expect, it } from 'vitest';
import { sectionOf, unnamedBreaks } from './released.ts';

const read = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const changelog = read('CHANGELOG.md');
const contract = read('schema.graphql');

describe('the contract', () => {
  it('breaks the released one only where CHANGELOG.md says so, in these words below Unreleased and Breaking', () => {
    expect(unnamedBreaks(read('released.graphql'), contract, changelog)).toEqual([]);
  });

  it('names in each deprecation what to use instead and the date from which it may be removed', () => {
    expect(undatedDeprecations(contract)).toEqual([]);
  });
});

const released =
  'type Query { agent(id: ID!): String agents: [String!]! id: ID } enum Color { RED BLUE } union Result = Query';
const log = (text: string): string =>
  `# Changelog\n\n## Unreleased\n\n${text}\n\n## 0.1.0, 2026-01-01\n\n### Breaking\n\n- \`Query.agent\` was removed.\n`;

describe('the check of the released contract', () => {
  it.each([
    ['a removed field', released.replace('agent(id: ID!): String', ''), 'Query.agent was removed.'],
    [
      'a value that became nullable',
      released.replace('[String!]!', '[String!]'),
      'Query.agents changed type from [String!]! to [String!].',
    ],
    ['a removed enum value', released.replace('BLUE', ''), 'BLUE was removed from enum type Color.'],
    [
      'a required argument',
      released.replace('id: ID!', 'id: ID!, type: String!'),
      'A required arg type on Query.agent was added.',
    ],
    ['a removed type', released.replace('enum Color { RED BLUE }', ''), 'Color was removed.'],
  ])('refuses %s until the changelog names it', (_what, current, description) => {
    expect(unnamedBreaks(released, current, log(''))).toEqual([description]);
    expect(unnamedBreaks(released, current, log(`### Added\n\n- ${description}`))).toEqual([description]);
    const named = description
      .replace(/^\S+\.\S+/, '`$&`')
      .replace(/\.$/, ': use another.')
      .replace(' on ', '\n  on ');
    expect(unnamedBreaks(released, current, log(`### Breaking\n\n- ${named}\n\n### Fixed\n\n- Something.`))).toEqual(
      [],
    );
  });

  it('takes additions without a word', () => {
    const more =
      'type Query { agent(id: ID!, type: String): String! agents: [String!]! id: ID more: Int } enum Color { RED BLUE GREEN } type More { x: Int } union Result = Query | More';
    expect(unnamedBreaks(released, more, log(''))).toEqual([]);
  });

  it('refuses a deprecation without an alternative or a date', () => {
    const deprecated = (reason: string): string => `type Query { x(a: Int @deprecated(reason: "${reason}")): Int }`;
    expect(undatedDeprecations(deprecated('Use b. Removed from 2027-06-30 on.'))).toEqual([]);
    for (const reason of ['Use b.', 'Removed from 2027-06-30 on.', 'Use b. Removed from 2027-06-31 on.'])
      expect(undatedDeprecations(deprecated(reason))).toEqual([`a: ${reason}`]);
    expect(undatedDeprecations('type Query { x: Int @deprecated }')).toEqual(['x: No longer supported']);
  });
});

it('CHANGELOG.md has a section for the version of package.json', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(sectionOf(changelog, new RegExp(`^${version.replaceAll('.', '\\.')}, \\d{4}-\\d\\d-\\d\\d\\n`))).toBeDefined();
});

/** The deprecations of a contract without "Use ..." or without a date, each with its reason. */
function undatedDeprecations(sdl: string): string[] {
  const found: string[] = [];
  visit(parse(sdl), {
    Directive: {
      enter(node, _key, _parent, _path, ancestors) {
        if (node.name.value !== 'deprecated') return;
        const [argument] = node.arguments ?? [];
        const reason = argument?.value.kind === Kind.STRING ? argument.value.value : 'No longer supported';
        const [date = ''] = /\d{4}-\d\d-\d\d/.exec(reason) ?? [];
        const owner = ancestors.at(-1);
        const name = owner !== undefined && 'name' in owner && owner.name !== undefined ? owner.name.value : '';
        if (!/^Use /.test(reason) || !isDate(date)) found.push(`${name}: ${reason}`);
      },
    },
  });
  return found;
}

const isDate = (text: string): boolean =>
  !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text);
