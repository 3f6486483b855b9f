import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillPrompt } from '../../../server/work/registry/rules.ts';
import { marked } from './marked.ts';
import { waysIn, waysOut } from './ways.ts';

describe('the marks in a prompt', () => {
  it('keep every character, and before values are filled in mark exactly the variables that the server calls missing', () => {
    const piece = fc.constantFrom('$A', '${A}', '$AB', '${AB}', '$', '{A}', ' and ', '\n', '$a.b', '€');
    fc.assert(
      fc.property(fc.array(piece), fc.boolean(), (pieces, known) => {
        const { text, missing } = fillPrompt(
          pieces.join(''),
          new Map(known ? [['AB', 'value']] : []),
          new Map(),
          10_000,
        )!;
        const parts = marked(text, missing);
        expect(parts.map((part) => part.text).join('')).toBe(text);
        // A value may join the name before it.
        if (known) return;
        const names = parts.filter(({ isMissing }) => isMissing).map((part) => part.text.replace(/[${}]/g, ''));
        expect([...new Set(names)].sort()).toEqual([...missing].sort());
      }),
    );
  });
});

describe('the ways to and from an agent', () => {
  const tool = (name: string, generated: boolean) => ({
    id: `tool_${name}`,
    name,
    description: `Describes ${name}`,
    generated,
  });

  it('name each agent once, with the words of the collaboration or the description of a defined tool', () => {
    const out = waysOut(
      [
        { ...tool('ask', false), targetAgent: { id: 'reviewer-1' } },
        { ...tool('transfer_to_codex-1', true), targetAgent: { id: 'codex-1' } },
        { ...tool('transfer_to_reviewer-1', true), targetAgent: { id: 'reviewer-1' } },
      ],
      [
        { agent: { id: 'reviewer-1' }, when: 'It is done.' },
        { agent: { id: 'codex-1' }, when: null },
      ],
    );
    expect(out.map(({ agent, tools }) => [agent.id, tools.map(({ name, when }) => [name, when])])).toEqual([
      ['codex-1', [['transfer_to_codex-1', null]]],
      [
        'reviewer-1',
        [
          ['ask', 'Describes ask'],
          ['transfer_to_reviewer-1', 'It is done.'],
        ],
      ],
    ]);
  });

  it('say what each tool passes on', () => {
    const carry = {
      __typename: 'Carry' as const,
      messages: 'LAST' as const,
      lastMessages: 5,
      toolCalls: 'NONE' as const,
      files: true,
      tasks: false,
      decisions: true,
      variables: ['branch'],
      maxTokens: null,
    };
    const out = waysOut(
      [
        { ...tool('ask', false), carry, targetAgent: { id: 'b' } },
        { ...tool('transfer_to_b', true), targetAgent: { id: 'b' } },
      ],
      [],
    );
    expect(out.flatMap(({ tools }) => tools.map((each) => each.carry))).toEqual([carry, null]);
    const ways = waysIn([{ ...tool('transfer_to_b', true), carry, agents: [{ id: 'a' }] }], [], 'b');
    expect(ways[0]!.tools[0]!.carry).toBe(carry);
  });

  it('take the moment of each way in from the agent that may hand off', () => {
    const ways = waysIn(
      [
        { ...tool('ask', false), agents: [{ id: 'b' }, { id: 'a' }] },
        { ...tool('transfer_to_c', true), agents: [{ id: 'a' }] },
      ],
      [
        {
          id: 'a',
          collaborations: [
            { agent: { id: 'b' }, when: 'Not this one.' },
            { agent: { id: 'c' }, when: 'This one.' },
          ],
        },
      ],
      'c',
    );
    expect(ways.map(({ agent, tools }) => [agent.id, tools.map(({ when }) => when)])).toEqual([
      ['a', ['Describes ask', 'This one.']],
      ['b', ['Describes ask']],
    ]);
  });
});
