import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reportsOf } from './reports.ts';
import { withoutOpening } from './talk.ts';

const report = (sequence: number, outcome: string, given: object = { description: `Job ${sequence}` }) => ({
  id: `id-${sequence}-${outcome.length}`,
  callId: `call-${sequence}`,
  sequence,
  name: 'Task',
  arguments: given,
  outcome,
  cut: false,
  failed: false,
});
const said = (sequence: number, content: string) => ({ sequence, role: 'ASSISTANT' as const, content });
const texts = (reports: ReturnType<typeof report>[], messages: ReturnType<typeof said>[] = []): string[] =>
  reportsOf(reports, messages, () => false).map(({ text }) => text);

const found = 'The queue acknowledges before it writes.';
const account =
  `The orders are lost in the queue: it acknowledges a message before it writes it, so that a restart drops what was not written. `.repeat(
    2,
  );

describe('the reports of sub-agents', () => {
  it('are all told while the agent only announced its next step', () => {
    const reports = [
      report(2, found),
      report(2, 'The cart has nothing to do with it.'),
      report(2, 'Retries end after two.'),
    ];
    expect(texts(reports, [said(1, 'I will ask three agents.'), said(3, 'Let me look at the queue next.')])).toEqual([
      found,
      'The cart has nothing to do with it.',
      'Retries end after two.',
    ]);
  });

  it('are marked as older, and told by their beginning, when the agent gave an account since', () => {
    const long = `${found} ${'The cart has nothing to do with it. '.repeat(90)}`;
    const [before, after] = reportsOf([report(2, long), report(4, found)], [said(3, account)], () => false);
    expect(before).toMatchObject({ older: true, shortened: true });
    expect(before!.text).toContain(found);
    expect(before!.text.length).toBeLessThanOrEqual(1_000);
    expect(after).not.toHaveProperty('older');
  });

  it('say of a sub-agent that only began that it reported nothing', () => {
    const begun = 'Perfect! Now I have all the context. Let me create the specification.\nagentId: a48';
    expect(texts([report(2, begun)], [said(3, account)])).toEqual(['said only that it begins, and reported nothing']);
  });

  it('are left out when messages tell their words', () => {
    expect(reportsOf([report(2, found)], [], (text) => text === found)).toEqual([]);
  });

  it.each([
    ['JSON of Codex', `{"status":{"a1":{"completed":"${found}"}}}`],
    ['lines that the program added', `${found}\nagentId: a48 (for resuming)\n<usage>total_tokens: 9</usage>`],
    [
      'sentences that say that it begins',
      `Perfect! Now I have a complete understanding of the code. Let me write the report.\n\n${found}`,
    ],
  ])('are read from %s', (_what, outcome) => {
    expect(texts([report(2, outcome)])).toEqual([found]);
  });

  it.each(['Async agent launched successfully.\nagentId: a1', '{"agent_id":"0199"}', 'ok'])(
    'are not in %j',
    (outcome) => {
      expect(texts([report(2, outcome)])).toEqual([]);
    },
  );

  it('name their job', () => {
    const jobs = [{ description: 'Find it', prompt: 'long' }, { message: 'Find\n it' }, {}];
    expect(
      reportsOf(
        jobs.map((given, index) => report(index, `${found} ${index}`, given)),
        [],
        () => false,
      ).map(({ job }) => job),
    ).toEqual(['Find it', 'Find it', 'Task']);
  });

  it('keep every sentence that says something', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^The [a-z ]{1,80}\.$/), (text) => {
        expect(withoutOpening(text)).toBe(text);
        expect(withoutOpening(`I have found it. ${text}`)).toBe(`I have found it. ${text}`);
        expect(withoutOpening(`Great! I now have enough context.\n\n${text}`)).toBe(text);
      }),
    );
  });
});
