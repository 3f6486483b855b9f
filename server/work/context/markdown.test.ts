import fc from 'fast-check';
import { lexer, walkTokens, type Token } from 'marked';
import { describe, expect, it } from 'vitest';
import { anyContext, emptyContext, hidden, hostile, message } from '../../../test/contexts.ts';
import { runs } from '../../../test/runs.ts';
import { code, codeBlock, contained, entry, plain, quoted } from './containedMarkdown.ts';
import type { Context } from './context.ts';
import { renderMarkdown, type HandoffFacts } from './markdown.ts';

const facts: HandoffFacts = {
  id: 'handoff_x',
  title: 'Fix the login',
  status: 'INITIATED',
  depth: 2,
  reason: null,
  sourceAgentId: 'ada',
  sourceAgentType: 'CLAUDE',
  targetAgentId: 'bob',
  targetAgentType: 'CODEX',
  initiatedAt: new Date(0),
  acceptedAt: null,
  completedAt: null,
  closedAt: null,
  deadlineAt: new Date(1_800_000),
  closedBecause: null,
  actor: 'operator',
};
const render = (context: Partial<Context> = {}, given: Partial<HandoffFacts> = {}): string =>
  renderMarkdown({ ...facts, ...given }, { ...emptyContext, ...context });

describe('the Markdown of a handoff', () => {
  it('is this page for a typical handoff', () => {
    const context: Partial<Context> = {
      originalRequest: message(1, 'The login test fails at times.\nPlease fix it.'),
      lastMessage: message(
        4,
        'Found it: the cookie comes late.\n\n```ts\n# not a heading\nawait cookie();\n```',
        'ada',
      ),
      pendingTasks: ['Wait for the cookie', 'Run it 100 times'],
      decisions: ['No retries'],
      filesModified: ['src/login.ts'],
      toolSummaries: [{ toolName: 'Bash', callCount: 3, errorCount: 1, lastResult: '1 failed | 2 passed' }],
      lastToolCalls: [
        {
          toolCallId: 'c',
          toolName: 'Bash',
          arguments: '{"command":"npm test"}',
          outcome: '1 failed',
          failed: true,
          shortened: false,
        },
      ],
      contextVariables: [{ name: 'ticket', value: 7, setBy: 'operator' }],
      leftOut: { tasks: 0, decisions: 0, files: 0, tools: 0, calls: 0, unansweredCalls: 0, messages: 12, shortened: 0 },
    };
    expect(render(context, { reason: 'My window is full' })).toBe(`# Fix the login

|  |  |
| --- | --- |
| From | ada (CLAUDE) |
| To | bob (CODEX) |
| Status | INITIATED |
| Handoff | \`handoff_x\`, number 2 of its session |
| Started | 1970-01-01 00:00:00 UTC by operator |
| To be accepted by | 1970-01-01 00:30:00 UTC |

## Why

> My window is full

## Summary

> Half done.

## Original request

> The login test fails at times.
> Please fix it.

## Last message of ada

> Found it: the cookie comes late.
>
> \`\`\`ts
> # not a heading
> await cookie();
> \`\`\`

## Tasks left (2)

- [ ] Wait for the cookie
- [ ] Run it 100 times

## Decisions

1. No retries

## Files changed (1)

- \`src/login.ts\`

## Tools used

| Tool | Calls | Failed | Last result |
| --- | --- | --- | --- |
| \`Bash\` | 3 | 1 | \`1 failed \\| 2 passed\` |

## Last tool calls

\`Bash\` \`{"command":"npm test"}\` failed:

\`\`\`text
1 failed
\`\`\`

## Context variables

| Name | Value | Set by |
| --- | --- | --- |
| \`ticket\` | \`7\` | operator |

Not carried, but in the log: 12 messages. baton_read, or messages and toolCalls of the session, give them by number and by call.
`);
  });

  it("shows the reason of its end, and 'nobody' as the source of an unassigned session", () => {
    const text = render(
      {},
      { status: 'REJECTED', closedBecause: 'not | mine\n# at all', sourceAgentId: null, closedAt: new Date(1_000) },
    );
    expect(text).toContain('| Status | REJECTED: not \\| mine # at all |');
    expect(text).toContain('| From | nobody |');
    expect(text).toContain('| Closed | 1970-01-01 00:00:01 UTC |');
    expect(text).not.toContain('To be accepted');
  });

  it('has only its own headings, tables, HTML, images and visible characters, whatever was recorded', () => {
    const known =
      /^## (Why|Summary|Original request|Latest request|Last message( of [a-z0-9-]+)?|Tasks left \(\d+( of \d+)?\)|Decisions|Files changed \(\d+( of \d+)?\)|Tools used|Last tool calls|Messages|Context variables|Instructions of bob|Given with the handoff|Summary of the work before the window was cut|Questions that nobody answered|Last checks|Failed and not repeated with success)( \(recorded by agent [a-z0-9-]+\))?$/;
    fc.assert(
      fc.property(anyContext, hostile, hostile, (context, title, reason) => {
        const text = render(context, { title, reason, closedBecause: reason, metadata: { [title]: reason } });
        const [first, ...rest] = lexer(text);
        expect(first).toMatchObject({ type: 'heading', depth: 1 });
        for (const token of rest) if (token.type === 'heading') expect(token.raw.trim()).toMatch(known);
        // The facts, the checks, the tools and the variables.
        expect(rest.filter(({ type }) => type === 'table').length).toBeLessThanOrEqual(4);
        expect(
          withinContainers(rest).filter((type) => ['heading', 'table', 'html', 'image', 'def'].includes(type)),
        ).toEqual([]);
        expect(rest.filter(({ type }) => ['html', 'def', 'image', 'hr'].includes(type))).toEqual([]);
        expect(text).not.toMatch(hidden);
      }),
      { numRuns: runs(300) },
    );
  });
});

/** What there is inside of quotes, lists, tables and paragraphs. */
function withinContainers(tokens: readonly Token[]): string[] {
  const inside: string[] = [];
  void walkTokens([...tokens], (token) => {
    if (!tokens.includes(token)) inside.push(token.type);
  });
  return inside;
}

describe('recorded text in Markdown', () => {
  it('contains no HTML, whatever stands before the bracket', () => {
    for (const before of ['', '\\', '\\\\', 'https://a.b/', '`']) {
      const inside = withinContainers(lexer(quoted(`${before}<img src=x onerror=alert(1)>`)));
      expect(inside, before).not.toContain('html');
    }
  });

  it('keeps emphasis, lists, links and blocks of code', () => {
    const text = '**Done**, see [it](https://example.com):\n- `a`\n  - b\n1. c\n\n~~~\n# in code\n<b>\n~~~';
    expect(contained(text).join('\n')).toBe(text);
  });

  it.each([
    ['# Heading', '\\# Heading  '],
    ['- ## Heading in a list', '- \\## Heading in a list  '],
    ['> ### in a quote', '> \\### in a quote  '],
    ['Heading\n====', 'Heading\n\\====  '],
    ['Heading\n-', 'Heading\n\\-  '],
    ['a | b\n--- | ---', 'a | b\n\\--- | ---  '],
    ['|a|\n|:-:|', '|a|  \n\\|:-:|  '],
    ['#hashtag and a - b', '#hashtag and a - b'],
    ['<script>', '&lt;script>'],
    ['http://a/<b>', 'http://a/&lt;b>'],
    ['![x](http://a/b.png)', '!\\[x](http://a/b.png)'],
    ['[x](javascript:alert(1))', '[x]\\(javascript:alert(1))'],
    ['[x]: http://a', '[x]\\: http://a'],
    ['  ```\n# x', '  \\`\\`\\`\n\\# x  '],
    ['- ```\n# x', '- \\`\\`\\`\n\\# x  '],
    ['```\nopen', '```\nopen\n```'],
    ['``` a`b\n# x', '\\`\\`\\` a`b\n\\# x  '],
  ])('%j becomes %j', (text, safe) => {
    expect(contained(text).join('\n')).toBe(safe);
  });

  it.each(['***', '___', '- - -', '* * *', 'a\n- ', 'a\n =', '- \n # H', '1. ***', '> ___', '- ***'])(
    '%j makes no rule and no heading',
    (text) => {
      for (const page of [quoted(text), entry('1.', text)])
        expect(withinContainers(lexer(page)).filter((type) => type === 'hr' || type === 'heading')).toEqual([]);
    },
  );

  it('adds no structure to the page, whatever marks it contains', () => {
    const mark = fc.constantFrom(
      ...[
        '#',
        '# ',
        '## H',
        '-',
        '- ',
        '*',
        '* ',
        '_',
        '***',
        '___',
        '---',
        '- - -',
        '_ _ _',
        '=',
        '===',
        '+',
        '+ ',
        '>',
        '> ',
        '| a | b |',
        '|-|-|',
        '---|---',
        ':-:',
        '`',
        '```',
        '~~~',
        '~',
      ],
      ...[
        ' ',
        '    ',
        '\t',
        '\n',
        '\n',
        '\n\n',
        '[',
        ']',
        '(',
        ')',
        '[a]: x',
        '[^1]: y',
        ':',
        '![',
        '<',
        '<b>',
        '<!--',
        '</',
        '1. ',
        '1) ',
        '\\',
        'a',
        'b c',
        'http://x.y',
        '&#35; x',
        '[x] ',
      ],
    );
    const structure = ['heading', 'hr', 'table', 'html', 'image', 'def'];
    fc.assert(
      fc.property(fc.array(mark, { minLength: 1, maxLength: 10 }), (marks) => {
        const text = marks.join('');
        for (const page of [quoted(text), entry('1.', text), `- [ ] ${plain(text)}`]) {
          const tokens = lexer(`${page}\n\n## Next\n`);
          expect(tokens.at(-1)).toMatchObject({ type: 'heading', text: 'Next' });
          expect(withinContainers(tokens).filter((type) => structure.includes(type))).toEqual([]);
          expect(tokens.slice(0, -1).filter(({ type }) => structure.includes(type))).toEqual([]);
        }
      }),
      { numRuns: runs(12_000) },
    );
  });

  it('stays inside its quote, entry, line or block', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const line of quoted(text).split('\n')) expect(line).toMatch(/^>/);
        const [first, ...rest] = entry('12.', text).split('\n');
        expect(first).toMatch(/^12\. /);
        for (const line of rest) expect(line).toMatch(/^( {4}|$)/);
        expect(plain(text)).not.toMatch(/\n|<|(?<!\\)\|/);
        expect(code(text)).toMatch(/^(`+)([^\n]*[^`\n])?\1$/);
        const [open, ...body] = codeBlock(text).split('\n');
        expect(body.pop()).toBe(open!.replace('text', ''));
        for (const line of body) expect(line).not.toContain(open!.replace('text', ''));
      }),
    );
  });
});
