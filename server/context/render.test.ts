import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokensOf } from '../core/tokens.ts';
import type { Context } from './context.ts';
import { itemsOf, renderMarkdown, renderPrompt, smallestBudget } from './render.ts';

const words = fc.string({ unit: 'grapheme', maxLength: 400 });
const context: fc.Arbitrary<Context> = fc.record({
  summary: words,
  toolSummaries: fc.array(
    fc.record({ toolName: fc.string({ minLength: 1, maxLength: 20 }), callCount: fc.nat(), errorCount: fc.nat(), lastResult: fc.option(words) }),
    { maxLength: 8 },
  ),
  filesModified: fc.array(words, { maxLength: 20 }),
  pendingTasks: fc.array(words, { maxLength: 20 }),
  decisions: fc.array(words, { maxLength: 20 }),
  recentMessages: fc.array(fc.record({ role: fc.constantFrom('USER' as const, 'ASSISTANT' as const), content: words }), { maxLength: 10 }),
  contextVariables: fc.array(fc.record({ name: words, value: fc.jsonValue(), setBy: words }), { maxLength: 5 }),
  instructions: fc.option(words),
});

describe('a prompt', () => {
  it('never exceeds its budget, and every item of the Context is either kept or dropped', () => {
    fc.assert(
      fc.property(context, fc.integer({ min: smallestBudget.maxTokens, max: 2_000 }), fc.integer({ min: smallestBudget.maxCharacters, max: 8_000 }), (given, maxTokens, maxCharacters) => {
        const prompt = renderPrompt(given, { maxTokens, maxCharacters });
        expect(prompt.text.length).toBeLessThanOrEqual(maxCharacters);
        expect(estimateTokensOf(prompt.text)).toBeLessThanOrEqual(maxTokens);
        expect([...prompt.kept, ...prompt.dropped].map(({ id }) => id).sort()).toEqual(itemsOf(given).map(({ id }) => id).sort());
      }),
    );
  });

  it('holds everything when there is room, and says nothing of a cut', () => {
    fc.assert(
      fc.property(context, (given) => {
        const prompt = renderPrompt(given, { maxTokens: null, maxCharacters: null });
        expect(prompt.dropped).toEqual([]);
        expect(prompt.text).not.toContain('are left out');
      }),
    );
  });

  it('says how much it left out, and keeps what matters most', () => {
    const given: Context = {
      summary: 'Half done.',
      toolSummaries: [],
      filesModified: Array.from({ length: 100 }, (_, n) => `src/file-${n}.ts`),
      pendingTasks: ['finish'],
      decisions: ['no regex'],
      recentMessages: [{ role: 'ASSISTANT', content: 'bye' }],
      contextVariables: [],
      instructions: null,
    };
    const { text, dropped } = renderPrompt(given, { maxTokens: null, maxCharacters: 800 });
    expect(text).toContain('Half done.');
    expect(text).toContain('- finish');
    expect(text).toContain('- no regex');
    expect(text).toContain(`(Cut to the budget: ${dropped.length} of 104 items are left out.)`);
  });
});

describe('the Markdown of a handoff', () => {
  it('is one table that no content breaks out of', () => {
    const text = renderMarkdown(
      {
        id: 'handoff_x',
        title: 'A title',
        status: 'REJECTED',
        depth: 2,
        reason: 'a | b\nc',
        sourceAgentId: null,
        targetAgentId: 'b',
        initiatedAt: new Date(0),
        acceptedAt: null,
        closedAt: new Date(1_000),
        deadlineAt: new Date(2_000),
        closedBecause: 'not mine',
        actor: 'operator',
      },
      { summary: 's', toolSummaries: [], filesModified: [], pendingTasks: [], decisions: [], recentMessages: [], contextVariables: [], instructions: null },
    );
    expect(text).toContain('| Reason | a \\| b c |');
    expect(text).toContain('| From | nobody |');
    expect(text).toContain('| Status | REJECTED: not mine |');
    expect(text).not.toContain('Deadline');
  });
});
