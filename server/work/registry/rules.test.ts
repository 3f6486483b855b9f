import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillPrompt, slugOf } from './rules.ts';

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/);
const values = fc
  .uniqueArray(fc.tuple(name, fc.string()), { selector: ([key]) => key })
  .map((entries) => new Map(entries));
const none = new Map<string, string>();
/** A template as the parts that it is made of; text between references has no '$' and ends with a space. */
const parts = fc.array(
  fc.oneof(
    fc.record({ name, braces: fc.boolean() }),
    fc.string().map((text) => `${text.replaceAll('$', '')} `),
  ),
);
type Part = string | { name: string; braces: boolean };
const written = (part: Part): string =>
  typeof part === 'string' ? part : part.braces ? `\${${part.name}}` : `$${part.name} `;
const fill = (template: string, given = none, known = none) => fillPrompt(template, given, known, Infinity)!;

describe('fillPrompt', () => {
  it('replaces every reference by its value, and leaves those without a value as they are', () => {
    fc.assert(
      fc.property(parts, values, values, (template, given, known) => {
        const { text } = fill(template.map(written).join(''), given, known);
        const expected = template.map((part) => {
          if (typeof part === 'string') return part;
          const value = given.get(part.name) ?? known.get(part.name);
          return value === undefined ? written(part) : `${value}${part.braces ? '' : ' '}`;
        });
        expect(text).toBe(expected.join(''));
      }),
    );
  });

  it('names each missing and each unused variable once', () => {
    fc.assert(
      fc.property(parts, values, (template, given) => {
        const { missing, unused } = fill(template.map(written).join(''), given);
        const named = new Set(template.filter((part) => typeof part !== 'string').map((part) => part.name));
        expect(missing).toEqual([...named].filter((each) => !given.has(each)));
        expect(unused).toEqual([...given.keys()].filter((each) => !named.has(each)));
      }),
    );
  });

  it('never searches a value for further names', () => {
    const template = fc.constantFrom('$A', '${A}', '$A$B', '${A}B', '$$A');
    fc.assert(
      fc.property(template, fc.constantFrom('$B', '${B}', '$A', '${A}', '$', '$&', '$1', '${'), (text, value) => {
        const filled = fill(
          text,
          new Map([
            ['A', value],
            ['B', 'inner'],
          ]),
        );
        const before = text.replace(/\$\{A\}|\$A/, '\u{1}').replace('$B', 'inner');
        expect(filled.text).toBe(before.split('\u{1}').join(value));
      }),
    );
  });

  it('leaves prices, commands and lone signs alone', () => {
    const text = 'It costs $5 or ${5}, runs $(date) and ${not-a-name}, and ends with $';
    expect(fill(text)).toEqual({ text, missing: [], unused: [] });
  });

  it('prefers a given value to a known one', () => {
    expect(fill('$AGENT_ID', new Map([['AGENT_ID', 'given']]), new Map([['AGENT_ID', 'known']])).text).toBe('given');
  });

  it('returns null instead of a text over the limit', () => {
    fc.assert(
      fc.property(parts, values, fc.nat(50), (template, given, most) => {
        const text = template.map(written).join('');
        const whole = fill(text, given);
        expect(fillPrompt(text, given, none, most)).toEqual(whole.text.length <= most ? whole : null);
      }),
    );
    expect(fillPrompt('$A'.repeat(16_000), new Map([['A', 'x'.repeat(60_000)]]), none, 250_000)).toBeNull();
  });
});

describe('slugOf', () => {
  it.each([
    ['Security Planner', 'security-planner'],
    ['  ADR   Creator! ', 'adr-creator'],
    ['Élodie (QA)', 'elodie-qa'],
    ['claude_1', 'claude_1'],
    ['C# Expert', 'c-sharp-expert'],
    ['C++ Expert', 'c-plus-plus-expert'],
    ['# 1', '1'],
    ['設計者', ''],
  ])('makes %j into %j', (given, slug) => expect(slugOf(given)).toBe(slug));

  it('keeps a slug as it is', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z0-9]([a-z0-9_-]{0,50}[a-z0-9])?$/),
        (slug) => void expect(slugOf(slug)).toBe(slug.replace(/-+/g, '-')),
      ),
    );
  });
});
