import { describe, expect, it } from 'vitest';
import type { HandoffLoopError } from '../core/errors.ts';
import { guardHandoff, guardLoop, type EarlierHandoff, type GuardedMove } from './rules.ts';

const move = (fields: Partial<GuardedMove> = {}): GuardedMove => ({
  sourceAgentId: 'a',
  targetAgentId: 'b',
  handoffsEnabled: true,
  maxHandoffs: 2,
  collaborators: ['b'],
  cameFrom: null,
  earlier: [],
  ...fields,
});

const earlier = (fields: Partial<EarlierHandoff> = {}): EarlierHandoff => ({
  sourceAgentId: 'a',
  targetAgentId: 'b',
  via: 'API',
  contentHash: 'x',
  status: 'COMPLETED',
  initiatedAt: new Date(0),
  accepted: true,
  ...fields,
});

describe('a handoff that an agent starts', () => {
  it.each([
    ['to a collaborator passes', {}, null],
    ['in a session that forbids it is refused', { handoffsEnabled: false }, 'HANDOFFS_DISABLED'],
    ['to nobody that it works with is refused', { collaborators: ['c'] }, 'NOT_A_COLLABORATOR'],
    ['back to where the session came from passes, collaborator or not', { collaborators: [], cameFrom: 'b' }, null],
    ['beyond the limit is refused', { earlier: [earlier({ via: 'API' }), earlier({ via: 'TOOL' })] }, 'MAX_HANDOFFS_REACHED'],
    ['is not counted with those of operators', { earlier: [earlier({ via: 'OPERATOR' }), earlier({ via: 'OPERATOR' })] }, null],
    ['is forbidden before its target is looked at', { handoffsEnabled: false, collaborators: [] }, 'HANDOFFS_DISABLED'],
    ['has its target looked at before the limit', { collaborators: [], maxHandoffs: 0 }, 'NOT_A_COLLABORATOR'],
    ['is never allowed where none is', { maxHandoffs: 0 }, 'MAX_HANDOFFS_REACHED'],
  ] as const)('%s', (_case, fields, code) => {
    expect(guardHandoff(move(fields as Partial<GuardedMove>))?.code ?? null).toBe(code);
  });

  it.each([
    ['the same two agents and the same content', {}, 'x', 'HANDOFF_LOOP'],
    ['other content', {}, 'y', null],
    ['the other way round', { sourceAgentId: 'b', targetAgentId: 'a' }, 'x', null],
    ['an attempt that nobody accepted, with the same content', { accepted: false, status: 'REJECTED' }, 'x', null],
    ['one made by an operator, with the same content', { via: 'OPERATOR' }, 'x', 'HANDOFF_LOOP'],
  ] as const)('after %s', (_case, fields, hash, code) => {
    expect(guardLoop(move({ earlier: [earlier(fields)] }), hash)?.code ?? null).toBe(code);
  });

  it('is refused with the newest 100 handoffs of the chain, oldest first', () => {
    const all = Array.from({ length: 150 }, (_, n) => earlier({ initiatedAt: new Date(n) }));
    for (const refusal of [guardHandoff(move({ earlier: all })), guardLoop(move({ earlier: all }), 'x')]) {
      expect((refusal as HandoffLoopError).chain.map(({ at }) => at.getTime())).toEqual(Array.from({ length: 100 }, (_, n) => n + 50));
    }
  });
});
