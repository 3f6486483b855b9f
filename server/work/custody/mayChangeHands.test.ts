import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HandoffLoopError } from '../../core/errors.ts';
import {
  leastLoaded,
  refusalToMove,
  rules,
  takesSessions,
  type EarlierHandoff,
  type Move,
  type Path,
  type RuleName,
  type StartedHandoff,
  type Target,
} from './mayChangeHands.ts';
import type { Way } from './pipeline.ts';

const agent = (id: string, fields: Partial<Target> = {}): Target => ({
  id,
  type: 'CLAUDE',
  role: null,
  administrativeStatus: 'AVAILABLE',
  archivedAt: null,
  currentLoad: 0,
  maxCapacity: 2,
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
  againIn: null,
  ...fields,
});

const started = (fields: Partial<StartedHandoff> = {}): StartedHandoff => ({
  callerAgentId: null,
  proposalId: null,
  handoffsEnabled: true,
  maxHandoffs: 2,
  collaborators: ['b'],
  cameFrom: null,
  earlier: [],
  contentHash: 'x',
  path: null,
  ...fields,
});

const way = (outcome: string, fields: Partial<Way & { role: string | null; agentType: string | null }> = {}): Way => {
  const { role = null, agentType = null, ...rest } = fields;
  const to = {
    name: outcome.toLowerCase(),
    role,
    agentType,
    phase: null,
    instructions: null,
    payloadSchema: null,
    acceptWithinMinutes: null,
    remindAfterMinutes: null,
    escalateTo: null,
  };
  return {
    outcome,
    to,
    again: false,
    back: false,
    transition: { from: 'here', outcome, to: to.name, when: null, payloadSchema: null },
    ...rest,
  };
};
const path = (ways: Way[], fields: Partial<Path> = {}): Path => ({
  stage: 'here',
  ways,
  outcome: null,
  needsPayload: () => false,
  ...fields,
});

/** Agent `a` hands its Session to `b`, and nothing speaks against it. */
const allowed: Move = {
  session: { status: 'RUNNING', version: 3, agentId: 'a', tenureState: 'ACTIVE' },
  expectedVersion: 3,
  target: agent('b'),
  agentType: 'CLAUDE',
  started: started(),
};

/** The rules in the order of refusals (docs/rules.md), each with its code and a move that it alone refuses. */
const table: [RuleName, string, Move][] = [
  ['who may hand off', 'FORBIDDEN', { ...allowed, started: started({ callerAgentId: 'c' }) }],
  ['version', 'CONFLICT', { ...allowed, expectedVersion: 2 }],
  ['open session', 'INVALID_STATE', { ...allowed, session: { ...allowed.session!, status: 'COMPLETED' } }],
  ['active only', 'INVALID_STATE', { ...allowed, session: { ...allowed.session!, tenureState: 'PENDING' } }],
  ['proposal', 'INVALID_STATE', { ...allowed, started: started({ proposalId: 'handoff_1' }) }],
  [
    'already assigned',
    'ALREADY_ASSIGNED',
    { ...allowed, target: agent('a'), started: started({ collaborators: ['a', 'b'] }) },
  ],
  ['enabled', 'HANDOFFS_DISABLED', { ...allowed, started: started({ handoffsEnabled: false }) }],
  ['collaborator', 'NOT_A_COLLABORATOR', { ...allowed, started: started({ collaborators: ['c'] }) }],
  ['transition', 'TRANSITION_NOT_ALLOWED', { ...allowed, started: started({ path: path([]) }) }],
  ['limit', 'MAX_HANDOFFS_REACHED', { ...allowed, started: started({ maxHandoffs: 0 }) }],
  ['loop', 'HANDOFF_LOOP', { ...allowed, started: started({ earlier: [earlier()] }) }],
  ['type', 'AGENT_TYPE_MISMATCH', { ...allowed, agentType: 'CODEX' }],
  ['role', 'AGENT_ROLE_MISMATCH', { ...allowed, stage: { name: 'review', role: 'reviewer', agentType: null } }],
  ['free choice', 'NO_AGENT_AVAILABLE', { ...allowed, target: null }],
  ['availability', 'AGENT_UNAVAILABLE', { ...allowed, target: agent('b', { administrativeStatus: 'DRAINING' }) }],
  ['capacity', 'AGENT_AT_CAPACITY', { ...allowed, target: agent('b', { currentLoad: 2 }) }],
];

const verdicts = (move: Move) =>
  rules.map(({ name, refuses }) => [name, refuses(move)?.code ?? null] as const).filter(([, code]) => code !== null);

describe('the order of refusals', () => {
  it('is the order of this table', () => {
    expect(rules.map(({ name }) => name)).toEqual(table.map(([name]) => name));
    expect(refusalToMove(allowed)).toBeNull();
  });

  it.each(table)("the rule '%s' refuses its move with %s, and no other rule refuses it", (name, code, move) => {
    expect(verdicts(move)).toEqual([[name, code]]);
    expect(refusalToMove(move)?.code).toBe(code);
  });

  /** What differs from the allowed move, piled up over several entries of the table. */
  const piledUp = (entries: typeof table): Move =>
    entries.reduce<Move>(
      (all, [, , move]) => ({
        session: { ...all.session!, ...differing(allowed.session!, move.session!) },
        expectedVersion: move.expectedVersion === allowed.expectedVersion ? all.expectedVersion : move.expectedVersion,
        target:
          move.target === null || all.target === null
            ? null
            : { ...all.target, ...differing(allowed.target!, move.target) },
        agentType: move.agentType === allowed.agentType ? all.agentType : move.agentType,
        stage: move.stage ?? all.stage ?? null,
        started: { ...all.started!, ...differing(allowed.started!, move.started!) },
      }),
      allowed,
    );

  it('returns the first refusal when several rules refuse a move', () => {
    fc.assert(
      fc.property(fc.subarray(table, { minLength: 1 }), (entries) => {
        const move = piledUp(entries);
        expect(refusalToMove(move)?.code ?? null).toBe(verdicts(move)[0]?.[1] ?? null);
      }),
    );
  });

  const pairs = table.flatMap((first, n) =>
    table.slice(n + 1).map((second) => ({ first, second, move: piledUp([first, second]) })),
  );
  const refuses = (name: RuleName, move: Move): boolean => verdicts(move).some(([refusing]) => refusing === name);
  const [both, alone] = [true, false].map((wanted) =>
    pairs.filter(({ first, second, move }) => (refuses(first[0], move) && refuses(second[0], move)) === wanted),
  ) as [typeof pairs, typeof pairs];

  it.each(both.map(({ first, second, move }) => [first[0], second[0], first[1], move] as const))(
    "checks '%s' before '%s'",
    (_first, _second, code, move) => {
      expect(refusalToMove(move)?.code).toBe(code);
    },
  );

  it('leaves out only pairs of rules that cannot both refuse', () => {
    expect(alone.map(({ first, second }) => `${first[0]}, ${second[0]}`)).toEqual([
      // A finished Session has no holder, and no Handoff went to the holder itself.
      'open session, already assigned',
      'already assigned, loop',
      // Without a target there is nothing to refuse about it. In a pipeline its path takes the place of the
      // collaborators, and only a known way counts.
      ...[
        'already assigned, free choice',
        'collaborator, transition',
        'collaborator, free choice',
        'transition, limit',
        'transition, free choice',
      ],
      ...['loop', 'type', 'role'].map((name) => `${name}, free choice`),
      ...['availability', 'capacity'].map((name) => `free choice, ${name}`),
    ]);
  });

  it('checks only the rules before a named rule', () => {
    const [loop, capacity] = [table[10]!, table[15]!];
    expect(refusalToMove(piledUp([loop, capacity]), 'loop')).toBeNull();
    expect(refusalToMove(table[9]![2], 'loop')?.code).toBe('MAX_HANDOFFS_REACHED');
  });
});

function differing<T extends object>(from: T, to: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(to).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(from[key as keyof T])),
  ) as Partial<T>;
}

describe('a move by an operator', () => {
  it.each([
    ['is not bound by the guards', { started: null, session: { ...allowed.session!, tenureState: 'PENDING' } }, null],
    [
      'gives an unassigned session to an agent',
      { started: null, session: { ...allowed.session!, agentId: null, tenureState: null } },
      null,
    ],
    ['to the holder is refused with ALREADY_ASSIGNED', { started: null, target: agent('a') }, 'ALREADY_ASSIGNED'],
    [
      'of a finished session to its last holder is refused with INVALID_STATE',
      { started: null, target: agent('a'), session: { ...allowed.session!, status: 'FAILED', tenureState: null } },
      'INVALID_STATE',
    ],
  ] as const)('%s', (_case, fields, code) => {
    expect(refusalToMove({ ...allowed, ...(fields as Partial<Move>) })?.code ?? null).toBe(code);
  });
});

describe('a session that is being created', () => {
  const created = (fields: Partial<Move>): Move => ({
    session: null,
    expectedVersion: null,
    target: null,
    agentType: null,
    started: null,
    ...fields,
  });

  it.each([
    ['needs no agent', {}, null],
    ['goes to an agent with a free place', { target: agent('a') }, null],
    ['does not go to a full agent', { target: agent('a', { currentLoad: 2 }) }, 'AGENT_AT_CAPACITY'],
    ['does not go to an agent of another type', { target: agent('a'), agentType: 'CODEX' }, 'AGENT_TYPE_MISMATCH'],
    ['is not created when no agent of the type is free', { agentType: 'CODEX' }, 'NO_AGENT_AVAILABLE'],
  ] as const)('%s', (_case, fields, code) => {
    expect(refusalToMove(created(fields))?.code ?? null).toBe(code);
  });
});

const codeOf = (fields: Partial<StartedHandoff>, target = agent('b')): string | null =>
  refusalToMove({ ...allowed, target, started: started(fields) })?.code ?? null;

describe('a handoff that an agent starts', () => {
  it.each([
    ['to a collaborator passes', {}, null],
    ['in a session with handoffsEnabled false is refused', { handoffsEnabled: false }, 'HANDOFFS_DISABLED'],
    ['to an agent that is no collaborator is refused', { collaborators: ['c'] }, 'NOT_A_COLLABORATOR'],
    [
      'back to the agent that the session came from passes, even if that is no collaborator',
      { collaborators: [], cameFrom: 'b' },
      null,
    ],
    [
      'beyond the limit is refused',
      { earlier: [earlier({ via: 'API' }), earlier({ via: 'TOOL' })] },
      'MAX_HANDOFFS_REACHED',
    ],
    [
      'is counted without the handoffs of operators',
      { earlier: [earlier({ via: 'OPERATOR' }), earlier({ via: 'OPERATOR' })], contentHash: 'y' },
      null,
    ],
    [
      'is checked for handoffsEnabled before its target',
      { handoffsEnabled: false, collaborators: [] },
      'HANDOFFS_DISABLED',
    ],
    ['is checked for its target before the limit', { collaborators: [], maxHandoffs: 0 }, 'NOT_A_COLLABORATOR'],
    ['is refused when maxHandoffs is 0', { maxHandoffs: 0 }, 'MAX_HANDOFFS_REACHED'],
  ] as const)('%s', (_case, fields, code) => {
    expect(codeOf(fields as Partial<StartedHandoff>)).toBe(code);
  });

  it.each([
    ['a handoff between the same agents with the same content', {}, 'x', 'HANDOFF_LOOP'],
    ['a handoff with other content', {}, 'y', null],
    ['a handoff in the other direction', { sourceAgentId: 'b', targetAgentId: 'a' }, 'x', null],
    ['an attempt with the same content that was not accepted', { accepted: false, status: 'REJECTED' }, 'x', null],
    ['a handoff by an operator with the same content', { via: 'OPERATOR' }, 'x', 'HANDOFF_LOOP'],
  ] as const)('is checked for a loop after %s', (_case, fields, contentHash, code) => {
    expect(codeOf({ earlier: [earlier(fields)], contentHash })).toBe(code);
  });

  it('lists the newest 100 handoffs of the chain in its refusal, oldest first', () => {
    const all = Array.from({ length: 150 }, (_, n) => earlier({ initiatedAt: new Date(n) }));
    for (const maxHandoffs of [2, 1000]) {
      const refusal = refusalToMove({ ...allowed, started: started({ earlier: all, maxHandoffs }) });
      expect((refusal as HandoffLoopError).chain.map(({ at }) => at.getTime())).toEqual(
        Array.from({ length: 100 }, (_, n) => n + 50),
      );
    }
  });

  it.each([
    ['PENDING', /accept its own handoff first \(acceptHandoff\)/],
    ['PAUSED', /resume the session first \(resumeSession\)/],
    [null, /an operator has to reassign it/],
  ] as const)('is refused from a tenure in state %s with the mutation to call first', (tenureState, says) => {
    expect(refusalToMove({ ...allowed, session: { ...allowed.session!, tenureState } })?.message).toMatch(says);
  });
});

describe('a handoff in a pipeline', () => {
  const again = way('REJECT', { again: true });
  it.each([
    [
      'to an agent that fits one next stage passes, whoever its collaborators are',
      { collaborators: [], path: path([way('DONE'), way('ASK', { role: 'expert' })]) },
      null,
    ],
    [
      'to an agent that fits no next stage is refused',
      { path: path([way('DONE', { role: 'reviewer' }), way('ASK', { agentType: 'CODEX' })]) },
      'TRANSITION_NOT_ALLOWED',
    ],
    [
      'to an agent that fits two next stages is refused',
      { path: path([way('DONE'), way('ASK')]) },
      'TRANSITION_NOT_ALLOWED',
    ],
    [
      'with the end as the only next step is refused',
      { path: path([way('DONE', { to: null })]) },
      'TRANSITION_NOT_ALLOWED',
    ],
    [
      'that needs a payload is refused',
      { path: path([way('DONE')], { needsPayload: () => true }) },
      'TRANSITION_NOT_ALLOWED',
    ],
    [
      'with its outcome and payload passes',
      { path: path([way('DONE'), way('ASK')], { outcome: 'ASK', needsPayload: () => true }) },
      null,
    ],
    ['that goes forward counts nothing', { maxHandoffs: 0, path: path([way('DONE')]) }, null],
    ['that enters a stage again counts one', { maxHandoffs: 1, path: path([again]) }, null],
    [
      'that enters a stage again beyond the limit is refused',
      {
        maxHandoffs: 1,
        earlier: [earlier({ againIn: 'x', contentHash: 'y' }), earlier({ contentHash: 'y' })],
        path: path([again]),
      },
      'MAX_HANDOFFS_REACHED',
    ],
    [
      'that was tried again after a time-out counts once',
      {
        maxHandoffs: 2,
        earlier: [earlier({ againIn: 'x', contentHash: 'y' }), earlier({ againIn: 'x', contentHash: 'y' })],
        path: path([again]),
      },
      null,
    ],
  ] as const)('%s', (_case, fields, code) => {
    expect(codeOf(fields as unknown as Partial<StartedHandoff>)).toBe(code);
  });
});

describe('the target of a handoff', () => {
  it.each([
    ['is available with a free place', {}, null],
    ['has its last place free', { currentLoad: 1 }, null],
    ['is full', { currentLoad: 2 }, 'AGENT_AT_CAPACITY'],
    ['is draining', { administrativeStatus: 'DRAINING' }, 'AGENT_UNAVAILABLE'],
    ['is offline', { administrativeStatus: 'OFFLINE' }, 'AGENT_UNAVAILABLE'],
    ['is archived', { administrativeStatus: 'OFFLINE', archivedAt: new Date(0) }, 'AGENT_UNAVAILABLE'],
    [
      'is draining and full: availability comes before capacity',
      { administrativeStatus: 'DRAINING', currentLoad: 2 },
      'AGENT_UNAVAILABLE',
    ],
  ] as const)('is checked when it %s', (_case, fields, code) => {
    expect(codeOf({}, agent('b', fields))).toBe(code);
    expect(takesSessions(agent('b', fields))).toBe(code === null);
  });
});

describe('the least loaded agent', () => {
  it('has the lowest ratio of load to capacity, not the fewest sessions', () => {
    expect(
      leastLoaded(
        [agent('a', { currentLoad: 1, maxCapacity: 2 }), agent('b', { currentLoad: 2, maxCapacity: 10 })],
        'CLAUDE',
      )?.id,
    ).toBe('b');
  });

  it('is the first by id when several have the same ratio', () => {
    expect(leastLoaded([agent('b'), agent('a'), agent('c')], 'CLAUDE')?.id).toBe('a');
  });

  it('is of the requested type and not among the excluded agents', () => {
    expect(leastLoaded([agent('a', { type: 'CODEX' }), agent('b'), agent('c')], 'CLAUDE', ['b', null])?.id).toBe('c');
  });

  it('is null when no agent can take a session', () => {
    expect(
      leastLoaded([agent('a', { currentLoad: 2 }), agent('b', { administrativeStatus: 'OFFLINE' })], 'CLAUDE'),
    ).toBeNull();
  });
});
