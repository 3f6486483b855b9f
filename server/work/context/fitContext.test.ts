import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyContext, message } from '../../../test/contexts.ts';
import { runs } from '../../../test/runs.ts';
import { canonicalJson } from '../../core/canonicalJson.ts';
import type { Context, LeftOut } from './context.ts';
import { contextBytes, fitContext } from './fitContext.ts';

const nothing: LeftOut = {
  tasks: 0,
  decisions: 0,
  files: 0,
  tools: 0,
  calls: 0,
  unansweredCalls: 0,
  messages: 0,
  shortened: 0,
};
const bytes = (context: Context): number => Buffer.byteLength(canonicalJson(context));
const unit = fc.constantFrom('x', '"', '\\', '\u0001', '字', '👍', '\n', ' ');
const large = (maxLength: number) =>
  fc.tuple(unit, fc.integer({ min: 0, max: maxLength })).map(([one, count]) => one.repeat(count));
const list = <T>(item: fc.Arbitrary<T>, maxLength: number) =>
  fc
    .tuple(item, fc.integer({ min: 0, max: maxLength }))
    .map(([one, count]): T[] => Array.from({ length: count }, () => one));

// As large as the limits of the API and of what is read allow.
const largeContext: fc.Arbitrary<Context> = fc
  .record({
    summary: large(32_000),
    instructions: fc.option(large(32_000)),
    request: large(16_000),
    latest: large(16_000),
    last: large(16_000),
    tasks: list(large(4_000), 500),
    decisions: list(large(4_000), 100),
    files: list(large(4_000), 500),
    tool: large(300),
    call: large(2_000),
    said: large(2_000),
    counts: fc.tuple(fc.nat(100), fc.nat(20), fc.nat(20)),
    variable: large(10_000),
  })
  .map(
    ({
      summary,
      instructions,
      request,
      latest,
      last,
      tasks,
      decisions,
      files,
      tool,
      call,
      said,
      counts,
      variable,
    }) => ({
      ...emptyContext,
      summary,
      instructions,
      originalRequest: message(1, request),
      latestRequest: message(2, latest),
      lastMessage: message(3, last, 'ada'),
      pendingTasks: tasks,
      decisions,
      filesModified: files,
      toolSummaries: Array.from({ length: counts[0] }, () => ({
        toolName: tool,
        callCount: 1,
        errorCount: 0,
        lastResult: tool,
      })),
      lastToolCalls: Array.from({ length: counts[1] }, (_, n) => ({
        toolCallId: `${n}`,
        toolName: tool,
        arguments: call,
        outcome: call,
        failed: false,
        shortened: false,
      })),
      recentMessages: Array.from({ length: counts[2] }, (_, n) => ({
        role: 'USER' as const,
        content: said,
        sequence: n + 4,
        shortened: false,
      })),
      contextVariables: [{ name: 'v', value: variable, setBy: 'ada' }],
      leftOut: nothing,
    }),
  );

describe('fitContext', () => {
  it('keeps a Context within 256 KB and counts what it leaves out', () => {
    fc.assert(
      fc.property(largeContext, (context) => {
        const fitted = fitContext(context);
        expect(bytes(fitted)).toBeLessThanOrEqual(contextBytes);
        const left = fitted.leftOut!;
        expect(fitted.pendingTasks.length + left.tasks).toBe(context.pendingTasks.length);
        expect(fitted.decisions.length + left.decisions).toBe(context.decisions.length);
        expect(fitted.filesModified.length + left.files).toBe(context.filesModified.length);
        expect(fitted.toolSummaries.length + left.tools).toBe(context.toolSummaries.length);
        expect(fitted.lastToolCalls!.length + left.calls).toBe(context.lastToolCalls!.length);
        expect(fitted.recentMessages.length + left.messages).toBe(context.recentMessages.length);
        expect(fitted.contextVariables).toEqual(context.contextVariables);
        if (bytes(context) <= contextBytes - 10) expect(fitted).toEqual(context);
        else
          expect(
            left.shortened + left.tasks + left.decisions + left.files + left.tools + left.calls + left.messages,
          ).toBeGreaterThan(0);
      }),
      { numRuns: runs(60) },
    );
  }, 60_000);

  it('shortens many long tasks before it leaves any out, and keeps the newest decisions', () => {
    const numbered = (count: number, characters: number) =>
      Array.from({ length: count }, (_, n) => `${n} `.padEnd(characters, 'x'));
    const fitted = fitContext({
      ...emptyContext,
      pendingTasks: numbered(300, 4_000),
      decisions: numbered(100, 4_000),
      leftOut: nothing,
    });
    expect(fitted.pendingTasks).toHaveLength(300);
    expect(fitted.leftOut).toMatchObject({ tasks: 0, decisions: 0, shortened: 400 });
    const crowded = fitContext({
      ...emptyContext,
      pendingTasks: numbered(500, 4_000),
      decisions: numbered(5_000, 300),
      leftOut: nothing,
    });
    expect(crowded.leftOut!.decisions).toBeGreaterThan(0);
    expect(crowded.decisions.at(-1)).toMatch(/^4999 /);
  });

  it('marks a message that it shortens', () => {
    const fitted = fitContext({
      ...emptyContext,
      originalRequest: message(1, '字'.repeat(16_000)),
      pendingTasks: Array.from({ length: 500 }, () => 'x'.repeat(1_000)),
      leftOut: nothing,
    });
    expect(fitted.originalRequest).toMatchObject({ sequence: 1, shortened: true });
  });
});
