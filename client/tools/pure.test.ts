import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { carryText } from './carry.ts';
import { readToolsView, toToolFilter, writeToolsView } from './filters.ts';
import { looksOf } from './looks.ts';

describe('the filters of the tools', () => {
  it('are in the address, and are read from it again', () => {
    const view = fc.record({
      agent: fc.string(),
      target: fc.string(),
      kind: fc.constantFrom('generated' as const, 'defined' as const, null),
      archived: fc.boolean(),
    });
    fc.assert(
      fc.property(view, (filters) => {
        const address = new URL(writeToolsView(filters), 'http://baton');
        expect(address.pathname).toBe('/tools');
        expect(readToolsView(address.searchParams)).toEqual(filters);
      }),
    );
    expect(writeToolsView({ agent: '', target: '', kind: null, archived: false })).toBe('/tools');
    expect(readToolsView(new URLSearchParams('kind=other&archived=no'))).toEqual({
      agent: '',
      target: '',
      kind: null,
      archived: false,
    });
  });

  it('ask the server only for what is set', () => {
    expect(toToolFilter({ agent: '', target: '', kind: null, archived: false })).toEqual({});
    expect(toToolFilter({ agent: 'a', target: 'b', kind: 'generated', archived: true })).toEqual({
      agentId: 'a',
      targetAgentId: 'b',
      generated: true,
      includeArchived: true,
    });
    expect(toToolFilter({ agent: '', target: '', kind: 'defined', archived: false })).toEqual({ generated: false });
  });
});

it('a tool shows where it comes from, and why it cannot be called', () => {
  const words = (generated: boolean, enabled: boolean, archivedAt: string | null) =>
    looksOf({ generated, enabled, archivedAt }).map(({ word }) => word);
  expect(words(true, true, null)).toEqual(['Generated']);
  expect(words(false, true, null)).toEqual(['Defined']);
  expect(words(false, false, null)).toEqual(['Defined', 'Target is archived']);
  expect(words(true, false, '2026-01-01T00:00:00Z')).toEqual(['Generated', 'Archived']);
});

it('a Carry is told in words', () => {
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
  expect(carryText(carry)).toBe(
    'the newest 5 messages, no tool calls, files, no tasks, decisions, the variable branch',
  );
  expect(
    carryText({ ...carry, lastMessages: 1, files: false, tasks: true, decisions: false, variables: ['a', 'b'] }),
  ).toBe('the newest message, no tool calls, no files, tasks, no decisions, the variables a, b');
  expect(carryText({ ...carry, messages: 'HUMAN', toolCalls: 'SUMMARY', variables: null, maxTokens: 2_000 })).toBe(
    "people's messages, the number of tool calls, files, no tasks, decisions, all variables; at most 2,000 tokens",
  );
  expect(carryText({ ...carry, messages: 'LAST', lastMessages: null, toolCalls: 'ALL', variables: [] })).toBe(
    'the newest messages, tool calls, files, no tasks, decisions, no variables',
  );
});
