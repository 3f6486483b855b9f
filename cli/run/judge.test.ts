import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callId } from './callIds.ts';
import type { ReadCall } from './desk.ts';
import { judge } from './judge.ts';

const place = { agentSessionId: 'agentsession_1', step: 0, tools: new Set(['mcp__files__read']) };

const call = (index: number, toolName: string, more: Partial<ReadCall> = {}): ReadCall => ({
  index,
  kind: 'OTHER',
  toolName,
  arguments: {},
  problem: null,
  ...more,
});

describe('judge', () => {
  it('runs the chosen handoff, and refuses every other call that would end the turn', () => {
    const calls = [
      call(0, 'finish'),
      call(1, 'transfer_to_a', { kind: 'HANDOFF' }),
      call(2, 'transfer_to_b', { kind: 'HANDOFF' }),
      call(3, 'note'),
    ];
    const judged = judge({ calls, chosen: { index: 1 } }, place);
    expect(judged.map(({ act }) => act)).toEqual(['none', 'handoff', 'none', 'own']);
    expect(judged[0]!.error).toBe("Not run: 'transfer_to_a' of the same answer ends your turn, and only one call can");
  });

  it('names the tools there are for one that is not', () => {
    const [judged] = judge({ calls: [call(0, 'bash')], chosen: null }, place);
    expect(judged).toMatchObject({
      act: 'none',
      error: "There is no tool 'bash'. Your tools: mcp__files__read, finish, ask_person, note, read",
    });
  });

  it('hands a call back whose arguments cannot be read, and runs the rest', () => {
    const problem = { code: 'INVALID_ARGUMENTS', message: 'The arguments are not JSON: send one JSON object' };
    const judged = judge(
      { calls: [call(0, 'mcp__files__read', { arguments: null, problem }), call(1, 'finish')], chosen: null },
      place,
    );
    expect(judged.map(({ act, error }) => [act, error])).toEqual([
      ['none', 'Not run: The arguments are not JSON: send one JSON object'],
      ['finish', null],
    ]);
  });

  it('ends at most one turn, gives each call another id, and refuses exactly those that do not run', () => {
    const read = fc.record({
      kind: fc.constantFrom<ReadCall['kind'][]>('HANDOFF', 'UNRESOLVED', 'OTHER'),
      toolName: fc.constantFrom('finish', 'ask_person', 'note', 'mcp__files__read', 'unknown'),
      arguments: fc.constantFrom({}, null),
    });
    fc.assert(
      fc.property(fc.array(read, { maxLength: 8 }), (given) => {
        const calls = given.map((each, index) => ({ ...each, index, problem: null }));
        const chosen = calls.find(({ kind }) => kind === 'HANDOFF') ?? calls.find(({ kind }) => kind === 'UNRESOLVED');
        const judged = judge({ calls, chosen: chosen ?? null }, place);
        const ends = judged.filter(
          ({ act, name }) => act === 'handoff' || act === 'finish' || (act === 'own' && name === 'ask_person'),
        );
        expect(ends.length).toBeLessThanOrEqual(1);
        expect(new Set(judged.map(({ id }) => id)).size).toBe(calls.length);
        for (const { act, error } of judged) expect(error === null).toBe(act !== 'none');
      }),
    );
  });
});

it('makes ids of calls that the strictest provider takes, and that differ between steps and tenures', () => {
  const ids = [0, 1].flatMap((step) =>
    [0, 1].flatMap((index) => ['agentsession_1', 'agentsession_2'].map((tenure) => callId(tenure, step, index))),
  );
  expect(new Set(ids).size).toBe(8);
  for (const id of ids) expect(id).toMatch(/^[a-z0-9]{9}$/);
});
