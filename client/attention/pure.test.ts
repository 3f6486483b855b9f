import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeFragmentData } from '../gql/index.ts';
import { EndedDocument } from '../handoffs/ended.ts';
import { comeSince, hearsAll, heardAt, keyOf, readHeard, type Newest } from './heard.ts';
import { attentionKinds } from './looks.ts';
import { attentionNotes, type AttentionNote } from './notes.ts';

describe('what a person hears of', () => {
  it('is everything at first, and whatever is stored is read as a choice', () => {
    expect(heardAt(hearsAll, 0)).toEqual({});
    for (const text of [null, '', '{broken', 'null', '[]', '7']) expect(readHeard(text)).toEqual(hearsAll);
    const chosen = { without: ['SILENT'], agent: 'ada', project: 'shop', mutedUntil: 5 };
    expect(readHeard(JSON.stringify(chosen))).toEqual(chosen);
    fc.assert(
      fc.property(fc.jsonValue(), (any) => {
        const { without, agent, project } = readHeard(JSON.stringify(any));
        expect([Array.isArray(without), typeof agent, typeof project]).toEqual([true, 'string', 'string']);
      }),
    );
  });

  it('is exactly the kinds that are not left out, and nothing while it is muted', () => {
    fc.assert(
      fc.property(fc.subarray(attentionKinds), fc.option(fc.nat()), fc.nat(), (without, mutedUntil, now) => {
        const filter = heardAt({ ...hearsAll, without, mutedUntil }, now);
        const isSilent = without.length === attentionKinds.length || (mutedUntil !== null && now < mutedUntil);
        expect(filter === undefined).toBe(isSilent);
        if (filter)
          expect(filter.kinds ?? attentionKinds).toEqual(attentionKinds.filter((kind) => !without.includes(kind)));
      }),
    );
  });
});

describe('what has come between two reads', () => {
  /** The newest of what there is, oldest first. */
  const read = (all: ReadonlyMap<string, number>, most: number): Newest => {
    const items = [...all]
      .sort(([, a], [, b]) => a - b)
      .map(([key, at]) => ({ key, since: String(at).padStart(6, '0') }));
    return { items: items.slice(-most), hasOlder: items.length > most };
  };

  it('is all that came, and never what was there, also when others go and not all is read', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { maxLength: 30 }),
        fc.nat({ max: 5 }),
        fc.integer({ min: 5, max: 10 }),
        (stays, come, most) => {
          const before = new Map(stays.map((_, at) => [`old ${at}`, at]));
          const after = new Map([...before].filter((_, at) => stays[at]));
          const fresh = Array.from({ length: come }, (_, at) => `new ${at}`);
          fresh.forEach((key, at) => after.set(key, 1_000 + at));
          expect(comeSince(read(before, most), read(after, most))).toEqual(fresh);
        },
      ),
    );
  });

  it('of a queue it is the first time that one waits for the type and role, not each next one', () => {
    const waits = (id: string, agentType: string) =>
      keyOf({ kind: 'QUEUE', session: { id, queueEntry: { agentType, role: null } }, webhook: null });
    expect(waits('a', 'CODEX')).toBe(waits('b', 'CODEX'));
    expect(waits('a', 'CODEX')).not.toBe(waits('a', 'GEMINI'));
  });
});

describe('the notifications', () => {
  const item = (part: Partial<AttentionNote>): AttentionNote => ({
    __typename: 'AttentionItem',
    kind: 'WITHOUT_HOLDER',
    text: 'Do something.',
    session: { __typename: 'Session', id: 's1', title: 'Work', queueEntry: null, approval: null },
    handoff: null,
    webhook: null,
    ...part,
  });

  it('each says what is wrong and why, and opens where it is mended; more than three are one', () => {
    const declined = item({
      handoff: {
        __typename: 'Handoff',
        id: 'h',
        ...makeFragmentData(
          {
            __typename: 'Handoff',
            status: 'REJECTED',
            rejectionReason: 'No tests',
            failureReason: null,
            cancelReason: null,
            deadlineAt: '',
            closedAt: null,
            approval: null,
          },
          EndedDocument,
        ),
      },
    });
    const asks = item({
      kind: 'WAITING_FOR_PERSON',
      session: {
        __typename: 'Session',
        id: 's2',
        title: 'Not clear',
        queueEntry: null,
        approval: { __typename: 'Approval', id: 'q', kind: 'QUESTION', text: 'Which one?' },
      },
    });
    const waits = item({
      kind: 'QUEUE',
      session: {
        __typename: 'Session',
        id: 's3',
        title: 'Waits',
        queueEntry: { __typename: 'QueueEntry', agentType: 'CODEX', role: null },
        approval: null,
      },
    });
    const fails = item({
      kind: 'WEBHOOK',
      session: null,
      webhook: { __typename: 'Webhook', id: 'w', url: 'https://example.com' },
    });
    const said = (items: AttentionNote[]) => attentionNotes(items).map(({ title, body, path }) => [title, body, path]);
    expect(said([declined, asks, waits])).toEqual([
      ['Work', 'Do something. No tests', '/sessions/s1'],
      ['Not clear', 'Do something. Which one?', '/decide/s2'],
      ['Waits', 'Do something.', '/queue?type=CODEX'],
    ]);
    expect(said([fails])).toEqual([['https://example.com', 'Do something.', '/webhooks']]);
    expect(said([declined, asks, waits, fails])).toEqual([
      ['4 more need attention', 'Work, Not clear, Waits, https://example.com', '/attention'],
    ]);
  });
});
