import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildContext, contentHash, shorten, type BuildInput } from './build.ts';
import { mergeVariables } from './context.ts';
import type { Sources } from './sources.ts';

const sources = (fields: Partial<Sources> = {}): Sources => ({
  title: 'Fix the login',
  turns: 2,
  tools: [{ name: 'Read', calls: 3, errors: 1, lastResult: 'ok' }],
  files: ['b.ts', 'a.ts'],
  tasks: [
    { content: 'write a test', status: 'DONE' },
    { content: 'fix it', status: 'IN_PROGRESS' },
    { content: 'tell people', status: 'PENDING' },
  ],
  decisions: ['wait for the cookie'],
  recent: [
    { sequence: 1, role: 'USER', content: 'please' },
    { sequence: 2, role: 'ASSISTANT', content: 'done' },
  ],
  lastAssistant: { sequence: 2, role: 'ASSISTANT', content: 'done' },
  lastTurnId: null,
  lastTurnCallIds: [],
  lastAgentTurnHash: 'h',
  visible: { user: 1, assistant: 1, system: 0, tool: 0, handoff: 0, bytes: 10 },
  ...fields,
});

const input: BuildInput = { summary: null, variables: {}, instructions: null };

describe('a Context', () => {
  it('holds the tasks that are not done, in their order', () => {
    expect(buildContext(sources(), input).pendingTasks).toEqual(['fix it', 'tell people']);
  });

  it('composes a summary from the log when the caller has none', () => {
    expect(buildContext(sources(), input).summary).toBe(
      '"Fix the login": 2 turns so far, 3 tool calls (1 failed). 2 files changed, last b.ts. 2 tasks left, next: fix it. Last decision: wait for the cookie.',
    );
    expect(buildContext(sources({ turns: 1, tools: [], files: [], tasks: [], decisions: [] }), input).summary).toBe('"Fix the login": 1 turn so far. No file was changed.');
  });

  it('keeps the summary that the caller gives', () => {
    expect(buildContext(sources(), { ...input, summary: 'half done' }).summary).toBe('half done');
  });

  it('always has the last assistant message, even when talk since then would fill the budget', () => {
    const talk = Array.from({ length: 20 }, (_, n) => ({ sequence: 100 + n, role: 'USER' as const, content: 'x'.repeat(1_900) }));
    const context = buildContext(sources({ recent: talk, lastAssistant: { sequence: 2, role: 'ASSISTANT', content: 'my last words' } }), input);
    expect(context.recentMessages[0]).toEqual({ role: 'ASSISTANT', content: 'my last words' });
    expect(context.recentMessages.slice(1).every(({ role }) => role === 'USER')).toBe(true);
    expect(context.recentMessages.length).toBeGreaterThan(2);
  });

  it('lists context variables by name, each with who set it last', () => {
    const variables = mergeVariables(mergeVariables({}, { b: 1, a: { deep: true } }, 'operator'), { b: 2 }, 'claude-1');
    expect(buildContext(sources(), { ...input, variables }).contextVariables).toEqual([
      { name: 'a', value: { deep: true }, setBy: 'operator' },
      { name: 'b', value: 2, setBy: 'claude-1' },
    ]);
  });
});

describe('the content hash', () => {
  const hash = (fields: Partial<Sources> = {}, given: Partial<BuildInput> = {}): string => {
    const from = sources(fields);
    const summary = given.summary ?? null;
    return contentHash(buildContext(from, { ...input, ...given }), summary, from.lastAgentTurnHash);
  };

  it('is equal while nothing that the next agent is told has changed', () => {
    expect(hash()).toBe(hash());
    // More turns, the same words: a composed summary differs, what it tells does not.
    expect(hash({ turns: 7 })).toBe(hash());
  });

  it.each([
    ['a file', { files: ['c.ts'] }, {}],
    ['a task', { tasks: [] }, {}],
    ['a decision', { decisions: [] }, {}],
    ['the last turn of an agent', { lastAgentTurnHash: 'other' }, {}],
    ['a variable', {}, { variables: { a: { value: 1, setBy: 'x' } } }],
    ['the words of the caller', {}, { summary: 'new' }],
  ])('changes with %s', (_what, fields, given) => {
    expect(hash(fields, given)).not.toBe(hash());
  });

  it('does not change with who set a variable', () => {
    expect(hash({}, { variables: { a: { value: 1, setBy: 'x' } } })).toBe(hash({}, { variables: { a: { value: 1, setBy: 'y' } } }));
  });
});

describe('a shortened text', () => {
  it('is never longer than asked, keeps its beginning, and never splits a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 1, max: 70 }), (text, length) => {
        const short = shorten(text, length);
        expect(short.length).toBeLessThanOrEqual(Math.max(length, 1));
        expect(short).not.toMatch(/\p{Surrogate}/u);
        if (text.length <= length) expect(short).toBe(text);
        else expect(text.startsWith(short.slice(0, -1))).toBe(true);
      }),
    );
  });
});
