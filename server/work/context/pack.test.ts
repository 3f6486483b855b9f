import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyContext, emptyContext, hidden, hostile, message } from '../../../test/contexts.ts';
import { runs } from '../../../test/runs.ts';
import { estimateTokensOf } from '../../core/tokens.ts';
import type { Context } from './context.ts';
import { stages } from './item.ts';
import { itemsOf } from './items.ts';
import type { ItemKind } from './kinds.ts';
import { neutralise } from './neutralise.ts';
import { pack, smallestBudget, type Budget, type Prompt } from './pack.ts';
import type { Move } from './sections.ts';

const slug = 'x'.repeat(52);
const anyMove: fc.Arbitrary<Omit<Move, 'leftOut'>> = fc.record({
  title: hostile,
  sourceAgentId: fc.option(fc.constantFrom('ada', slug)),
  targetAgentId: fc.option(fc.constantFrom('bob', slug)),
  lastSpeaker: fc.option(fc.constantFrom('ada', slug)),
  chain: fc.array(fc.constantFrom('ada', slug), { maxLength: 12 }),
});
const anyBudget: fc.Arbitrary<Budget> = fc.oneof(
  fc.record({ maxTokens: fc.integer({ min: smallestBudget.maxTokens, max: 3_000 }), maxCharacters: fc.constant(null) }),
  fc.record({
    maxTokens: fc.constant(null),
    maxCharacters: fc.integer({ min: smallestBudget.maxCharacters, max: 12_000 }),
  }),
  fc.record({
    maxTokens: fc.integer({ min: smallestBudget.maxTokens, max: 3_000 }),
    maxCharacters: fc.integer({ min: smallestBudget.maxCharacters, max: 12_000 }),
  }),
);
const move: Move = {
  title: 'Fix the login',
  sourceAgentId: 'ada',
  targetAgentId: 'bob',
  lastSpeaker: 'ada',
  chain: ['ada'],
  leftOut: null,
};
const packed = (context: Context, budget: Partial<Budget> = {}, reason: string | null = null): Prompt =>
  pack(
    itemsOf(context, { reason }),
    { ...move, leftOut: context.leftOut },
    { maxTokens: null, maxCharacters: null, ...budget },
  );
const ids = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id);

/** The lines of a text outside of its fences, and the contents of these. */
function fenced(text: string): { outside: string[]; inside: string[][]; open: boolean } {
  const [outside, inside]: [string[], string[][]] = [[], []];
  let fence: string | null = null;
  for (const line of text.split('\n')) {
    if (fence === null) {
      fence = /^`{3,}$/.exec(line)?.[0] ?? null;
      if (fence === null) outside.push(line);
      else inside.push([]);
    } else if (/^ {0,3}(`{3,})\s*$/.exec(line)?.[1]?.startsWith(fence) === true) fence = null;
    else inside.at(-1)!.push(line);
  }
  return { outside, inside, open: fence !== null };
}

describe('a prompt of any Context within any budget', () => {
  it('stays within the budget, and keeps or drops every item', () => {
    fc.assert(
      fc.property(
        anyContext,
        anyMove,
        fc.option(hostile),
        fc.option(fc.jsonValue()),
        anyBudget,
        (context, about, reason, metadata, budget) => {
          const items = itemsOf(context, { reason, metadata });
          const { text, tokenEstimate, kept, dropped } = pack(items, { ...about, leftOut: context.leftOut }, budget);
          expect(text.length).toBeLessThanOrEqual(budget.maxCharacters ?? Infinity);
          expect(estimateTokensOf(text)).toBeLessThanOrEqual(budget.maxTokens ?? Infinity);
          expect(tokenEstimate).toBe(estimateTokensOf(text));
          expect(ids([...kept, ...dropped]).sort()).toEqual(ids(items).sort());
          expect(new Set(ids(items)).size).toBe(items.length);
        },
      ),
      { numRuns: runs(400) },
    );
  });

  it('states how much it leaves out or shortens', () => {
    fc.assert(
      fc.property(anyContext, anyBudget, (context, budget) => {
        const { text, kept, dropped } = packed(context, budget);
        const shortened = kept.filter((item) => item.shortened).length;
        if (dropped.length > 0) expect(text).toMatch(/Left out/);
        const short = text.match(/\(Left out: (\d+) of (\d+) items\.\)$/);
        if (short !== null)
          expect([Number(short[1]), Number(short[2])]).toEqual([dropped.length, kept.length + dropped.length]);
        else if (shortened > 0) expect(text).toContain(`Shortened: ${shortened} item`);
      }),
      { numRuns: runs(100) },
    );
  });

  it('has the first 200 characters of the request, and at least the beginning of the last message', () => {
    fc.assert(
      fc.property(anyContext, hostile, hostile, anyBudget, (context, asked, said, budget) => {
        const { text, kept } = packed(
          { ...context, originalRequest: message(1, `q${asked}`), lastMessage: message(2_000, `a${said}`, 'ada') },
          budget,
        );
        expect(ids(kept).slice(0, 2)).toEqual(['request-1', 'last-message-1']);
        // The cut leaves no half of a picture behind: neither a surrogate nor a joiner.
        expect(text).toContain(
          neutralise(`q${asked}`)
            .slice(0, 200)
            .replace(/[\p{Surrogate}\u200D]+$/u, ''),
        );
        expect(text).toMatch(/## Last message[^\n]*\n`+\na/);
      }),
      {
        numRuns: runs(300),
        examples: [
          [emptyContext, '🏳\u200D🌈'.repeat(160), '', { maxTokens: null, maxCharacters: smallestBudget.maxCharacters }],
        ],
      },
    );
  });

  it('completes each stage before it begins the next', () => {
    fc.assert(
      fc.property(anyContext, anyBudget, (context, budget) => {
        const { kept, dropped } = packed(context, budget);
        const last = Math.max(...kept.map(({ stage }) => stages.indexOf(stage)));
        const first = Math.min(...dropped.map(({ stage }) => stages.indexOf(stage)));
        expect(last).toBeLessThanOrEqual(first);
      }),
      { numRuns: runs(100) },
    );
  });

  it('is the same for the same input, and keeps no fewer items without a budget', () => {
    fc.assert(
      fc.property(anyContext, anyBudget, (context, budget) => {
        const prompt = packed(context, budget);
        expect(packed(structuredClone(context), budget)).toEqual(prompt);
        const whole = packed(context);
        expect(whole.dropped).toEqual([]);
        expect(whole.kept.length).toBeGreaterThanOrEqual(prompt.kept.length);
      }),
      { numRuns: runs(100) },
    );
  });

  it('puts recorded text into fences that it cannot close, without hidden characters', () => {
    fc.assert(
      fc.property(anyContext, hostile, anyBudget, (context, title, budget) => {
        const { text } = pack(
          itemsOf(context, { reason: 'why', metadata: { plan: title } }),
          { ...move, title, leftOut: context.leftOut },
          budget,
        );
        const { outside, inside, open } = fenced(text);
        expect(open).toBe(false);
        expect(inside.length).toBeGreaterThan(0);
        expect(text).not.toMatch(hidden);
        expect(text).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u);
        expect(text.replaceAll('\n', '').replaceAll('\t', '')).not.toMatch(/\p{Cc}/u);
        // Outside there are only Baton's own words: sentences, and headings that it knows.
        const headings = outside.filter((line) => line.startsWith('#'));
        for (const heading of headings)
          expect(heading).toMatch(
            /^(# Handoff from ada to bob|## [A-Z][a-z' ]+( of ada)?( \(recorded by agent [a-z0-9-]+\))?(, from before (what people said last|the last message)|: the agent said nothing since)?( \(\d+( of \d+)?\))?)$/,
          );
        for (const line of outside.filter((other) => other !== '' && !other.startsWith('#')))
          expect(line).toMatch(/^(Handoff\.|You take|\(?Left out|Shortened|Not carried|The last turn|contextItem)/);
        expect(outside.join('\n')).toMatch(/untrusted/);
      }),
      { numRuns: runs(300) },
    );
  });

  it('says of every check, failed attempt and result that it does not shorten in which call it is', () => {
    const text = fc.string({ minLength: 1, maxLength: 300 });
    const callId = fc.stringMatching(/^[a-z]{4,40}$/);
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ command: text, outcome: fc.constantFrom('PASSED', 'FAILED'), stale: fc.boolean(), callId }),
        ),
        fc.array(fc.record({ what: text, error: text, callId })),
        fc.array(fc.record({ line: text, command: text, callId })),
        anyBudget,
        (checks, failedAttempts, findings, budget) => {
          const context = { ...emptyContext, checks, failedAttempts, findings } as Context;
          const { text: prompt, kept } = packed(context, budget);
          for (const { place, shortened } of kept)
            if (place !== undefined && !shortened) expect(prompt.replaceAll('\n', ' ')).toContain(place.trim());
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it('shows every tool call with its outcome', () => {
    const calls = Array.from({ length: 12 }, (_, n) => ({
      toolCallId: `${n}`,
      toolName: 'Bash',
      arguments: JSON.stringify({ command: `step ${n} ${'x'.repeat(300)}` }),
      outcome: `outcome of ${n} ${'y'.repeat(300)}`,
      failed: false,
      shortened: false,
    }));
    fc.assert(
      fc.property(fc.integer({ min: 800, max: 9_000 }), (maxCharacters) => {
        const { text } = packed({ ...emptyContext, lastToolCalls: calls }, { maxCharacters });
        const lines = text.split('\n').filter((line) => line.startsWith('- Bash'));
        for (const line of lines) expect(line).toMatch(/^- Bash .+ -> o/);
      }),
    );
  });
});

describe('a prompt', () => {
  it('shows the command of a call that it shortens, not the beginning of its arguments', () => {
    const call = (id: string, args: string) => ({
      toolCallId: id,
      toolName: 'Bash',
      arguments: args,
      outcome: `outcome ${'y'.repeat(3_000)}`,
      failed: false,
      shortened: false,
    });
    const aside = 'Runs the tests of the client, '.repeat(20);
    const calls = [
      call('1', JSON.stringify({ description: aside, command: 'npm test -- "client"' })),
      call('2', JSON.stringify({ note: aside, amount: 2 })),
      // As it was recorded: cut in the middle of what would say most.
      call('3', `{"note":"${aside}","command":"npm run`),
    ];
    const { text } = packed({ ...emptyContext, lastToolCalls: calls }, { maxCharacters: 3_500 });
    const lines = text
      .split('\n')
      .filter((line) => line.startsWith('- Bash'))
      .map((line) => line.slice(0, 20));
    expect(lines).toEqual(['- Bash npm test -- "', '- Bash {"note":"Runs', '- Bash {"note":"Runs']);
  });

  const long = (kind: string, count: number): string[] =>
    Array.from({ length: count }, (_, n) => `${kind} ${n} ${'of some length '.repeat(4)}`);
  const rich: Context = {
    ...emptyContext,
    originalRequest: message(1, 'Make the importer fast. '.repeat(200)),
    latestRequest: message(50, 'And now the tests.'),
    lastMessage: message(60, 'The parser is done; the tests are next. '.repeat(60), 'ada'),
    pendingTasks: long('task', 60),
    decisions: long('decision', 60),
    filesModified: Array.from({ length: 100 }, (_, n) => `/home/ada/projects/importer/src/file-${n}.ts`),
    toolSummaries: [{ toolName: 'Bash', callCount: 7, errorCount: 2, lastResult: 'ok' }],
  };

  it('has at 2,000 characters the request, the first task, the last decision, all counts and the last message', () => {
    const { text } = packed(rich, { maxCharacters: 2_000 });
    expect(text).toContain(rich.originalRequest!.content.slice(0, 200));
    expect(text).toContain('And now the tests.');
    expect(text).toContain('task 0');
    expect(text).toContain('decision 59');
    expect(text).toContain('Tasks left: 60; decisions: 60; files changed: 100.');
    expect(text).toContain('The parser is done; the tests are next. '.repeat(3));
  });

  it('has at its smallest budget 200 characters of a request in three-byte characters, and the last message', () => {
    const about = {
      title: '題'.repeat(500),
      sourceAgentId: slug,
      targetAgentId: slug,
      lastSpeaker: slug,
      chain: [slug],
      leftOut: null,
    };
    for (const recordedBy of [null, slug]) {
      const originalRequest = { ...message(1, '字'.repeat(900)), recordedBy };
      const context = { ...rich, originalRequest, lastMessage: message(2, `\`\`\`\`\`${'語'.repeat(900)}`, slug) };
      const { text } = pack(itemsOf(context, { reason: '理'.repeat(900) }), about, {
        maxTokens: 200,
        maxCharacters: null,
      });
      expect(text).toContain(`## First ${recordedBy === null ? 'request' : 'by an agent'}\n`);
      expect(text).toContain('字'.repeat(200));
      expect(text).toMatch(/## Last message\n`{6}\n`{3}/);
      expect(estimateTokensOf(text)).toBeLessThanOrEqual(200);
    }
  });

  it('prefers the newest decisions and the first tasks, and shows each list in its order', () => {
    const { text, kept } = packed(rich, { maxCharacters: 4_000 });
    const shown = kept.filter(({ kind }) => kind === 'DECISION').map(({ id }) => Number(id.split('-')[1]));
    expect(shown).toEqual(shown.toSorted((a, b) => b - a));
    expect(shown[0]).toBe(60);
    expect(text.indexOf(`decision ${60 - shown.length} `)).toBeLessThan(text.indexOf('decision 59'));
    expect(text).toContain(`## Decisions (${shown.length} of 60)`);
  });

  it('names each folder of changed files once, with its number of files', () => {
    const filesModified = ['src/a.ts', 'docs/b.md', 'src/c.ts', 'README.md', 'src/d/e.ts'];
    expect(packed({ ...emptyContext, filesModified }).text).toContain(
      '## Files changed (5)\n```\n- src/ (2): a.ts, c.ts\n- docs/b.md\n- README.md\n- src/d/e.ts\n```',
    );
  });

  it('names every one of 300 changed files in 20 folders at 4,000 tokens', () => {
    const filesModified = Array.from({ length: 300 }, (_, n) => `packages/part-${n % 20}/src/module-${n}.ts`);
    const { text } = packed(
      {
        ...emptyContext,
        originalRequest: message(1, 'Make the importer fast. '.repeat(600)),
        compactionSummary: message(2, 'This was done. '.repeat(600)),
        lastMessage: message(60, 'The parser is done. '.repeat(400), 'ada'),
        filesModified,
      },
      { maxTokens: 4_000 },
    );
    for (let n = 0; n < 300; n += 1) expect(text).toMatch(new RegExp(`[ /]module-${n}\\.ts[,\\n]`));
  });

  it('shows a longer message before a last message of a few words', () => {
    const report = `All done. ${'What was done, in detail. '.repeat(20)}`;
    const recentMessages = [{ role: 'ASSISTANT' as const, content: report, sequence: 8, shortened: false }];
    const { text, kept } = packed(
      { ...emptyContext, recentMessages, lastMessage: message(9, 'No action needed.', 'ada') },
      { maxCharacters: 900 },
    );
    expect(ids(kept).slice(0, 2)).toEqual(['last-message-1', 'last-message-2']);
    expect(text.indexOf('All done.')).toBeLessThan(text.indexOf('No action needed.'));
    expect(packed({ ...emptyContext, recentMessages, lastMessage: message(9, report, 'ada') }).text).not.toContain(
      'Last longer message',
    );
  });

  it('keeps all else whole before it names an earlier step', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 1, max: 8 }), (words, count) => {
        const context = { ...emptyContext, originalRequest: message(1, 'mend it '.repeat(words)) };
        const steps = Array.from({ length: count }, (_, n) => ({
          what: `look ${n}`,
          outcome: 'found',
          callId: `c${n}`,
        }));
        const { text } = packed(context);
        const prompt = packed({ ...context, steps }, { maxCharacters: Math.max(text.length, 800) });
        expect(prompt.kept.filter(({ id, shortened }) => shortened && !id.startsWith('step-'))).toEqual([]);
        expect(prompt.dropped.every(({ id }) => id.startsWith('step-'))).toBe(true);
      }),
    );
  });

  it('adds files, then messages of users, then messages of agents, then calls as the budget grows', () => {
    const recentMessages = Array.from({ length: 16 }, (_, n) => ({
      role: n % 2 === 0 ? ('USER' as const) : ('ASSISTANT' as const),
      content: `${n} ${'word '.repeat(10)}`,
      sequence: n + 1,
      shortened: false,
    }));
    const files = Array.from({ length: 8 }, (_, n) => `${n}/${'long'.repeat(20)}.ts`);
    const lastToolCalls = Array.from({ length: 6 }, (_, n) => ({
      toolCallId: `${n}`,
      toolName: `t${n}`,
      arguments: '{}',
      outcome: 'fine',
      failed: false,
      shortened: false,
    }));
    const wholeOnes = new Set<string>();
    for (let maxCharacters = 800; maxCharacters < 4_000; maxCharacters += 7) {
      const { kept, dropped } = packed(
        {
          ...emptyContext,
          filesModified: files,
          lastToolCalls,
          recentMessages,
          lastMessage: message(99, 'Done.', 'ada'),
        },
        { maxCharacters },
      );
      const left = new Set(dropped.map(({ stage }) => stage));
      const stagesKept = new Set(kept.map(({ stage }) => stage));
      if (left.has('files')) expect(stagesKept.has('people')).toBe(false);
      if (left.has('people') || kept.some(({ stage, shortened }) => stage === 'people' && shortened))
        expect(stagesKept.has('words')).toBe(false);
      if (left.has('words')) expect(stagesKept.has('calls')).toBe(false);
      for (const stage of stagesKept) if (!left.has(stage)) wholeOnes.add(stage);
    }
    expect([...wholeOnes].sort()).toEqual(
      ['calls', 'files', 'head', 'people', 'rest', 'words'].filter((stage) => wholeOnes.has(stage)),
    );
    expect(wholeOnes.has('calls')).toBe(true);
  });

  it('indents an item that looks like several', () => {
    const { text } = packed({ ...emptyContext, pendingTasks: ['one\n- two\n## Decisions\n- three'] });
    expect(text).toContain('\n- one\n  - two\n  ## Decisions\n  - three\n');
  });

  it('keeps the beginning and the end of a long text, and counts the characters between', () => {
    const lastMessage = message(1, `BEGIN ${'and so on '.repeat(400)} END`, 'ada');
    const { text } = packed({ ...emptyContext, lastMessage }, { maxCharacters: 2_000 });
    expect(text).toMatch(/BEGIN and so on[^]* \[… \d+ characters …\] [^]*END\n/);
  });

  it('leaves out results of tools without their calls', () => {
    const recentMessages = [
      { role: 'TOOL' as const, content: 'a result', sequence: 1, shortened: false },
      { role: 'USER' as const, content: 'a word', sequence: 2, shortened: false },
    ];
    const { text } = packed({ ...emptyContext, recentMessages });
    expect(text).toContain('user: a word');
    expect(text).not.toContain('a result');
  });

  it("shows the end of a failed attempt's error on a small budget", () => {
    const attempt = {
      what: `node ${'--very-long-flag '.repeat(15)}`,
      error: `${'at line 1\n'.repeat(30)}TypeError: x is no function`,
      callId: 'c1',
    };
    const { text } = packed(
      {
        ...emptyContext,
        failedAttempts: [attempt],
        filesModified: Array.from({ length: 90 }, (_, n) => `a/long/path/to/file-${n}.ts`),
      },
      { maxCharacters: 1_200 },
    );
    expect(text).toMatch(/- node --very[^\n]* -> [^\n]*TypeError: x is no function/);
  });

  it('takes the last assistant message from recentMessages for a Handoff of an earlier version', () => {
    const recentMessages = [
      { role: 'ASSISTANT' as const, content: 'bye' },
      { role: 'USER' as const, content: 'wait' },
    ];
    const old: Context = { ...emptyContext, summaryComposed: null, lastToolCalls: null, leftOut: null, recentMessages };
    const { kept, text } = packed(old, { maxCharacters: 800 });
    expect(kept.map(({ kind }): ItemKind => kind)).toEqual(['LAST_MESSAGE', 'SUMMARY', 'MESSAGE']);
    expect(text).toMatch(/## Last message[^\n]*\n```\nbye\n```/);
  });
});
