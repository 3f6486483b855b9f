import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byUser, someSources } from '../../../test/contexts.ts';
import { buildContext } from './build.ts';
import { asCarry, type Carry, carriedContext, carryOf } from './carry.ts';
import type { Sources } from './sources.ts';

const variables = { city: { value: 'VARIABLE city', setBy: 'ada' }, plan: { value: 'VARIABLE plan', setBy: 'ada' } };
const input = { summary: null, variables, instructions: 'Be kind.', passage: { to: 'bob' } };

/** A log in which every part has its own mark. */
const log = (messages: number): Sources => {
  const said = Array.from({ length: messages }, (_, index) => index + 1);
  const recent = said
    .filter((n) => n % 2 === 0)
    .map((sequence) => ({
      sequence,
      role: 'ASSISTANT' as const,
      content: `AGENT ${sequence}: shall I go on with it?`,
    }));
  const byUsers = said
    .filter((n) => n % 2 === 1)
    .map((sequence) => byUser(sequence, `HUMAN ${sequence} wants it done`));
  const last = recent.at(-1);
  return someSources({
    recent,
    byUsers,
    lastAssistant: last === undefined ? null : { ...last, shortened: false, agentId: 'ada' },
    files: ['FILE a', 'FILE b'],
    tasks: [{ content: 'TASK one', status: 'PENDING' }],
    decisions: ['DECISION one', 'DECISION two'],
    tools: [{ name: 'USED', calls: 3, errors: 1, lastResult: 'CALL result', lastCallId: 'c' }],
    lastCalls: [
      {
        id: 'c',
        name: 'USED',
        arguments: '{"x": "CALL argument"}',
        outcome: 'CALL outcome',
        outcomeShortened: false,
        failed: false,
      },
    ],
    calls: [
      {
        callId: 'c',
        turn: 1,
        sequence: 1,
        name: 'Bash',
        arguments: { command: 'npm test CALL command' },
        result: null,
        error: 'CALL error',
        filesModified: ['FILE a'],
      },
    ],
    totals: {
      messages,
      userMessages: byUsers.length,
      decisions: 2,
      files: 2,
      tools: 1,
      calls: 1,
      lastCalls: 1,
      unansweredCalls: 0,
    },
  });
};

const anyCarry: fc.Arbitrary<Carry> = fc.record({
  messages: fc.constantFrom('ALL', 'LAST', 'HUMAN', 'NONE'),
  lastMessages: fc.option(fc.integer({ min: 1, max: 40 })),
  toolCalls: fc.constantFrom('ALL', 'SUMMARY', 'NONE'),
  files: fc.boolean(),
  tasks: fc.boolean(),
  decisions: fc.boolean(),
  variables: fc.option(fc.subarray(['city', 'plan', 'unknown'])),
  maxTokens: fc.option(fc.integer({ min: 200, max: 3_000 })),
});

describe('a Context with a Carry', () => {
  it('holds nothing that the Carry withholds, in any part', () => {
    fc.assert(
      fc.property(anyCarry, fc.nat(30), (carry, messages) => {
        const text = JSON.stringify(carriedContext(log(messages), input, carry));
        const has = (mark: string): boolean => text.includes(mark);
        if (carry.messages === 'NONE') expect(has('HUMAN ')).toBe(false);
        if (carry.messages === 'NONE' || carry.messages === 'HUMAN') expect(has('AGENT ')).toBe(false);
        if (carry.messages === 'LAST') {
          const oldest = messages - (carry.lastMessages ?? 10) + 1;
          for (let n = 1; n < oldest; n += 1)
            expect([n, has(n % 2 === 0 ? `AGENT ${n}:` : `HUMAN ${n} `)]).toEqual([n, false]);
        }
        if (carry.toolCalls !== 'ALL') expect(has('CALL ')).toBe(false);
        if (carry.toolCalls === 'NONE') expect(has('USED')).toBe(false);
        if (!carry.files) expect(has('FILE ')).toBe(false);
        if (!carry.tasks) expect(has('TASK one')).toBe(false);
        if (!carry.decisions) expect(has('DECISION one') || has('DECISION two')).toBe(false);
        for (const name of ['city', 'plan'])
          if (carry.variables?.includes(name) === false) expect(has(`VARIABLE ${name}`)).toBe(false);
      }),
    );
  });

  it('holds what it does not withhold, when no number of tokens limits it', () => {
    fc.assert(
      fc.property(anyCarry, fc.integer({ min: 2, max: 30 }), (some, messages) => {
        const carry = { ...some, maxTokens: null };
        const [context, whole] = [carriedContext(log(messages), input, carry), buildContext(log(messages), input)];
        if (carry.messages === 'ALL') expect(context.recentMessages).toEqual(whole.recentMessages);
        if (carry.messages === 'HUMAN')
          expect(context.recentMessages).toEqual(whole.recentMessages.filter(({ role }) => role === 'USER'));
        if (carry.messages === 'LAST')
          expect(context.recentMessages).toEqual(whole.recentMessages.slice(-(carry.lastMessages ?? 10)));
        if (carry.toolCalls === 'ALL')
          expect([context.lastToolCalls, context.toolSummaries]).toEqual([whole.lastToolCalls, whole.toolSummaries]);
        if (carry.toolCalls === 'SUMMARY')
          expect(context.toolSummaries).toEqual([{ toolName: 'USED', callCount: 3, errorCount: 1, lastResult: null }]);
        if (carry.files) expect(context.filesModified).toEqual(whole.filesModified);
        if (carry.tasks) expect(context.pendingTasks).toEqual(whole.pendingTasks);
        if (carry.decisions) expect(context.decisions).toEqual(whole.decisions);
        if (carry.variables === null) expect(context.contextVariables).toEqual(whole.contextVariables);
        expect(context.instructions).toBe('Be kind.');
      }),
    );
  });

  it('stays within a number of tokens, counted without the instructions and the variables of Baton', () => {
    fc.assert(
      fc.property(
        anyCarry,
        fc.integer({ min: 200, max: 3_000 }),
        fc.nat(39),
        fc.integer({ min: 1, max: 9_000 }),
        (some, maxTokens, messages, characters) => {
          const sources = log(messages);
          const long = {
            ...sources,
            byUsers: sources.byUsers.map((message) => ({
              ...message,
              content: `${message.content} ${'字'.repeat(characters)}`,
            })),
          };
          const context = carriedContext(long, input, { ...some, maxTokens });
          const { instructions, leftOut, summaryComposed, contextVariables, ...carried } = context;
          const parts = [
            ...Object.values(carried).flatMap((part: unknown) => (Array.isArray(part) ? (part as unknown[]) : [part])),
            ...contextVariables.filter(({ name }) => !name.startsWith('_')),
          ];
          const texts = parts
            .filter((part) => part !== null && part !== '')
            .map((part) =>
              typeof part === 'object' && part !== null && 'agentId' in part
                ? (part as unknown as { content: string }).content
                : part,
            );
          const bytes = texts.reduce(
            (sum: number, part) => sum + Buffer.byteLength(typeof part === 'string' ? part : JSON.stringify(part)),
            0,
          );
          expect(bytes).toBeLessThanOrEqual(maxTokens * 4);
          expect([instructions, summaryComposed]).toEqual(['Be kind.', true]);
          expect(leftOut?.withheld).toBeDefined();
        },
      ),
    );
  });

  it('counts what was withheld by kind', () => {
    const nothing = asCarry({
      messages: 'NONE',
      toolCalls: 'NONE',
      files: false,
      tasks: false,
      decisions: false,
      variables: ['city'],
    });
    expect(carriedContext(log(6), input, nothing).leftOut).toEqual({
      tasks: 0,
      decisions: 0,
      files: 0,
      tools: 0,
      calls: 0,
      unansweredCalls: 0,
      messages: 0,
      shortened: 0,
      withheld: { MESSAGE: 6, CALL: 1, TOOL: 1, FILE: 2, TASK: 1, DECISION: 2, VARIABLE: 1 },
    });
    expect(carriedContext(log(6), input, asCarry({ messages: 'LAST', lastMessages: 4 })).leftOut?.withheld).toEqual({
      MESSAGE: 2,
    });
  });

  it('marks a request that was cut to the number of tokens, so that its rest stays withheld', () => {
    const sources = someSources({ byUsers: [byUser(1, `Fix it. ${'x'.repeat(10_000)}`)] });
    expect(carriedContext(sources, input, asCarry({ maxTokens: 200 })).originalRequest).toMatchObject({
      shortened: true,
      cut: true,
    });
  });

  it('passes on everything when no setting withholds anything', () => {
    expect([carryOf(null), carryOf({}), carryOf({ messages: 'ALL', lastMessages: 3 })]).toEqual([null, null, null]);
    expect(carryOf({ messages: 'LAST' })).toMatchObject({ messages: 'LAST', files: true, variables: null });
  });
});
