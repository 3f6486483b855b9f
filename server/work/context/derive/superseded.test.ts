import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPlanDone, replacedSince, summaryNow } from './superseded.ts';

const report =
  'I moved the three tables into one, wrote the migration and its way back, and adapted the readers, the writers and the tests that belong to them. ';
const said = (...texts: [who: 'person' | 'agent', content: string][]) =>
  texts.map(([who, content], index) => ({
    sequence: index + 2,
    role: who === 'person' ? ('USER' as const) : ('ASSISTANT' as const),
    content,
  }));

describe('a state that an agent told', () => {
  test.each([
    ['without later words', [], 'NOTHING'],
    ['with a step announced since', [['agent', 'Now let me run the tests.']], 'NOTHING'],
    ['with a remark since', [['agent', 'The cookie has no domain.']], 'NOTHING'],
    ['with only a person’s words since', [['person', `Done? ${report}`]], 'NOTHING'],
    ['with an account of a part', [['agent', `${report}The readers come then.`]], 'NEXT_STEP'],
    ['with an account that names what is left', [['agent', `Done. ${report}Still open: the docs.`]], 'NEXT_STEP'],
    ['with an account that lists next steps', [['agent', `${report}All done.\n\n## Next steps\n1. Docs`]], 'NEXT_STEP'],
    ['with an account of completion', [['agent', `All done. ${report}`]], 'ALL'],
    ['with an account of one more thing', [['agent', `Done, and all 12 tests pass. ${report}`]], 'NEXT_STEP'],
    ['in German', [['agent', `Alles ist fertig. ${report}`]], 'ALL'],
    ['in French', [['agent', `Tout est terminé. ${report}`]], 'ALL'],
    ['in Chinese', [['agent', `已全部完成。${report}`]], 'ALL'],
    [
      'with a part that is left in French',
      [['agent', `Terminé en partie. ${report} Il reste la documentation.`]],
      'NEXT_STEP',
    ],
    [
      'with a completion before another request and its account',
      [
        ['agent', `All done. ${report}`],
        ['person', 'Now look at the logs.'],
        ['agent', `The logs say that ${report}Still open: why.`],
      ],
      'ALL',
    ],
    [
      'with a completion in the middle of the work',
      [
        ['agent', `The first table is done. ${report}`],
        ['agent', `The second is not yet there, because its rows are locked. ${report}`],
      ],
      'NEXT_STEP',
    ],
    [
      'with a completion before a remark on a notification',
      [
        ['agent', `All done. ${report.repeat(4)}`],
        ['agent', `That was a process of before, which says nothing new about it. ${report}`],
      ],
      'ALL',
    ],
  ] satisfies [string, [who: 'person' | 'agent', content: string][], string][])('%s', (_case, messages, replaced) => {
    expect(replacedSince(1, said(...messages))).toBe(replaced);
  });

  test('is replaced only by what was said after it', () => {
    fc.assert(
      fc.property(fc.nat(9), (sequence) => {
        const messages = [{ sequence: 5, role: 'ASSISTANT' as const, content: `All done. ${report}` }];
        expect(replacedSince(sequence, messages)).toBe(sequence < 5 ? 'ALL' : 'NOTHING');
      }),
    );
  });
});

test.each([
  ['when all is done', [['agent', `All done. ${report}`]], true],
  ['not when something is left', [['agent', `Phase 1 is done. ${report}The remaining steps are open.`]], false],
  [
    'not when a person speaks of its parts',
    [
      ['agent', `All done. ${report}`],
      ['person', 'Go on with phase 2.'],
    ],
    false,
  ],
  [
    'also when a person speaks of something else',
    [
      ['agent', `All done. ${report}`],
      ['person', 'Push it.'],
    ],
    true,
  ],
] satisfies [string, [who: 'person' | 'agent', content: string][], boolean][])(
  'a plan is history %s',
  (_case, messages, isDone) => {
    expect(isPlanDone(1, said(...messages))).toBe(isDone);
  },
);

const sections: Record<string, string> = {
  'Primary Request and Intent': 'The tables were to become one.',
  'Key Technical Concepts': '- SQLite knows no MODIFY.',
  'Files and Code Sections':
    '- `a.ts` (NEW) has the reader.\n   ```ts\n   export const secretless = 1;\n   ```\n- `b.ts` follows.',
  'Errors and fixes':
    '- **Locked rows**: wait for them.\n- **CURRENT: no domain**: unknown\n     more of it\n- **Names**: short.',
  'All user messages': '- "Make one table of them"',
  'Pending Tasks': '- Write the docs.',
  'Current Work': 'The reader was half written.',
  'Optional Next Step': 'Run the tests of the reader.',
};
const forms: Record<string, (told: readonly (readonly [string, string])[]) => string> = {
  'Claude Code': (told) =>
    `This session is being continued from a previous conversation that ran out of context.\n\nAnalysis:\nLet me look.\n\nSummary:\n${told.map(([title, text], n) => `${n + 1}. ${title}:\n   ${text.replaceAll('\n', '\n   ')}`).join('\n\n')}\n\nIf you need specific details from before compaction, read x.jsonl`,
  Markdown: (told) => told.map(([title, text]) => `## ${title}\n\n${text}`).join('\n\n'),
  'bold titles': (told) => told.map(([title, text]) => `**${title}**\n${text}`).join('\n'),
  elements: (told) =>
    told
      .map(([title, text]) => [title.toLowerCase().replaceAll(' ', '_'), text])
      .map(([name, text]) => `<${name!}>\n${text!}\n</${name!}>`)
      .join('\n'),
};
const texts = {
  state: ['half written', 'tests of the reader'],
  pending: ['Write the docs'],
  lessons: ['no MODIFY', 'wait for them', 'Names'],
};

describe.each(Object.entries(forms))('the summary of a cut window in the form of %s', (_form, written) => {
  const summary = written(Object.entries(sections));
  const tells = (told: string, parts: readonly string[]): boolean[] => parts.map((part) => told.includes(part));

  test('tells first what is to be done, and no code', () => {
    const told = summaryNow(summary, 'NOTHING', true);
    expect(tells(told, [...texts.state, ...texts.pending, ...texts.lessons, '`a.ts`', '`b.ts`'])).not.toContain(false);
    expect(told).not.toMatch(/secretless|Make one table|Let me look|being continued|specific details/);
    expect(told.indexOf('half written')).toBeLessThan(told.indexOf('Locked rows'));
  });
  test('has no next step after an account, but what is pending', () => {
    const told = summaryNow(summary, 'NEXT_STEP', true);
    expect(tells(told, texts.state)).not.toContain(true);
    expect(tells(told, [...texts.pending, ...texts.lessons])).not.toContain(false);
  });
  test('has only lessons after an account of completion', () => {
    const told = summaryNow(summary, 'ALL', true);
    expect(tells(told, [...texts.state, ...texts.pending, '`a.ts`', 'CURRENT', 'more of it'])).not.toContain(true);
    expect(tells(told, texts.lessons)).not.toContain(false);
  });
  test('keeps people’s words that the log does not have', () => {
    expect(summaryNow(summary, 'ALL', false)).toContain('Make one table');
  });
});

test('a summary that is a plain text stays whole', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[a-z][a-z .\n]{0,200}[a-z]$/),
      fc.constantFrom('NOTHING', 'ALL'),
      (text, replaced) => {
        expect(summaryNow(text, replaced as 'ALL', true)).toBe(text);
      },
    ),
  );
});

test('takes time that grows with the length of a summary', () => {
  for (const text of ['\n', ' ', '1. a:\n', '```\n', '- CURRENT\n     x\n', '<a_b>\n', 'Analysis:\n'])
    summaryNow(text.repeat(32_000 / text.length), 'ALL', true);
}, 2_000);
